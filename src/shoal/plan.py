"""Plan: every choice of a run, validated once.

The same names and defaults hold in Python, in the TOML file, on the command line and in the web form.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from shoal.blocking import Blocks, check_blocks
from shoal.errors import PlanError
from shoal.masking import check_masking
from shoal.partition.registry import METHODS
from shoal.paths import flattened
from shoal.protections import (
    ClosenessSection,
    DiversitySection,
    check_closeness,
    check_method,
    check_protected,
    is_steered,
)
from shoal.schema import UNDECIDED, Attribute, Kind, Missing, Role, Scale
from shoal.sections import Dependence, Steer, check_dependence, check_looked_at, check_steer
from shoal.stream_section import Stream, check_stream
from shoal.toml import dump_toml


class ReleaseMode(StrEnum):
    """What is released of a group."""

    AGGREGATE = "aggregate"
    PERMUTE = "permute"


class Plan(BaseModel):
    """Every choice of a run.

    Parameters
    ----------
    attributes
        Every column of the table, by name.
    k
        Smallest group.
    method, seed, ...
        See the field descriptions, or ``docs/plan.md``.

    Examples
    --------
    >>> plan = Plan(k=5, attributes={
    ...     "name": {"role": "identifier"},
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ... })
    >>> plan.method, plan.names(Role.QUASI_IDENTIFIER)
    ('mdav', ('age',))
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=False)

    version: Literal[1] = Field(1, description="version of the plan's format")
    k: Annotated[int, Field(ge=2, strict=True)] = Field(description="smallest group of records that look alike")
    method: str = Field("mdav", description="partitioning method")
    seed: Annotated[int, Field(ge=0, strict=True)] = Field(0, description="seed of everything random")
    scale: Scale = Field(
        Scale.ZSCORE,
        description="how continuous columns are made comparable: zscore or minmax (zscore; with steer, minmax)",
    )
    missing: Missing = Field(
        Missing.ERROR, description="missing quasi-identifiers: error, category (nominal, ordinal) or impute"
    )
    release: ReleaseMode = Field(
        ReleaseMode.AGGREGATE,
        description="aggregate: quasi-identifiers become their group's; permute: confidential values are shuffled "
        "inside each group and quasi-identifiers stay",
    )
    preserve_variance: bool = Field(
        default=False, description="rescale masked continuous columns to the original mean and variance"
    )
    round: bool = Field(default=False, description="round masked numeric columns to the column's own precision")
    by: str | None = Field(None, description="partition separately inside each value of this column")
    weights: str | None = Field(None, description="column of sampling weights for the mean of a group")
    gain: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        None, description="vmdav: how readily a group grows (default 0.2)"
    )
    axis: Literal["pcp", "zscores"] | None = Field(
        None, description="projected: the first principal component, pcp (default), or the sum of z-scores, zscores"
    )
    cut: Literal["fixed", "optimal"] | None = Field(
        None, description="mic1d: runs of k values, fixed (default), or of k to 2k-1 where it costs least, optimal"
    )
    blocks: Blocks | None = Field(
        None, description="quasi-identifiers to mask together, block by block (all in one block if left out)"
    )
    guarantee: bool = Field(
        default=True,
        description="false: release by a method that cannot guarantee k, or leave steered groups above t, and measure "
        "what is reached",
    )
    intruder: tuple[tuple[str, ...], ...] | None = Field(
        None,
        description="without guarantee: sets of quasi-identifiers that an intruder may know, to measure k' on "
        "(a sample of sets of 1, 2 and 3 if left out)",
    )
    closeness: ClosenessSection | None = Field(
        None, description="how far a group's confidential values may be from the table's"
    )
    diversity: DiversitySection | None = Field(None, description="how different a group's confidential values must be")
    dependence: Dependence | None = Field(
        None, description="how much groups should also be alike in the confidential attributes"
    )
    steer: tuple[Steer, ...] = Field((), description="artificial attributes that groups should also be alike in")
    compare: dict[str, tuple[str | int | float | bool, ...]] = Field(
        default_factory=dict, description="what `shoal compare` tries: lists of values by the path of a field"
    )
    stream: Stream | None = Field(None, description="how a stream is anonymized; only streams read it")
    attributes: dict[str, Attribute] = Field(description="every column of the table")

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise PlanError(explain(error)) from None

    @field_validator("compare", mode="before")
    @classmethod
    def _by_path(cls, grid: Any) -> Any:
        # In TOML, closeness.t = [...] is a table in a table.
        return flattened(grid) if isinstance(grid, Mapping) else grid

    @model_validator(mode="before")
    @classmethod
    def _steer_in_unit_ranges(cls, values: Any) -> Any:
        # The weight of an artificial attribute is told against quasi-identifiers that span [0, 1].
        if isinstance(values, dict) and (values.get("steer") or is_steered(values.get("closeness"))):
            return {"scale": Scale.MINMAX, **values}
        return values

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.method not in METHODS:
            raise ValueError(
                f"method must be one of {', '.join(METHODS)}, not {self.method!r}{nearest(self.method, METHODS)}"
            )
        if not self.names(Role.QUASI_IDENTIFIER):
            raise ValueError(
                "attributes must declare at least one quasi_identifier: without one there is nothing to mask"
            )
        for option in sorted({name for method in METHODS.values() for name in method.options}):
            if getattr(self, option) is not None and option not in METHODS[self.method].options:
                users = ", ".join(name for name, method in METHODS.items() if option in method.options)
                raise ValueError(f"{option} is only used by method {users}, and the method here is {self.method}")
        check_blocks(self)
        for option in ("by", "weights"):
            column = getattr(self, option)
            if column is None:
                continue
            if column not in self.attributes:
                raise ValueError(
                    f"{option} names {column!r}, which attributes do not declare{nearest(column, self.attributes)}"
                )
            if self.attributes[column].role is Role.IDENTIFIER:
                raise ValueError(f"{option} names {column!r}, which is an identifier and never leaves")
        if self.by is not None and self.attributes[self.by].role is Role.CONFIDENTIAL:
            raise ValueError(f"by names {self.by!r}, which is confidential: groups of one value would disclose it")
        if self.weights is not None and self.attributes[self.weights].role is Role.QUASI_IDENTIFIER:
            raise ValueError(f"weights names {self.weights!r}, which is a quasi_identifier: give it another role")
        if self.closeness is not None:
            check_closeness(self.closeness, self.attributes)
            check_method(self.closeness.method, self.method, self.scale)
        if self.diversity is not None:
            check_protected("diversity", self.diversity, self.attributes)
        if self.dependence is not None:
            check_dependence(self.dependence, self.attributes)
        if self.steer:
            if self.scale is not Scale.MINMAX:
                raise ValueError(
                    'steer compares quasi-identifiers on [0, 1], so scale must be "minmax": leave scale out'
                )
            check_steer(self.steer, self.attributes, self.by)
        check_looked_at(self.method, self.looked_at_names(), self.attributes)
        if self.stream is not None:
            check_stream(self.stream, self.attributes)
        check_masking(self)
        return self

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the plan's order."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role is role)

    def steering_names(self) -> tuple[str, ...]:
        """Return the columns besides the quasi-identifiers that groups should be alike in."""
        return tuple(
            dict.fromkeys((*self.dependence_names(), *(name for table in self.steer for name in table.columns)))
        )

    def looked_at_names(self) -> tuple[str, ...]:
        """Return the columns besides the quasi-identifiers whose distances count."""
        columns = (name for table in self.steer if table.kind == "column" for name in table.columns)
        return tuple(dict.fromkeys((*self.dependence_names(), *columns)))

    def dependence_names(self) -> tuple[str, ...]:
        """Return the confidential attributes that the partition looks at."""
        if self.dependence is None or self.dependence.weight == 0:
            return ()
        return self.dependence.attributes or self.names(Role.CONFIDENTIAL)

    def missing_policy(self, name: str) -> Missing:
        """Return the missing-value policy of a column that distances are measured on."""
        attribute = self.attributes[name]
        if attribute.missing is not None:
            return attribute.missing
        if self.missing is Missing.CATEGORY and attribute.kind in (Kind.NUMERIC, Kind.DATE):
            return Missing.ERROR
        return self.missing

    def replace(self, **changes: Any) -> Plan:
        """Return a copy with some fields changed, validated again."""
        return Plan(**{**self.to_dict(), **changes})

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, defaults left out except the version."""
        return {"version": self.version, **self.model_dump(mode="json", exclude_defaults=True, exclude_none=True)}

    def to_toml(self) -> str:
        """Return the plan as TOML; ``Plan.parse`` reads it back to an equal plan."""
        return dump_toml(self.to_dict())

    def save(self, path: str | Path) -> None:
        """Write the plan as a TOML file."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    @classmethod
    def parse(cls, text: str) -> Plan:
        """Read a plan from TOML text."""
        return cls.from_mapping(parse_toml(text))

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a TOML file."""
        return cls.from_mapping(load_toml(path))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Plan:
        """Build a plan from nested plain values, such as parsed TOML."""
        if "attributes" not in values:
            raise PlanError("the plan has no [attributes]: declare every column of the table there")
        return cls(**values)


def load_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file, with one clear sentence when it cannot be read."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PlanError(f"the plan {str(path)!r} does not exist; `shoal init DATA` writes one to start from") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PlanError(f"the plan {str(path)!r} cannot be read: {reason}") from None
    return parse_toml(text)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML text, with one clear sentence when it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"the plan is not valid TOML: {error}") from None


def json_schema() -> str:
    """Return the JSON Schema of a plan, for editors that complete and check TOML."""
    schema = Plan.model_json_schema()
    schema["properties"]["method"]["enum"] = list(METHODS)
    schema["title"] = "shoal plan"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def nearest(word: str, known: Any) -> str:
    """Return a hint that names the known word nearest to a misspelt one."""
    matches = difflib.get_close_matches(str(word), [str(name) for name in known], n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else ""


def explain(error: ValidationError) -> str:
    """Turn pydantic's report into one sentence that names the field, the rule and a hint."""
    problems = [_explain_one(problem) for problem in error.errors()]
    # A wrong key and the field it leaves missing are one mistake: show the misspelt key first.
    problems.sort(key=lambda sentence: "unknown key" not in sentence)
    return "; and ".join(problems[:3]) + (f"; and {len(problems) - 3} more" if len(problems) > 3 else "")


def _explain_one(problem: Any) -> str:
    path = [str(part) for part in problem["loc"]]
    if path[:1] == ["steer"] and len(path) > 3:
        del path[2]  # the kind of the table, which is not a key
    if path[:1] == ["blocks"] and len(path) > 1:
        del path[1]  # whether they are named or made
    where = ".".join(path) or "plan"
    match problem["type"]:
        case "extra_forbidden":
            return f"{where} is an unknown key{nearest(path[-1], _known_keys(path))}"
        case "union_tag_not_found":
            return f"{where}.kind is required: position, column or buckets"
        case "union_tag_invalid":
            kind = problem["ctx"]["tag"]
            return f"{where}.kind must be position, column or buckets, not {kind!r}"
        case "missing":
            return f"{where} is required"
        case "enum" | "literal_error":
            given = problem["input"]
            if path[-1] == "role" and given == UNDECIDED:
                return (
                    f"{where} is still undecided: choose identifier, quasi_identifier, confidential or other "
                    f"in place of {UNDECIDED!r}"
                )
            expected = problem["ctx"]["expected"]
            known = [word.strip(" '") for word in expected.replace(" or ", ",").split(",")]
            return f"{where} must be {expected}, not {given!r}{nearest(given, known)}"
        case "value_error":
            message = str(problem["ctx"]["error"])
            return f"{where}: {message}" if path else message
    rule = problem["msg"][0].lower() + problem["msg"][1:]
    given = problem["input"]
    value = f", not {given!r}" if isinstance(given, str | int | float | bool) else ""
    return f"{where}: {rule}{value}"


def _known_keys(path: list[str]) -> list[str]:
    """Return the keys that may stand where an unknown one stood."""
    model: Any = Plan
    for part in path[:-1]:
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            break
        field = model.model_fields.get(part)
        model = _model_of(field.annotation) if field is not None else model
    if isinstance(model, type) and issubclass(model, BaseModel):
        return list(model.model_fields)
    return []


def _model_of(annotation: Any) -> Any:
    """Find the model inside ``dict[str, Model]``, ``Model | None`` or ``list[Model]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and not issubclass(annotation, Enum):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_of(inner)
        if found is not None:
            return found
    return None


if __name__ == "__main__":
    Path(__file__).with_name("plan.schema.json").write_text(json_schema(), encoding="utf-8")
