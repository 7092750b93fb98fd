"""Whatever was clicked: the plan that the app wrote gives the same bytes by the command that the page shows."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from app.served import PLAN, Client, served
from command import shoal
from shoal.examples import discharges

PROMISES = {"k": "5", "method": "mdav", "refine": "none", "missing": "keep"}
PATIENT, SEX, POSTCODE, WARD, WEIGHT = "0", "3", "4", "7", "11"
CLICKS: dict[str, list[tuple[str, dict[str, str]]]] = {
    "a tree by prefix, diversity, gaps kept": [
        ("/roles/hierarchy", {"column": POSTCODE, "prefix": "3, 4"}),
        ("/protect/options", {**PROMISES, "k": "7", "distinct": "2"}),
    ],
    "a tree that was pasted, records, t, rounding": [
        ("/roles/hierarchy", {"column": SEX, "paths": "female,people\nmale,people\n"}),
        ("/roles/options", {"subject": "record"}),
        ("/protect/options", {**PROMISES, "t": "0.4", "round": "1"}),
    ],
    "refinement, gaps imputed, another role": [
        ("/roles/column", {"column": WARD, "role": "other", "kind": ""}),
        ("/protect/options", {**PROMISES, "refine": "quick", "missing": "impute"}),
    ],
    "weights, strata, another method": [
        ("/roles/options", {"subject": PATIENT, "weights": WEIGHT, "by": SEX}),
        ("/protect/options", {**PROMISES, "method": "vmdav"}),
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bytes")
    random = np.random.default_rng(1)
    frame = discharges(240, patients=120, seed=3).with_columns(pl.Series("weight", random.integers(1, 9, 240)))
    gaps = pl.Series(random.random(240) < 0.05)
    frame = frame.with_columns(pl.when(gaps).then(None).otherwise(pl.col("stay")).alias("stay"))
    frame.write_csv(made / "stays.csv")
    about = 'weight = { role = "other" }\n'
    (made / "plan.toml").write_text(PLAN.replace("k = 5\n", 'k = 5\nmissing = "keep"\n') + about)
    return made


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    with served(folder, "stays.csv", "--plan", "plan.toml") as running:
        made = Client(running)
        assert made.enter(running.token) == 200
        made.wait_for("/data/look", 'class="preview"')
        yield made


def test_a_plan_to_begin_with_has_its_trees_beside_it(tmp_path: Path) -> None:
    rows = "".join(f"{'ab'[i % 2]}{i % 3},{20 + i}\n" for i in range(30))
    (tmp_path / "jobs.csv").write_text(f"job,age\n{rows}")
    plans = tmp_path / "plans"
    plans.mkdir()
    (plans / "tree.csv").write_text("".join(f"{group}{i},{group}\n" for group in "ab" for i in range(3)))
    job = 'job = { role = "quasi_identifier", kind = "nominal", hierarchy = "tree.csv" }'
    (plans / "plan.toml").write_text(f"k = 3\n[attributes]\n{job}\nage = {{ role = 'other' }}\n", encoding="utf-8-sig")
    with served(tmp_path, "jobs.csv", "--plan", "plans/plan.toml") as running:
        made = Client(running)
        assert made.enter(running.token) == 200
        made.wait_for("/data/look", 'class="preview"')
        assert "There is a tree of" in made.get("/roles")[1]


@pytest.mark.parametrize("name", CLICKS)
def test_the_same_bytes(client: Client, folder: Path, tmp_path: Path, name: str) -> None:
    client.post("/history/restore", version="1")  # the plan file; before it, one was proposed
    for address, values in CLICKS[name]:
        assert client.post(address, **values)[0] == 303
        page = client.get("/roles")[1]
        assert "data-refused" not in page, page
    client.post("/run/start", attacks="none")
    shown = client.wait_for("/run/status", 'id="start"')
    assert 'id="made"' in shown, shown
    assert 'class="message"' not in shown, shown  # neither failed nor of another plan
    page = client.get("/release")[1]
    found = dict(re.findall(r'href="(/release/file/[^"]+)" download="([^"]+)"', page))
    files = {called: client.ask("GET", place)[2] for place, called in found.items()}
    command = re.search(r'<pre [^>]*id="command">([^<]*)</pre>', page)
    assert command is not None
    (tmp_path / "stays.csv").write_bytes((folder / "stays.csv").read_bytes())
    (tmp_path / "stays-anonymous.plan.toml").write_bytes(files["stays-anonymous.plan.toml"])
    done = shoal(*shlex.split(html.unescape(command[1]))[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "stays-anonymous.csv").read_bytes() == files["stays-anonymous.csv"]
