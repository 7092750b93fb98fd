"""Microaggregation as a transformer of scikit-learn, for pipelines, column transformers and cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.kinds import Kind
from shoal.plan import Plan
from shoal.run.model import Model
from shoal.run.pipeline import anonymize
from shoal.run.release import Guarantees

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise ImportError("shoal.sklearn needs scikit-learn: install the extra, pip install 'shoal[learn]'") from None

__all__ = ["Microaggregator"]

_PARAMETERS = ("method", "scale", "missing", "refine", "k", "seed")
_DECIDED = ("attributes", "order", "subject")


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace records by what stands for their group of at least k.

    Parameters
    ----------
    k
        Smallest group.
    method
        Partitioning method that forms groups of whole records: ``mdav``, ``vmdav``, ``cells``, ``projected``,
        ``univariate``.
    scale
        How continuous columns are made comparable: ``zscore``, ``minmax`` or ``none``.
    missing
        Missing cells: ``error`` or ``impute``.
    refine
        How much to try to lose less: ``none``, ``quick``, ``good`` or ``best``.
    seed
        Seed of everything random.
    kinds
        By column, its kind or the keys that a plan has for it, such as ``{"kind": "ordinal", "order": [...]}``; columns
        of an array are ``x0``, ``x1`` and so on. Left out, numbers and dates are compared as such, all else is nominal.
    options
        Further keys of the plan, such as ``{"round": True}``.

    Attributes
    ----------
    model_
        The model of the release of the fitted records (`shoal.Model`); it holds no records.
    labels_
        The group of each fitted record.
    guarantees_
        What holds of the released records.

    Notes
    -----
    Every column is a quasi-identifier: choose them by a ``ColumnTransformer``. ``fit_transform`` returns the release of
    the records it was given, where every record shares its values with at least k − 1 others, in the order they came.
    ``transform`` masks other records by the nearest of these groups (`shoal.Model.apply`). So
    ``fit(X).transform(X)`` may differ from ``fit_transform(X)``, as it does for scikit-learn's ``TargetEncoder``: a
    record's group is not always the nearest one. A frame comes back as the same kind of frame, an array as an array.

    Examples
    --------
    >>> import numpy as np
    >>> Microaggregator(k=2).fit_transform(np.array([[1.0], [2.0], [8.0], [9.0]])).ravel().tolist()
    [1.5, 1.5, 8.5, 8.5]
    """

    model_: Model
    labels_: NDArray[np.int64]
    guarantees_: Guarantees

    def __init__(
        self,
        k: int = 5,
        *,
        method: str = "mdav",
        scale: str = "zscore",
        missing: str = "error",
        refine: str = "none",
        seed: int = 0,
        kinds: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.k = k
        self.method = method
        self.scale = scale
        self.missing = missing
        self.refine = refine
        self.seed = seed
        self.kinds = kinds
        self.options = options

    def fit(self, X: Any, y: Any = None) -> Microaggregator:
        """Form the groups of some records.

        Parameters
        ----------
        X
            Records by attributes: an array, or a pandas, polars or pyarrow frame.
        y
            Not looked at.
        """
        self._release(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Form the groups of some records, and return these records masked: the release, which has k-anonymity."""
        return self._back(self._release(X), X)

    def transform(self, X: Any) -> Any:
        """Mask records by the nearest group whose values k of the fitted records share."""
        check_is_fitted(self)
        return self._back(self.model_.apply(self._frame(X, reset=False)).data, X)

    def _release(self, X: Any) -> Any:
        frame = self._frame(X, reset=True)
        release = anonymize(frame, self._plan(Table.of(frame)))
        self.model_, self.labels_, self.guarantees_ = release.model, release.labels, release.guarantees
        return release.data

    def _plan(self, table: Table) -> Plan:
        """Return the plan: every column a quasi-identifier, rows in their order."""
        given = _mapping("kinds", self.kinds)
        unknown = [name for name in given if name not in table.names]
        if unknown:
            raise PlanError(f"kinds names {unknown[0]!r}, which is no column of X")
        attributes = {}
        for name in table.names:
            keys = given.get(name, Kind.of_dtype(table.dtype(name)))
            keys = {"kind": keys} if isinstance(keys, str) else _mapping(f"kinds of {name!r}", keys)
            if "role" in keys:
                raise PlanError(f"every column of X is a quasi_identifier: leave role out of the kinds of {name!r}")
            attributes[name] = {"role": "quasi_identifier", **keys}
        choices = {name: getattr(self, name) for name in _PARAMETERS}
        return Plan(**choices, **self._options(), order="keep", subject="record", attributes=attributes)

    def _options(self) -> dict[str, Any]:
        """Return the further keys of the plan, which neither take back what was said nor drop records."""
        options = _mapping("options", self.options)
        for name in options:
            if name in _PARAMETERS:
                raise PlanError(f"options has {name}, which is a parameter of its own: set that")
            if name in _DECIDED:
                raise PlanError(f"options has {name}, which a transformer decides: leave it out")
        if "suppress" in options:
            raise PlanError("suppress drops records, and a transformer gives back as many as came: leave it out")
        return options

    def _frame(self, X: Any, *, reset: bool) -> Any:
        """Return the records as a frame, checked as scikit-learn checks them.

        Columns have the names that were fitted; without names of text they are ``x0``, ``x1`` and so on.
        """
        fewest = self.k if reset and isinstance(self.k, int | np.integer) else 1
        if not _is_frame(X):
            array = validate_data(
                self,
                _unnamed(X),
                reset=reset,
                dtype="numeric",
                ensure_all_finite="allow-nan" if self.missing == "impute" else True,
                ensure_min_samples=max(1, int(fewest)),
            )
            names = self._names(array.shape[1])
            return pl.DataFrame({name: np.ascontiguousarray(array[:, i], np.float64) for i, name in enumerate(names)})
        validate_data(self, X, reset=reset, skip_check_array=True)
        return _renamed(X, self._names(X.shape[1]))

    def _names(self, width: int) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", [f"x{i}" for i in range(width)])]

    def _back(self, masked: Any, X: Any) -> Any:
        """Return masked records as what came: an array, or a frame with its own names of columns."""
        if not _is_frame(X):
            return masked.to_numpy()
        return _renamed(masked, nw.from_native(X, eager_only=True).columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "impute"
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _mapping(name: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise PlanError(f"{name} must be a mapping from names, not a {type(given).__name__}")
    return dict(given)


def _unnamed(X: Any) -> Any:
    """Return what came, unless scikit-learn would refuse it in a message that has values of records."""
    if hasattr(X, "toarray"):  # sparse, of which it shows none
        return X
    try:
        array = np.asarray(X)
        if array.dtype == object:
            array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            "X must be numbers, records by attributes: give text, dates and categories in a frame"
        ) from None
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: X must be real numbers")
    if array.ndim < 2:
        raise DataError(
            "X must be records by attributes, of two dimensions. Reshape your data: X.reshape(-1, 1) for one "
            "attribute, X.reshape(1, -1) for one record"
        )
    return X


def _renamed(frame: Any, names: list[str]) -> Any:
    """Return a frame with other names of its columns."""
    opened: Any = nw.from_native(frame, eager_only=True)
    return opened.rename(dict(zip(opened.columns, names, strict=True))).to_native()


def _is_frame(X: Any) -> bool:
    return isinstance(nw.from_native(X, pass_through=True, eager_only=True), nw.DataFrame)
