"""The model that options are made of, and values made into options or refused."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from shoal.errors import PlanError
from shoal.options._explain import explain, wrong_field

_LARGEST_WHOLE = 2**63 - 1

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Key:
    """What a key of a plan says beside its rule, default and words: where it holds, and how it is used.

    It stands in the annotation, ``Annotated[type, Key(...)]``. Streams, Spark and tests ask here, and list nothing.
    """

    # ``"read"`` by streams; ``"passed over"``, in a plan for both; or ``"refused"``, since it would change nothing
    in_streams: Literal["read", "passed over", "refused"] = "refused"
    not_on_spark: str = ""  # why Spark does not keep it, after its name in a sentence; empty where it does
    # lines of a plan that use it, of people with a name, age, town, pay, illness and weight; empty where any value
    # of its type does, whatever else the plan says
    example: str = ""


def key_of(field: FieldInfo) -> Key:
    """Return what a field says of itself as a key of the plan."""
    return next((part for part in field.metadata if isinstance(part, Key)), Key())


class Options(BaseModel):
    """Choices that belong together: frozen, without keys that mean nothing, and nothing taken for what it is not.

    Text that reads as a number is text: ``t = "0.1"`` is refused as ``k = "5"`` is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _each_of_its_type(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        values = {name: plain(value) for name, value in values.items()}
        for name, value in values.items():
            wrong = misfit(cls.model_fields[name].annotation, value) if name in cls.model_fields else None
            if wrong is not None:
                place = (name, *wrong.inside)
                raise PydanticCustomError("misfit", "{wanted}", {"inside": place, "wanted": wrong.wanted})
        return values


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
    shoal.errors.PlanError: gain must be at least 0, not -1
    """
    refuse_huge_numbers(values)
    try:
        return model(**values)
    except ValidationError as error:
        raise PlanError(explain(error, model.model_fields), field=wrong_field(error)) from None


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
            raise PlanError(f"{path}: a whole number must lie within ±(2^63 - 1), which 64 bits hold", field=path)
        if isinstance(value, Mapping):
            waiting += [(f"{path}.{name}", inner) for name, inner in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(path, inner) for inner in value]


_DEEPEST = 200
"""What is nested deeper is left to those who refuse it."""


def plain(value: Any, *, depth: int = 0) -> Any:
    """Return a value with every number of NumPy in it as Python's, in lists and tables, too.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"k": np.int64(5), "try": [np.float32(0.1), np.bool_(True)]})
    {'k': 5, 'try': [0.1, True]}
    """
    if isinstance(value, np.floating):  # the decimals as they were written, also of narrower numbers
        return float(str(value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if depth >= _DEEPEST:
        return value
    if type(value) in (list, tuple):
        return type(value)(plain(inner, depth=depth + 1) for inner in value)
    if type(value) is dict:
        return {plain(key): plain(inner, depth=depth + 1) for key, inner in value.items()}
    return value


_NUMBERS = (int, float)


class Misfit(NamedTuple):
    """What a value must be, and where inside a list or table it stands."""

    wanted: str
    inside: tuple[str, ...] = ()


def misfit(annotation: Any, value: Any) -> Misfit | None:
    """Say what a value must be where it would be taken for something that it is not; None where it may be tried.

    pydantic reads ``"0.1"`` as a number, ``"yes"`` as true and true as 1. In a plan each would hide a mistake, and
    which of them is read would depend on the field.

    >>> misfit(float | None, "0.1").wanted, misfit(float, 0.1), misfit(dict[str, float], {"pay": True})
    ('a number', None, Misfit(wanted='a number', inside=('pay',)))
    """
    kinds = alternatives(annotation)
    plain = [kind for kind in kinds if isinstance(kind, type)]
    if _is_wrong(plain, value):
        return Misfit("a number" if float in plain else "a whole number" if int in plain else "true or false")
    for kind in kinds:
        inner = get_args(kind)
        if get_origin(kind) is dict and isinstance(value, Mapping):
            parts = [(str(name), inner[1], item) for name, item in value.items()]
        elif get_origin(kind) is tuple and isinstance(value, list | tuple):
            each = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
            parts = [(str(i), *pair) for i, pair in enumerate(zip(each, value, strict=False))]
        else:
            continue
        for name, part, item in parts:
            wrong = misfit(part, item)
            if wrong is not None:
                return Misfit(wrong.wanted, (name, *wrong.inside))
    return None


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """Return the types inside ``Annotated[...]``, ``X | Y`` and ``Literal[...]``.

    >>> alternatives(int | None), alternatives(Annotated[int, ["what cannot be hashed"]])
    ((<class 'int'>, <class 'NoneType'>), (<class 'int'>,))
    """
    try:
        return _alternatives(annotation)
    except TypeError:  # what stands beside a type in ``Annotated`` need not be hashable
        return _alternatives.__wrapped__(annotation)


@cache  # every command asks this of each key of a plan, and most keys share their types
def _alternatives(annotation: Any) -> tuple[Any, ...]:
    kinds: list[Any] = []
    waiting = [annotation]
    while waiting:
        part = waiting.pop()
        origin = get_origin(part)
        if origin is Annotated:
            waiting.append(part.__origin__)
        elif origin is Literal:
            kinds += map(type, get_args(part))
        elif origin in (Union, types.UnionType):
            waiting += reversed(get_args(part))
        else:
            kinds.append(part)
    return tuple(kinds)


def _is_wrong(kinds: Sequence[type], value: Any) -> bool:
    """Whether plain types take none of this kind of value, though one of them would make something of it."""
    if isinstance(value, bool):
        return any(kind in _NUMBERS for kind in kinds) and bool not in kinds
    if isinstance(value, int | float):
        return bool in kinds and not any(kind in _NUMBERS for kind in kinds)
    if isinstance(value, str):
        numbers = any(kind in (*_NUMBERS, bool) for kind in kinds)
        return numbers and not any(issubclass(kind, str | date | Enum) for kind in kinds)
    return False
