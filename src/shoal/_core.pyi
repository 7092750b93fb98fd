"""Signatures of the compiled kernels. Arrays are column-major; progress is called with (done, total)."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Progress: TypeAlias = Callable[[int, int], object]

class Records:
    def __init__(
        self,
        coords: NDArray[np.float64],
        ranks: NDArray[np.int32],
        rank_steps: NDArray[np.float64],
        rank_levels: NDArray[np.int32],
        rank_convex: NDArray[np.bool_],
        codes: NDArray[np.int32],
        code_weights: NDArray[np.float64],
        code_levels: NDArray[np.int32],
        subjects: NDArray[np.int32],
    ) -> None: ...
    def __len__(self) -> int: ...

class KdTree:
    def __init__(self, records: Records, rows: NDArray[np.int32]) -> None: ...
    def __len__(self) -> int: ...
    def nearest(self, row: int, count: int) -> NDArray[np.int32]: ...
    def nearest_subjects(self, row: int, count: int) -> NDArray[np.int32]: ...
    def nearest_ties(self, records: Records, row: int) -> tuple[float, int]: ...
    def farthest(self, row: int) -> int: ...
    def far_visits(self, row: int) -> int: ...
    def remove(self, rows: NDArray[np.int32]) -> None: ...
    def insert(self, row: int) -> None: ...

def split_classes(labels: NDArray[np.int64], column: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.int64]: ...
def instruction_sets() -> list[str]: ...
def use_instruction_set(name: str) -> None: ...
def exact_sum(added: NDArray[np.float64], removed: NDArray[np.float64]) -> float: ...
def int128(a: tuple[int, int], b: tuple[int, int]) -> dict[str, Any]: ...  # high and low halves
def match_buckets(
    records: Records, rows: NDArray[np.int32], count: int, progress: Progress | None
) -> NDArray[np.int64]: ...
def join_nearest(records: Records, labels: NDArray[np.int64], count: int) -> NDArray[np.int64]: ...
def mdav(records: Records, k: int, engine: str, progress: Progress | None) -> NDArray[np.int64]: ...
def vmdav(records: Records, k: int, gain: float, engine: str, progress: Progress | None) -> NDArray[np.int64]: ...
def mic1d(
    values: NDArray[np.float64], k: int, optimal: bool, subjects: NDArray[np.int32], progress: Progress | None
) -> NDArray[np.float64]: ...
def mondrian(records: Records, k: int, progress: Progress | None) -> NDArray[np.int64]: ...
def projected(
    points: NDArray[np.float64],
    line: NDArray[np.float64],
    k: int,
    subjects: NDArray[np.int32],
    progress: Progress | None,
) -> NDArray[np.int64]: ...
def univariate(
    values: NDArray[np.float64],
    k: int,
    subjects: NDArray[np.int32],
    search: str = "auto",
    progress: Progress | None = None,
) -> NDArray[np.int64]: ...

class Attribute:
    def __init__(
        self,
        codes: NDArray[np.int32],
        counts: NDArray[np.int64],
        parents: NDArray[np.int32],
        climbs: NDArray[np.int32],
        scale: int,
    ) -> None: ...
    def distances(self, labels: NDArray[np.int64], count: int) -> NDArray[np.float64]: ...

class Constraint:
    def judge(self, labels: NDArray[np.int64], count: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]: ...
    def meets(
        self, codes: NDArray[np.int32], without: NDArray[np.int32], with_: NDArray[np.int32]
    ) -> NDArray[np.uint8]: ...

class Closeness(Constraint):
    def __init__(self, attribute: Attribute, numerator: int, denominator: int) -> None: ...

class Distinct(Constraint):
    def __init__(self, attribute: Attribute, least: int) -> None: ...

class Entropy(Constraint):
    def __init__(self, attribute: Attribute, least: float) -> None: ...

class Recursive(Constraint):
    def __init__(self, attribute: Attribute, numerator: int, denominator: int, least: int) -> None: ...

class Dominance(Constraint):
    def __init__(
        self,
        attribute: Attribute,
        weights: NDArray[np.float64],
        contributors: NDArray[np.int32],
        share: float,
    ) -> None: ...

def merge(
    records: Records,
    labels: NDArray[np.int64],
    count: int,
    constraints: list[Constraint],
    progress: Progress | None,
) -> NDArray[np.int64]: ...
def group_losses(records: Records, labels: NDArray[np.int64], count: int) -> NDArray[np.float64]: ...
def better_of(
    records: Records, first: NDArray[np.int64], second: NDArray[np.int64]
) -> tuple[NDArray[np.int64], float, float]: ...  # loss of the first, of the better
def near_rows(records: Records, length: int, reach: float) -> NDArray[np.int32]: ...  # line by line
def outside_in(records: Records, k: int, length: int, reach: float) -> NDArray[np.int64]: ...
def refine(
    records: Records,
    labels: NDArray[np.int64],
    count: int,
    k: int,
    rules: list[Constraint],
    neighbours: int,
    reach: float,
    capacity: int,
    sweeps: int,
    thorough: bool,
    polishings: int,
    region: int,
    heat: float,
    seed: int,
    seconds: float,
    progress: Progress | None,
) -> tuple[NDArray[np.int64], float, float, bool, bool]: ...  # loss before, after; ended by the clock; by Ctrl-C

class MoveCosts:
    def __init__(self, records: Records, labels: NDArray[np.int64], count: int) -> None: ...
    def joining(self, row: int, group: int) -> float: ...
    def leaving(self, row: int) -> float: ...
    def exchanging(self, row: int, group: int) -> NDArray[np.float64]: ...
    def members(self, group: int) -> NDArray[np.int32]: ...
    def spread(self, group: int) -> float: ...
    def cost(self, group: int) -> float: ...

def shifted_neighbours(
    records: Records, size: int, shifts: NDArray[np.float64], count: int, progress: Progress | None
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...  # count rows of each record and their pairs, nearest first

class Pricing:
    def __init__(self, records: Records, size: int, nearest: NDArray[np.float64]) -> None: ...
    def price(
        self,
        prices: NDArray[np.float64],
        threshold: float,
        keep: int,
        width: int,
        nodes: int,
        progress: Progress | None,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]: ...  # sets, costs, least of each anchor

def raise_prices(
    sets: NDArray[np.int32],
    costs: NDArray[np.float64],
    scales: NDArray[np.float64],
    caps: NDArray[np.float64],
    prices: NDArray[np.float64],
    smoothing: float,
    sweeps: int,
    progress: Progress | None,
) -> NDArray[np.float64]: ...

class TextColumn:
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class CsvFault(enum.IntEnum):
    none = 0
    ragged = 1
    unclosed_quote = 2
    text_after_quote = 3
    huge_cell = 4

class CsvCut(TypedDict):
    fault: CsvFault
    fault_line: int
    fault_width: int
    width: int
    header_end: int  # where the line end of the header stands
    columns: list[TextColumn]  # the header is the first cell of each
    shift_records: NDArray[np.int64]
    shifts: NDArray[np.int64]

def cut_csv(text: bytes, delimiter: str) -> CsvCut: ...
def k_first(records: Records, k: int, constraints: list[Closeness], progress: Progress | None) -> NDArray[np.int64]: ...
def t_first(
    records: Records, subset_of: NDArray[np.int32], subset_count: int, k: int, progress: Progress | None
) -> NDArray[np.int64]: ...
def link(
    originals: Records,
    copies: NDArray[np.int64],
    released: Records,
    original_of: NDArray[np.int64],
    released_of: NDArray[np.int64],
    progress: Progress | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

class Operator(enum.IntEnum):
    mean = 0
    median = 1
    convex_median = 2
    mode = 3
    draw = 4

class Drop(enum.IntEnum):
    too_few_subjects = 0
    not_close = 1

class StreamSettings:  # the fields and what they mean: _core/stream/settings.hpp
    def __init__(self, **fields: Any) -> None: ...

class StreamEngine:
    def __init__(self, settings: StreamSettings) -> None: ...
    def push(
        self, cells: Sequence[float], subject: int, confidential: Sequence[float]
    ) -> tuple[NDArray[Any], ...] | None: ...
    def push_many(
        self, cells: NDArray[np.float64], subjects: NDArray[np.int64], confidential: NDArray[np.float64]
    ) -> tuple[NDArray[Any], ...] | None: ...
    def expire(self) -> tuple[NDArray[Any], ...] | None: ...
    def flush(self) -> tuple[NDArray[Any], ...] | None: ...
    def save(self) -> bytes: ...
    def load(self, state: bytes) -> None: ...
    @property
    def oldest(self) -> int: ...
    def waiting(self) -> NDArray[np.int64]: ...
    def waiting_cells(self) -> NDArray[np.float64]: ...
    def tally(self) -> dict[str, Any]: ...

def choose_tied(
    starts: NDArray[np.int64], categories: NDArray[np.int32], sizes: NDArray[np.int64], wanted: NDArray[np.float64]
) -> NDArray[np.int64]: ...
def text_code(text: str) -> int: ...
def text_codes(texts: list[str | None]) -> NDArray[np.int64]: ...
def judge_neighbours(
    records: Records, labels: NDArray[np.int64], count: int, n: int, constraints: list[Closeness]
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]: ...
def merge_neighbours(
    records: Records,
    labels: NDArray[np.int64],
    count: int,
    n: int,
    constraints: list[Closeness],
    progress: Progress | None,
) -> NDArray[np.int64]: ...
