"""Model: the encoder and the groups of a release, to mask new records by; it holds no records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.card import screenful
from shoal.encode import Encoder
from shoal.errors import DataError, PlanError, counted
from shoal.files import Outputs, read_secret
from shoal.frames import Table
from shoal.kinds.column import Column, Spec
from shoal.kinds.registry import read_column
from shoal.masking.attribute_blocks import require_groups
from shoal.plan import Plan
from shoal.protect import asked
from shoal.protect.confidential_guarantee import protected_names
from shoal.protect.t_closeness import TCloseness
from shoal.recode import RECODINGS
from shoal.republish.contributions import column_texts
from shoal.republish.ledger import Ledger
from shoal.run.manifest import versions
from shoal.run.model.columns import Histogram, column_from_dict, column_to_dict

if TYPE_CHECKING:
    from shoal.run.model.apply import Applied
    from shoal.run.release import FrameT, Release

FORMAT = "shoal model"
VERSION = 3
MOST_BYTES = 1 << 32
"""A model that is larger is none."""


@dataclass(frozen=True, eq=False)
class ModelState:
    """What a run knows besides its release, for the model of it."""

    encoder: Encoder  # how its quasi-identifiers become points
    sizes: NDArray[np.int64]  # the number of subjects of each group
    ledger: Ledger | None = None  # who stood with whom, where the run was to remember


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """What a release learnt: `Release.model` makes one.

    Parameters
    ----------
    plan
        Of the release.
    encoder
        How quasi-identifiers become points: scales, categories, orders. It holds extremes and names of categories.
    columns
        The released quasi-identifiers, one value for each group.
    sizes
        How many subjects share the values of each group.
    domains
        The value of ``by`` of each group, as text, where the plan names it; None is a missing one.
    confidential
        What each group's confidential values are, counted, of the attributes that t-closeness protects.
    released
        The fingerprint of the release.
    ledger
        Who stood with whom in this release and those before it, by keyed hashes, where the run was to remember.

    Notes
    -----
    All of it but the encoder and the ledger stands in the release. The encoder holds the extremes of columns: keep a
    model where the table is.
    """

    plan: Plan
    encoder: Encoder
    columns: tuple[Column, ...]
    sizes: NDArray[np.int64]
    domains: tuple[str | None, ...] | None
    confidential: Mapping[str, Histogram]
    released: str
    ledger: Ledger | None = None

    @classmethod
    def of(cls, release: Release) -> Model:
        """Return the model of a release that was made in this process.

        Raises
        ------
        PlanError
            The release has no groups of records whose values others could share.
        GuaranteeError
            Its table was changed since it was checked, and may hold values of single records.
        """
        plan = Plan.from_mapping(release.manifest["plan"])
        if release.model_state is None:
            raise PlanError(
                "a release that was read or measured has no model: shoal.anonymize makes one with its release"
            )
        require_groups(plan)
        release.require_unchanged()
        table = Table.of(release.data)
        _, first = np.unique(release.labels, return_index=True)
        rows = table.take(first)
        return cls(
            plan,
            release.model_state.encoder,
            tuple(read_column(rows, _shown(plan, name)) for name in plan.masked_names()),
            release.model_state.sizes,
            None if plan.by is None else column_texts(rows, plan.by),
            {name: Histogram.of(table, plan.spec(name), release.labels) for name in close_names(plan)},
            str(release.manifest["output"]["sha256"]),
            release.model_state.ledger,
        )

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        of = "records" if self.plan.subject_column() is None else f"subjects ({self.plan.subject_column()})"
        sizes = f"{counted(len(self), 'group')} of {self.sizes.min():,} to {self.sizes.max():,} {of}"
        lines = [f"Model of {sizes}, k = {self.plan.k}", f"  masks: {', '.join(self.plan.masked_names())}"]
        if self.ledger is not None:
            whom, when = counted(len(self.ledger.cells), "subject"), counted(self.ledger.releases, "release")
            lines.append(f"  remembers {whom} of {when}")
        return screenful(lines)

    def apply(self, frame: FrameT, *, close: bool = False) -> Applied[FrameT]:
        """Mask new records, each by the nearest group whose values at least k subjects shared already.

        Parameters
        ----------
        frame
            A pandas, polars or pyarrow table with the columns of the plan.
        close
            Only by groups that stay t-close with it, compared with all that leaves: the nearest of those. A record that
            no group can take is left out, and counted.

        Returns
        -------
        Applied
            The masked table, the same kind of frame as came in, what is promised of it and what it gives away.

        Raises
        ------
        DataError
            The frame does not fit: other columns, other kinds, categories that an order does not name.
        PlanError
            ``close`` without t-closeness in the plan.
        """
        from shoal.run.model.apply import apply_model

        return apply_model(self, frame, close=close)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "plan": self.plan.to_dict(),
            "encoder": self.encoder.to_dict(),
            "groups": {
                "subjects": self.sizes.tolist(),
                "columns": [column_to_dict(column) for column in self.columns],
                "by": None if self.domains is None else list(self.domains),
                "confidential": {name: each.to_dict() for name, each in self.confidential.items()},
            },
            "released": self.released,
            "ledger": None if self.ledger is None else self.ledger.to_dict(),
        }

    def to_json(self) -> str:
        """Return the model as the text of its file, with version and hash.

        Raises
        ------
        DataError
            Categories are of a type of their own, as intervals in pandas, which JSON does not have.
        """
        content = self.to_dict()
        envelope = {"format": FORMAT, "version": VERSION, "versions": versions(), "sha256": _hash(content)}
        return json.dumps({**envelope, "content": content}, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the model as a file for its owner alone."""
        with Outputs() as outputs:
            outputs.text(path, self.to_json(), private=True)

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model from its file.

        Raises
        ------
        DataError
            It is not there, can be read by others, is no model, of another version, or was changed.
        """
        try:
            text = read_secret(path, option="model", harm="test who was in the table", most=MOST_BYTES)
        except FileNotFoundError:
            raise DataError(f"the model {path} is not there: `shoal anonymize --model` writes one") from None
        try:
            envelope = json.loads(text)
        except (ValueError, RecursionError):
            envelope = None
        if not isinstance(envelope, dict) or envelope.get("format") != FORMAT:
            raise DataError(f"{path} is no model: `shoal anonymize --model` writes one")
        if envelope.get("version") != VERSION:
            raise DataError(
                f"the model {path} is of version {envelope.get('version')!r}, and this shoal reads {VERSION}"
            )
        content = envelope.get("content")
        if not isinstance(content, dict) or envelope.get("sha256") != _hash(content):
            raise DataError(f"the model {path} was changed since it was written, or is damaged: its hash differs")
        try:
            model = cls.from_dict(content)
            with np.errstate(all="ignore"):
                model.encoder.apply(model.columns).records()  # who can place its own groups can place new records
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, RecursionError):
            raise DataError(f"{path} is no model that shoal wrote, though its hash agrees") from None
        return model

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Model:
        """Return the model that `to_dict` wrote."""
        plan, groups = Plan.from_mapping(given["plan"]), given["groups"]
        columns = tuple(column_from_dict(column, _shown(plan, column["name"])) for column in groups["columns"])
        sizes = np.array(groups["subjects"], dtype=np.int64)
        domains = None if groups["by"] is None else tuple(groups["by"])
        count = len(sizes)
        lengths = {*map(len, columns), *([] if domains is None else [len(domains)])}
        if tuple(column.name for column in columns) != plan.masked_names() or lengths != {count}:
            raise ValueError("groups that do not fit the plan")
        return cls(
            plan,
            Encoder.from_dict(given["encoder"]),
            columns,
            sizes,
            domains,
            {name: Histogram.from_dict(each, plan.spec(name), count) for name, each in groups["confidential"].items()},
            str(given["released"]),
            None if given["ledger"] is None else Ledger.from_dict(given["ledger"]),
        )

    def __reduce__(self) -> Any:
        return Model.from_dict, (self.to_dict(),)


def require_applicable(plan: Plan) -> None:
    """Refuse to mask new records by plans that follow subjects, or learn of the table what a model does not keep."""
    if plan.pseudonym_column() is not None:
        raise PlanError("a model masks single records, and keep_subject follows subjects: leave keep_subject out")
    for name, keys in plan.recodings().items():
        for key, option in keys.items():
            if RECODINGS[key].needs_table(option):
                raise PlanError(
                    f"{key} of column {name!r} asks something of the whole table, which new records are not: give "
                    "fixed bounds, or recode the table before"
                )


def close_names(plan: Plan) -> tuple[str, ...]:
    """Return the confidential attributes that t-closeness protects by this plan; none where it is not asked for."""
    demand = plan.demand()
    if all(guarantee.name != TCloseness.name for guarantee in asked(demand)):
        return ()
    return protected_names(demand.sections[TCloseness.section], demand.confidential)


def _shown(plan: Plan, name: str) -> Spec:
    """Return how a released column is read: nodes of a tree may stand for codes."""
    return replace(plan.spec(name), generalized=True)


def _hash(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_refuse_category)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _refuse_category(label: Any) -> Any:
    raise DataError(
        f"the file of a model has no place for categories of type {type(label).__name__}: convert the column to text"
    )
