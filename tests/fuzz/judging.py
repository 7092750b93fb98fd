"""What judges of random inputs share: a run of the command line, and readers of files that use nothing of shoal."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from command import shoal
from shoal.errors import ShoalError

Record = Mapping[str, str]
REFUSED = (2, 3)
"""Exit codes of what is wrong with the input or plan, and of what cannot be promised."""
PATTERNS = ("*", "^age$", "^.*$", "^$", "^[$", "^(q0|cost)$")
"""Names of columns that polars takes for patterns."""


class Found(NamedTuple):
    """What came of a seed: what is wrong with it, if anything, and whether the input was taken or refused."""

    wrong: str
    taken: bool


def judged(seed: int, work: Callable[[], object]) -> Found:
    """Return what went wrong, if anything, and whether the work was done: else it is refused in one sentence."""
    try:
        work()
    except ShoalError as refused:
        return Found(f"seed {seed}: a message of several lines" if "\n" in str(refused) else "", taken=False)
    except BaseException as error:  # a panic of Rust is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return Found(f"seed {seed}: {type(error).__name__}: {str(error)[:200]}", taken=True)
    return Found("", taken=True)


def through_command_line(
    seed: int,
    inputs: Mapping[str, bytes],
    arguments: Sequence[str],
    judge: Callable[[Path], Iterable[str]],
    *,
    allowed: Sequence[str] = ("",),
    forbidden: Sequence[str] = (),
    about: str = "",
) -> Found:
    """Run a command on files in an empty folder; judge what it wrote, or that it refused as it should.

    Parameters
    ----------
    seed
        Named in what is found.
    inputs
        Files by name.
    arguments
        Of the command line.
    judge
        Says what is wrong with what was written.
    allowed
        Words of which a refusal has some.
    forbidden
        Words that must not be said.
    about
        Told with what is found.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in inputs.items():
            (folder / file).write_bytes(content)
        done = shoal(*arguments, cwd=folder)
        said = done.stderr.decode(errors="replace")
        left = {path.name for path in folder.iterdir()} - set(inputs)
        wrong = [
            *words_that_must_not_be(said, forbidden),
            *(f"left {file}" for file in left if file.endswith(".part")),
        ]
        if done.returncode == 0:
            wrong += judge(folder)
        elif done.returncode not in REFUSED:
            wrong.append(f"exit code {done.returncode}")
        elif left:
            wrong.append(f"refused, and left {sorted(left)}")
        elif not any(words in said for words in allowed):
            wrong.append("refused in other words than expected")
    taken = done.returncode == 0
    if not wrong:
        return Found("", taken)
    return Found(f"seed {seed}: {'; '.join(wrong[:5])}\n{said}\n{about}", taken)


def words_that_must_not_be(said: str, forbidden: Sequence[str] = ()) -> list[str]:
    """Return what a message says that none may: traces of crashes, and some words of its own."""
    words = ("Traceback", "mistake of shoal", "panicked", "Segmentation", "Warning:", *forbidden)
    return [f"said {word!r}" for word in words if word in said]


def contents(folder: Path) -> dict[str, bytes]:
    """Return what stands in a folder and below, links by what they lead to."""
    found: dict[str, bytes] = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            found[str(path.relative_to(folder))] = path.read_bytes() if path.exists() else b""
    return found


def classes(released: Sequence[Record], names: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Return the places of the records that agree in some columns, by what they agree in."""
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, record in enumerate(released):
        found[tuple(record[name] for name in names)].append(place)
    return found


def ordered_distance(group: Sequence[str], table: Sequence[str]) -> float:
    """Return the ordered earth mover's distance of numbers, over the distinct values of the table."""
    return _ordered([float(cell) for cell in group], [float(cell) for cell in table])


def _ordered(group: Sequence[float], table: Sequence[float]) -> float:
    whole, part = Counter(table), Counter(group)
    levels = sorted(whole)
    ahead = total = 0.0
    for level in levels[:-1]:
        ahead += part[level] / len(group) - whole[level] / len(table)
        total += abs(ahead)
    return total / max(len(levels) - 1, 1)


def equal_distance(group: Sequence[str], table: Sequence[str]) -> float:
    """Return half the sum of what the shares of categories differ by."""
    whole, part = Counter(table), Counter(group)
    return sum(abs(part[level] / len(group) - whole[level] / len(table)) for level in whole) / 2


def entropy(values: Sequence[str]) -> float:
    """Return the entropy of some values, in nats."""
    return -sum(count / len(values) * math.log(count / len(values)) for count in Counter(values).values())


def rows_by_place(pairs: Sequence[Sequence[str]], records: int) -> list[int] | None:
    """Return the original row of each released one by a row map, from 0; None where it is no permutation."""
    source = {int(out): int(into) for out, into in pairs}
    first = min(source, default=0)  # rows are counted from 0 or from 1
    if sorted(source.values()) != list(range(first, first + records)) or sorted(source) != sorted(source.values()):
        return None
    return [source[place + first] - first for place in range(records)]
