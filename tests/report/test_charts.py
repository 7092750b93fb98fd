"""Charts: they hold the rows they were given and stand alone."""

from __future__ import annotations

import atexit
import os

import pytest

from shoal.comparison.tradeoff import TradeOff
from shoal.report import charts
from shoal.report.charts.drawing import Drawer
from shoal.reproduce.rebollo_monedero_2016 import dependence_curves, gaussian


@pytest.fixture(scope="module")
def rows():
    return dependence_curves(*gaussian(0.5, n=300), ks=[5, 10], weights=[0, 0.5, 1])


def test_the_trade_off_chart_holds_every_row(rows):
    spec = charts.trade_off_chart(rows).to_dict()
    held = [values for values in spec["datasets"].values() if "weight" in values[0]]
    assert held == [[row.to_dict() for row in rows]]
    assert len(spec["hconcat"]) == 3


def test_increments_beyond_three_times_the_plain_distortion_are_cut_off():
    def upper(change):
        made = [TradeOff(5, 0.0, 0.1, 0.5, 0.0, 0.0, 3.0), TradeOff(5, 1.0, 0.1, 0.1, change, -0.8, 3.0)]
        panel = charts.trade_off_chart(made).to_dict()["hconcat"][1]["layer"][1]
        return panel["encoding"]["x"]["scale"]["domain"][1]

    assert upper(0.7) == 0.7
    assert upper(30.0) == 2.0


def test_bounds_are_lines_on_the_map():
    from shoal.comparison import Run

    runs = [Run({"k": k}, scores={"dld": dld, "il_percent": il}) for k, dld, il in [(3, 9.0, 10.0), (5, 4.0, 12.0)]]

    def rules(limits):
        spec = charts.risk_utility_map(
            runs, (True, True), axes=("dld", "il_percent"), picked=None, limits=limits
        ).to_dict()
        return [layer["encoding"] for layer in spec["layer"] if layer["mark"].get("type") == "rule"]

    assert rules(None) == rules({"emd_max": 0.1}) == []
    (line,) = rules({"dld": 5.0})
    assert line["y"]["datum"] == 5.0
    assert len(rules({"dld": 5.0, "il_percent": 11.0})) == 2


def test_a_process_that_was_forked_ends_and_draws_by_a_drawer_of_its_own():
    chart = {"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}}
    drawer = Drawer()
    drawn = drawer.draw(chart)
    child = os.fork()
    if child == 0:
        same = drawer.draw(chart) == drawn
        drawer.close()
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert drawer.draw(chart) == drawn
    drawer.close()


def test_a_process_that_was_forked_does_not_wait_for_the_drawer_of_its_parent():
    drawer = Drawer()
    drawer.draw({"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}})
    child = os.fork()
    if child == 0:
        drawer.close()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    drawer.close()


def test_ctrl_c_while_the_drawer_ends_at_the_end_of_a_run_is_no_trouble(monkeypatch):
    """All is written by then: nobody wants to see where Python waited."""
    at_exit = []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    drawer = Drawer()
    drawer.draw({"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}})
    process, (close,) = drawer._process, at_exit
    waited = process.communicate

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "communicate", interrupted)
    close()
    waited()
    assert process.returncode is not None, "it was killed before"
