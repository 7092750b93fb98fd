"""A bar where somebody looks on: in notebooks and at a prompt, not in scripts and pipes."""

import io
import sys
from types import SimpleNamespace

import pytest

import shoal
from shoal import progress as module
from shoal.progress import shown


class Notebook:
    """What IPython displays, one after the other."""

    def __init__(self):
        self.seen = []

    def display(self, shown, *, display_id):
        assert display_id is True
        self.seen.append(shown._repr_html_())
        return SimpleNamespace(update=lambda after: self.seen.append(after._repr_html_()))


@pytest.fixture
def notebook(monkeypatch):
    made = Notebook()
    monkeypatch.setattr(module, "_notebook_display", lambda: made.display)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    return made


class Terminal(io.StringIO):
    """Where somebody looks on."""

    def isatty(self):
        return True


def test_a_function_is_called_as_it_is():
    told = []
    with shown(lambda done, total: told.append((done, total)), "counting") as report:
        report(1, 2)
    assert told == [(1, 2)]


def test_nothing_is_shown_in_a_script(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert not hasattr(sys, "ps1")
    with shown(None, "counting") as report:
        assert report is None


def test_nothing_is_shown_in_a_pipe_even_if_it_is_wanted(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    for wanted in (None, True):
        with shown(wanted, "counting") as report:
            assert report is None


def test_a_bar_is_shown_at_a_prompt_and_where_it_is_wanted(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with shown(True, "counting sheep") as report:
        report(1, 2)
    assert "counting sheep" in terminal.getvalue()
    terminal.truncate(0)
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    with shown(None, "counting fish") as report:
        report(1, 2)
    assert "counting fish" in terminal.getvalue()
    with shown(False, "counting") as report:
        assert report is None


def test_a_notebook_has_a_bar_that_goes_at_the_end(notebook):
    with shown(None, "a < b") as report:
        report(1, 4)
        report(1, 4)  # at once: it is not drawn again
    first, second, last = notebook.seen
    assert "a &lt; b" in first
    assert '<progress value="1" max="4"' in second
    assert "25 %" in second
    assert last == ""


def test_work_that_is_over_soon_has_none(notebook, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    with shown(None, "counting") as report:
        report(1, 4)
    assert notebook.seen == []


def test_there_is_one_bar_at_a_time(notebook):
    with shown(None, "outer") as outer, shown(None, "inner") as inner:
        outer(1, 2)
        assert inner is None
    with pytest.raises(RuntimeError), shown(None, "broken"):
        raise RuntimeError
    with shown(None, "the next") as after:
        assert after is not None


def test_long_work_shows_it_and_is_silent_if_told(notebook):
    frame = shoal.examples.discharges(200, seed=1)
    plan = shoal.propose(frame, k=5, refine="none")
    release = shoal.anonymize(frame, plan)
    assert "grouping records" in notebook.seen[0]
    for title, work in {
        "measuring": lambda **how: release.measure(keys=["dld"], **how),
        "attacking the release": lambda **how: release.attack(attacks=["linkage"], **how),
        "comparing analyses": lambda **how: shoal.utility(
            frame, release.data, plan, rows=release.rows, targets=[], **how
        ),
        "bounding the loss": lambda **how: shoal.refinement.lower_bound(
            frame.select("age", "stay").to_numpy(), 5, method="ascent", **how
        ),
        "comparing plans": lambda **how: shoal.compare(frame, plan, k=[3, 4], keys=["il_percent"], **how),
    }.items():
        notebook.seen.clear()
        work()
        assert any(title in each for each in notebook.seen), title
        notebook.seen.clear()
        work(progress=False)
        assert notebook.seen == []
