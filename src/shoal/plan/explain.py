"""What is wrong with a plan, in one sentence that names the field, the rule and a hint."""

from __future__ import annotations

import difflib
from enum import Enum
from typing import Any

from pydantic import BaseModel, ValidationError

from shoal.plan.attribute import UNDECIDED


def nearest(word: str, known: Any) -> str:
    """Return a hint that names the known word nearest to a misspelt one."""
    matches = difflib.get_close_matches(str(word), [str(name) for name in known], n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else ""


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Turn pydantic's report on a model into one sentence that names the field, the rule and a hint."""
    problems = [_explain_one(problem, model) for problem in error.errors()]
    # A wrong key and the field it leaves missing are one mistake: show the misspelt key first.
    problems.sort(key=lambda sentence: "unknown key" not in sentence)
    return "; and ".join(problems[:3]) + (f"; and {len(problems) - 3} more" if len(problems) > 3 else "")


def _explain_one(problem: Any, model: type[BaseModel]) -> str:
    path = [str(part) for part in problem["loc"]]
    if path[:1] == ["steer"] and len(path) > 3:
        del path[2]  # the kind of the table, which is not a key
    if path[:1] == ["blocks"] and len(path) > 1:
        del path[1]  # whether they are named or made
    where = ".".join(path) or "plan"
    match problem["type"]:
        case "extra_forbidden":
            return f"{where} is an unknown key{nearest(path[-1], _known_keys(path, model))}"
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


def _known_keys(path: list[str], model: type[BaseModel]) -> list[str]:
    """Return the keys that may stand where an unknown one stood."""
    found: Any = model
    for part in path[:-1]:
        if not (isinstance(found, type) and issubclass(found, BaseModel)):
            break
        field = found.model_fields.get(part)
        found = _model_of(field.annotation) if field is not None else found
    if isinstance(found, type) and issubclass(found, BaseModel):
        return list(found.model_fields)
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
