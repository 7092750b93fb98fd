"""Options: choices that belong together as one checked model, and what is wrong with them in one sentence.

Every room declares its own, and the plan is made of them. A description stands beside each field: the plan's schema,
the help of the command line and the tables in the docs are made from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from shoal.errors import PlanError, nearest

UNDECIDED = "?"
"""What ``shoal init`` writes where only a person can know the role."""

_LARGEST_WHOLE = 2**63 - 1

__all__ = ["UNDECIDED", "Options", "checked", "explain", "refuse_huge_numbers"]

Model = TypeVar("Model", bound=BaseModel)


class Options(BaseModel):
    """Choices that belong together: frozen, without keys that mean nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def checked(model: type[Model], **values: Any) -> Model:
    """Return options made from values, or refuse them in one sentence.

    Examples
    --------
    >>> from pydantic import Field
    >>> class Growth(Options):
    ...     gain: float = Field(0.2, ge=0)
    >>> checked(Growth, gain=-1)
    Traceback (most recent call last):
    ...
    shoal.errors.PlanError: gain: input should be greater than or equal to 0, not -1
    """
    refuse_huge_numbers(values)
    try:
        return model(**values)
    except ValidationError as error:
        raise PlanError(explain(error, model.model_fields)) from None


def refuse_huge_numbers(values: Mapping[str, Any]) -> None:
    """Refuse whole numbers beyond 64 bits, wherever they stand among nested values: neither TOML nor kernels have any.

    Examples
    --------
    >>> refuse_huge_numbers({"stream": {"sweeps": 2**63}})
    Traceback (most recent call last):
    ...
    shoal.errors.PlanError: stream.sweeps: a whole number must lie within ±(2^63 - 1), which 64 bits hold
    """
    waiting: list[tuple[str, Any]] = [(str(name), value) for name, value in values.items()]
    while waiting:  # not by recursion: how deep values are nested is not known yet
        path, value = waiting.pop()
        if isinstance(value, int) and abs(value) > _LARGEST_WHOLE:
            raise PlanError(f"{path}: a whole number must lie within ±(2^63 - 1), which 64 bits hold")
        if isinstance(value, Mapping):
            waiting += [(f"{path}.{name}", inner) for name, inner in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(path, inner) for inner in value]


def explain(error: ValidationError, fields: Mapping[str, FieldInfo]) -> str:
    """Turn pydantic's report on a model with these fields into one sentence: the field, the rule and a hint."""
    problems = [_explain_one(problem, fields) for problem in _deepest(error.errors())]
    # A wrong key and the field it leaves missing are one mistake: show the misspelt key first.
    problems.sort(key=lambda sentence: "unknown key" not in sentence)
    return "; and ".join(problems[:3]) + (f"; and {len(problems) - 3} more" if len(problems) > 3 else "")


_ALTERNATIVE = re.compile(r"constrained-\w+|(dict|tuple|list)\[.*\]")
"""What pydantic adds to the place of a problem to say which of several types it tried."""


def _deepest(problems: Iterable[Any]) -> list[Any]:
    """Keep one problem of a value that fits none of several types: that of the type it comes nearest to."""
    kept: dict[object, Any] = {}
    for number, problem in enumerate(problems):
        place = problem["loc"]
        tried = next((i for i, part in enumerate(place) if _ALTERNATIVE.fullmatch(str(part))), None)
        if tried is None:
            kept[number] = problem
            continue
        value = place[:tried]
        found = {**problem, "loc": value + place[tried + 1 :]}
        if value not in kept or len(found["loc"]) > len(kept[value]["loc"]):
            kept[value] = found
    return list(kept.values())


def _explain_one(problem: Any, fields: Mapping[str, FieldInfo]) -> str:
    path = [str(part) for part in problem["loc"]]
    if path[:1] == ["steer"] and len(path) > 3:
        del path[2]  # the kind of the table, which is not a key
    if path[:1] == ["blocks"] and len(path) > 1:
        del path[1]  # whether they are named or made
    where = ".".join(path) or "plan"
    match problem["type"]:
        case "extra_forbidden":
            return f"{where} is an unknown key{nearest(path[-1], _known_keys(path, fields))}"
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


def _known_keys(path: list[str], fields: Mapping[str, FieldInfo]) -> list[str]:
    """Return the keys that may stand where an unknown one stood."""
    for part in path[:-1]:
        if part in fields:
            model = _model_of(fields[part].annotation)
            if model is None:
                return []
            fields = model.model_fields
    return list(fields)


def _model_of(annotation: Any) -> Any:
    """Find the model inside ``dict[str, Model]``, ``Model | None`` or ``list[Model]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and not issubclass(annotation, Enum):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_of(inner)
        if found is not None:
            return found
    return None
