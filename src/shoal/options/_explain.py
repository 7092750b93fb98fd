"""What is wrong with options, in one sentence and in the words of the field instead of the library that checks them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from shoal.errors import counted, nearest

UNDECIDED = "?"
"""What ``shoal init`` writes where only a person can know the role."""


def explain(error: ValidationError, fields: Mapping[str, FieldInfo]) -> str:
    """Turn pydantic's report on a model with these fields into one sentence: the field, the rule and a hint."""
    problems = [_explain_one(problem, fields) for problem in _deepest(error.errors())]
    # A wrong key and the field it leaves missing are one mistake: show the misspelt key first.
    problems.sort(key=lambda sentence: "unknown key" not in sentence)
    return "; and ".join(problems[:3]) + (f"; and {len(problems) - 3} more" if len(problems) > 3 else "")


def explain_value(error: ValidationError) -> str:
    """Turn pydantic's report on one value of the command line into what the value must be, without its name."""
    problem = error.errors()[0]
    if problem["type"] == "value_error":
        return str(problem["ctx"]["error"])
    wanted = _wanted(problem)
    return f"must be {wanted}, not {problem['input']!r}" if wanted else _uncapitalized(problem["msg"])


def wrong_field(error: ValidationError) -> str:
    """Return the path of the first field that is wrong by itself, not only beside others; empty where there is none."""
    for problem in _deepest(error.errors()):
        context = problem.get("ctx", {})
        match problem["type"]:
            case "missing":
                continue
            case "value_error":
                if field := getattr(context["error"], "field", ""):
                    return str(field)
            case _:
                return ".".join((*_path(problem), *context.get("inside", ())))
    return ""


_ALTERNATIVE = re.compile(r"constrained-\w+|(dict|tuple|list)\[.*\]")
"""What pydantic adds to the place of a problem to say which of several types it tried."""

_PLAIN = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false", "datetime": "a date"}
"""The same for plain types, with their words. A column may have such a name, but then more follows it."""


def _deepest(problems: Iterable[Any]) -> list[Any]:
    """Keep one problem of a value that fits none of several types: that of the type it comes nearest to."""
    problem_at: dict[object, Any] = {}
    for number, problem in enumerate(problems):
        place = problem["loc"]
        tried = next((i for i, part in enumerate(place) if _ALTERNATIVE.fullmatch(str(part))), None)
        if tried is not None:
            value, deeper = place[:tried], place[:tried] + place[tried + 1 :]
            if value not in problem_at or len(deeper) > len(problem_at[value]["loc"]):
                problem_at[value] = {**problem, "loc": deeper}
        elif place and place[-1] in _PLAIN and problem["type"].partition("_")[0] in _PLAIN_PROBLEMS:
            value, word = place[:-1], _PLAIN[place[-1]]
            merged = problem_at.setdefault(value, {**problem, "loc": value, "type": "misfit", "ctx": {"wanted": ""}})
            if merged["type"] == "misfit":
                before = merged["ctx"]["wanted"]
                merged["ctx"] = {"wanted": f"{before} or {word}" if before else word}
        else:
            problem_at[number] = problem
    return list(problem_at.values())


_PLAIN_PROBLEMS = ("string", "int", "float", "bool", "datetime", "finite")

_BOUNDS = {
    "greater_than_equal": "at least {ge:.12g}",
    "greater_than": "above {gt:.12g}",
    "less_than_equal": "at most {le:.12g}",
    "less_than": "below {lt:.12g}",
    "finite_number": "a finite number",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
}
"""What a value must be that is of the right type, by pydantic's name of the problem."""

_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "tuple": "a list",
    "list": "a list",
    "dict": "a table",
    "mapping": "a table",
    "model": "a table",
    "date": "a date",
    "datetime": "a date",
}
"""What a value must be, by how pydantic's name of the problem begins."""


def _explain_one(problem: Any, fields: Mapping[str, FieldInfo]) -> str:
    path = _path(problem)
    where = ".".join(path) or "plan"
    given, context = problem["input"], problem.get("ctx", {})
    match problem["type"]:
        case "extra_forbidden":
            return f"{where} is an unknown key{nearest(path[-1], _known_keys(path, fields))}"
        case "union_tag_not_found":
            return f"{where}.kind is required: position, column or buckets"
        case "union_tag_invalid":
            return f"{where}.kind must be position, column or buckets, not {context['tag']!r}"
        case "missing":
            return f"{where} is required"
        case "enum" | "literal_error":
            if path[-1] == "role" and given == UNDECIDED:
                return (
                    f"{where} is still undecided: choose identifier, quasi_identifier, confidential or other "
                    f"in place of {UNDECIDED!r}"
                )
            expected = context["expected"]
            words = [word.strip(" '") for word in expected.replace(" or ", ",").split(",")]
            hint = "" if str(given) in words else nearest(given, words)
            return f"{where} must be {expected}, not {given!r}{hint}"
        case "value_error":
            message = str(context["error"])
            return f"{where}: {message}" if path else message
        case "misfit":
            for part in context.get("inside", ()):
                path, given = [*path, part], given[int(part) if isinstance(given, list | tuple) else part]
            return f"{'.'.join(path)} must be {context['wanted']}{_not(given)}"
        case "too_short" | "too_long":
            return f"{where} must be {_wanted(problem)}, not of {context['actual_length']}"
    wanted = _wanted(problem)
    rule = f" must be {wanted}" if wanted else f": {_uncapitalized(problem['msg'])}"
    return f"{where}{rule}{_not(given)}"


def _wanted(problem: Any) -> str | None:
    """Return what a value must be, None where pydantic's own words say it."""
    bound = _BOUNDS.get(problem["type"])
    return bound.format(**problem.get("ctx", {})) if bound else _TYPES.get(problem["type"].partition("_")[0])


def _uncapitalized(sentence: str) -> str:
    return f"{sentence[0].lower()}{sentence[1:]}"


def _path(problem: Any) -> list[str]:
    """Return the keys that lead to a problem."""
    path = [str(part) for part in problem["loc"]]
    if path[:1] == ["steer"] and len(path) > 3:
        del path[2]  # the kind of the table, which is not a key
    if path[:1] == ["blocks"] and len(path) > 1:
        del path[1]  # whether they are named or made
    return path


def _not(given: Any) -> str:
    """Say what was given instead, where that is short, and what quotation marks do."""
    if isinstance(given, str):
        return f", not {given!r}{_unquoted(given)}"
    if isinstance(given, bool):
        return f", not {str(given).lower()}"
    if isinstance(given, int | float):
        return f", not {given!r}"
    if isinstance(given, Mapping):
        return ", not a table"
    return f", not a list of {counted(len(given), 'value')}" if isinstance(given, list | tuple) else ""


def _unquoted(text: str) -> str:
    try:
        float(text)
    except ValueError:
        return ": write it without quotation marks" if text in ("true", "false") else ""
    return ": write it without quotation marks"


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
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_of, getattr(annotation, "__args__", ()))), None)
