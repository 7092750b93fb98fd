"""Plans compared in the background: measured by what their columns allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.app.tasks import TASKS, Bench, Source
from shoal.examples import discharges

AGE = {"role": "quasi_identifier", "kind": "numeric"}
SEX = {"role": "quasi_identifier", "kind": "nominal"}
WARD = {"role": "confidential", "kind": "nominal"}


class Silent:
    """A reporter that nobody listens to."""

    def stage(self, name: str) -> Any:
        return lambda done, total: None

    def event(self, value: Any) -> None:
        pass


@pytest.mark.parametrize(
    ("attributes", "measured"),
    [
        ({"sex": SEX, "ward": WARD}, {"k_min", "emd_max", "dld", "il_percent"}),
        ({"sex": SEX}, {"k_min", "dld", "il_percent"}),
        ({"age": AGE, "sex": SEX, "ward": WARD}, {"k_min", "emd_max", "dld", "id", "il_percent", "score"}),
    ],
)
def test_measures_that_the_columns_do_not_allow_are_left_out(
    tmp_path: Path, attributes: dict[str, Any], measured: set[str]
) -> None:
    discharges(300, patients=150, seed=3).select(*attributes).write_csv(tmp_path / "stays.csv")
    source, values = Source(str(tmp_path / "stays.csv")), {"k": 3, "attributes": attributes}
    runs = TASKS["compare"](Bench(), Silent(), source, values, {"k": [3, 5]}, str(tmp_path / "runs"))
    assert [(run.problem, set(run.scores)) for run in runs] == [("", measured)] * 2
