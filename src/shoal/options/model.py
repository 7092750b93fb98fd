"""The model that options are made of, and values made into options or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from shoal.errors import PlanError
from shoal.options._explain import explain, wrong_field
from shoal.options.plain import plain
from shoal.options.plain_types import misfit

_LARGEST_WHOLE = 2**63 - 1

Model = TypeVar("Model", bound=BaseModel)


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
