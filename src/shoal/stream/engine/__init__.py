"""The engine of a stream: records, frames or arrays in, groups of k out within a bounded delay.

It is a shell over the rooms that tables use. From them come the kinds of attributes, which read records as they read
columns (`shoal.kinds`: what is missing, the order of categories, dates as numbers, precisions), the guarantees a plan
may ask for (`shoal.protect`) and the exact threshold of closeness (`shoal.exact`, and the integers of the kernels). A
released group has the values that `shoal.aggregate.mask` gives its members.

Where a stream differs, it must:

- **Running bounds instead of a fitted scaling.** An `Encoder` learns mean, deviation and range from the whole table,
  which a stream never has. Values are compared on [0, 1] by given bounds, or by the least and greatest seen so far;
  scales move, so the buffer keeps raw values and scales them when it compares. ``scale`` is refused for this reason.
- **Codes of texts instead of places among the categories**, and an order that must be declared: the categories are not
  known before they come. So a tie between most frequent categories is a fair draw, by the secret that orders who
  leaves, where a table takes the one that is farthest behind its share.
- **Averages inside the kernel.** Groups are formed one at a time, a few thousand times a second and more; crossing to
  Python for each would cost more than the group. The tests compare them with `shoal.aggregate`.
- **Rounding to the group's own precision**, not the column's, which is not known before the end.
- **Dates in microseconds since 1970**, where a table counts from its earliest date in the coarsest unit: earlier and
  finer ones may come later. A mean exactly between two dates goes to the even one by that count.
- **The distribution so far in bounded memory** instead of the table's: closeness is kept against what came before, up
  to 1,024 distinct values exactly, and a missing confidential value has no place in it.
- **Missing cells stand at the running mean, median or mode** of the stream so far.
- **k counts subjects** where the plan names a column of them: in a stream the same person comes back.
"""

from shoal.stream.engine.settings import (
    ClosenessSetting,
    ContinuousSetting,
    NominalSetting,
    OrdinalSetting,
    StreamSettings,
)
from shoal.stream.engine.stream_anonymizer import StreamAnonymizer
from shoal.stream.engine.stream_engine import REASONS, Released, StreamEngine
from shoal.stream.engine.stream_statistics import StreamStats

__all__ = [
    "REASONS",
    "ClosenessSetting",
    "ContinuousSetting",
    "NominalSetting",
    "OrdinalSetting",
    "Released",
    "StreamAnonymizer",
    "StreamEngine",
    "StreamSettings",
    "StreamStats",
]
