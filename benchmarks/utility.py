"""The analyst's work on releases of Census, Adult and the bundled discharges: MDAV, refined, Mondrian, t-close.

Run it by itself: ``SHOAL_REFERENCE_DATA=folder python benchmarks/utility.py [k ...]``; it prints the tables of
docs/utility.md in Markdown. Two thirds of each table are released, one third is held out to test predictions on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from mondrian import Case, averaged, generalized, mondrian
from shoal.analysis import Utility

KS = (3, 5, 10, 25)
T = 0.15
FIRST_ADULTS = 10_000


@dataclass(frozen=True)
class Study:
    """A table, what analysts do with it, and what must not be learnt."""

    case: Case
    confidential: dict[str, str]
    models: tuple[str, ...]
    target: str
    subjects: np.ndarray | None = None

    def plan(self, k: int, **choices: object) -> shoal.Plan:
        """Say what the columns are."""
        secret = {name: {"role": "confidential", "kind": kind} for name, kind in self.confidential.items()}
        attributes = {**self.case.plan(k).to_dict()["attributes"], **secret}
        return shoal.Plan(k=k, attributes=attributes, **choices)

    def split(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the records that are released, and those that are held out; a person is in one of them."""
        names = [*self.case.numeric, *self.case.nominal, *self.confidential]
        whose = np.arange(len(self.case.frame)) if self.subjects is None else self.subjects
        held = np.random.default_rng(0).permutation(int(whose.max()) + 1)[whose] % 3 == 0
        return tuple(self.case.frame.select(names).filter(pl.Series(part)) for part in (~held, held))


def releases(study: Study, frame: pl.DataFrame, k: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray | None]]:
    """Yield releases by name, and where their rows come from."""
    case = Case(study.case.name, frame, study.case.numeric, study.case.nominal)
    secret = frame.select(list(study.confidential))
    cuts = mondrian(case.codes, k)
    yield "Mondrian, generalized", generalized(case, cuts).hstack(secret), None
    yield "Mondrian, averaged", averaged(case, cuts).hstack(secret), None
    for name, choices in {
        "MDAV": {},
        "MDAV, refined": {"refine": "good"},
        f"MDAV, t = {T}": {"closeness": {"t": T, "attributes": [study.target]}},
    }.items():
        release = shoal.anonymize(frame, study.plan(k, **choices))
        yield name, release.data, release.rows


def cells(found: Utility) -> str:
    """Write the findings of a release as cells of a table."""
    numbers = {finding.key: finding.value for finding in found.findings}
    prediction = numbers.get("prediction")
    return " | ".join(
        (
            f"{numbers['distributions']:.3f}",
            f"{numbers['associations']:.3f}",
            f"{100 * numbers['models']:.0f} %",
            "" if prediction is None else f"{100 * prediction:.0f} %",
            f"{numbers['propensity']:.1f}",
        )
    )


def lines(study: Study, ks: Sequence[int]) -> Iterator[str]:
    """Compare releases of a table for each k, as a table in Markdown."""
    frame, held = study.split()
    kinds = f"{len(study.case.numeric)} numeric and {len(study.case.nominal)} nominal quasi-identifiers"
    models = ", ".join(f"`{model}`" for model in study.models)
    yield f"**{study.case.name}**: {len(frame):,} records, {kinds}; models {models}\n"
    yield "| k | release | distributions | associations | overlap | prediction | pMSE ratio |"
    yield "|---|---|---|---|---|---|---|"
    for k in ks:
        for name, released, rows in releases(study, frame, k):
            found = shoal.utility(
                frame,
                released.select(frame.columns),
                study.plan(k),
                models=study.models,
                holdout=held,
                targets=[study.target],
                rows=rows,
            )
            yield f"| {k} | {name} | {cells(found)} |"
    yield ""


def studies(folder: Path) -> Iterator[Study]:
    """Read Census, ten thousand of Adult, and the table that comes with shoal."""
    census = pl.read_csv(folder / "census.csv")
    known = tuple(name for name in census.columns if name not in ("FEDTAX", "FICA"))
    yield Study(
        Case("Census", census, known),
        {"FEDTAX": "numeric", "FICA": "numeric"},
        ("FEDTAX ~ TAXINC + INTVAL", "FICA ~ WSALVAL + POTHVAL"),
        "FEDTAX",
    )
    adult = pl.read_csv(folder / "adult.csv").head(FIRST_ADULTS)
    yield Study(
        Case(
            "Adult",
            adult,
            ("age", "education-num", "hours-per-week"),
            ("workclass", "marital-status", "occupation", "race", "sex", "native-country"),
        ),
        {"prediction": "nominal"},
        ("prediction ~ age + education-num + hours-per-week + sex", "hours-per-week ~ age + sex + marital-status"),
        "prediction",
    )
    stays = pl.read_csv(
        Path(__file__).parent.parent / "examples" / "discharges.csv", schema_overrides={"postcode": str}
    )
    yield Study(
        Case("Discharges", stays, ("age", "stay"), ("sex", "postcode", "severity")),
        {"charge": "numeric", "diagnosis": "nominal"},
        ("charge ~ age + severity", "stay ~ age + sex"),
        "charge",
        stays["patient_id"].rank("dense").to_numpy().astype(np.int64) - 1,
    )


def main(ks: Sequence[int]) -> None:
    """Print the comparison of all tables."""
    for study in studies(Path(os.environ["SHOAL_REFERENCE_DATA"])):
        for line in lines(study, ks):
            print(line, flush=True)


if __name__ == "__main__":
    main([int(k) for k in sys.argv[1:]] or KS)
