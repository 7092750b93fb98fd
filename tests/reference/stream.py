"""Stream microaggregation as it is written: the whole buffer is looked at again for every group."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.average import convex, median
from reference.leaving_order import SlowOrder
from shoal.exact import exact
from shoal.stream.engine import StreamSettings

POOL = 4
BINS = 1024
CLASSES = 256
MEMBERS = 1024


class SlowTuple:
    """One tuple: the cells as they came, and as they are compared."""

    def __init__(self, position: int, cells: Sequence[float], subject: int, confidential: Sequence[float]) -> None:
        self.position = position
        self.cells = list(cells)
        self.values = list(cells)
        self.subject = subject
        self.confidential = list(confidential)


class SlowStream:
    """The twin of the engine. Every released group is a dict, every dropped tuple a (position, reason)."""

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings
        self.buffer: list[SlowTuple] = []  # oldest first
        self.arrived = 0
        self.groups = 0
        self.seen: list[list[float]] = [[] for _ in range(settings.width)]
        self.distributions = [(SlowCategories if hidden.nominal else SlowBins)() for hidden in settings.confidential]
        self.scales: list[float] = []
        self.classes: list[dict[str, Any]] = []
        self.released: list[dict[str, Any]] = []
        self.dropped: list[tuple[int, str]] = []
        self.order = SlowOrder(settings.seed)

    # Arrival ---------------------------------------------------------------------------------------------------

    def push(self, cells: Sequence[float], subject: int = 0, confidential: Sequence[float] = ()) -> None:
        new = SlowTuple(self.arrived, cells, subject if self.settings.subjects else self.arrived, confidential)
        self.arrived += 1
        self.order.arrive(
            [*map(float, cells), *map(float, confidential), *([int(subject)] if self.settings.subjects else [])]
        )
        self._place(new)
        self._set_scales()
        for distribution, value in zip(self.distributions, confidential, strict=True):
            distribution.add(value)
        self.buffer.append(new)
        if self.buffer[0].position == new.position - self.settings.max_delay:
            self._settle(self.buffer[0], ending=False)

    def flush(self) -> None:
        while self.buffer:
            self._settle(self.buffer[0], ending=True)

    def _place(self, new: SlowTuple) -> None:
        """Stand in for missing cells, clip at given bounds, remember what was seen."""
        coords, ranks = len(self.settings.coords), len(self.settings.ranks)
        for j, cell in enumerate(new.cells):
            seen = self.seen[j]
            if math.isnan(cell):
                if j < coords:
                    total = 0.0
                    for value in seen:
                        total += value
                    new.values[j] = total / len(seen) if seen else 0.0
                elif j < coords + ranks:
                    new.values[j] = sorted(seen)[(len(seen) - 1) // 2] if seen else 0.0
                else:
                    new.values[j] = Counter(seen).most_common(1)[0][0] if seen else 0.0
            else:
                seen.append(cell)
            if j < coords:
                low, high = self._bounds(j)
                if low <= high:
                    new.values[j] = min(max(new.values[j], low), high)

    def _bounds(self, j: int) -> tuple[float, float]:
        given = self.settings.coords[j].bounds
        if given is not None:
            return given
        return (min(self.seen[j]), max(self.seen[j])) if self.seen[j] else (math.inf, -math.inf)

    def _set_scales(self) -> None:
        self.scales = []
        for j, axis in enumerate(self.settings.coords):
            low, high = self._bounds(j)
            self.scales.append(math.sqrt(axis.weight) * (1.0 / (high - low) if high - low > 1e-300 else 0.0))
        self.scales += [math.sqrt(axis.weight) / axis.levels for axis in self.settings.ranks]

    # Distances -------------------------------------------------------------------------------------------------

    def _distance(
        self, one: SlowTuple, group: Sequence[SlowTuple], *, position: bool = True, exact: bool = False
    ) -> float:
        """Mean squared distance from a tuple to a group, up to a constant of the group."""
        settings, scales = self.settings, self.scales
        coords, arithmetic = len(settings.coords), len(settings.coords) + len(settings.ranks)
        size = len(group)

        def mean(values: list[float]) -> float:
            if exact:
                return math.fsum(values) / size
            total = 0.0
            for value in values:
                total += value
            return total / size

        terms = []
        for j in range(arithmetic):
            if j == coords and position:
                terms.append(self._position_term(one, mean([float(member.position) for member in group])))
            difference = (one.values[j] - mean([member.values[j] for member in group])) * scales[j]
            terms.append(difference * difference)
        if coords == arithmetic and position:
            terms.append(self._position_term(one, mean([float(member.position) for member in group])))
        for j, axis in enumerate(settings.codes, start=arithmetic):
            same = sum(member.values[j] == one.values[j] for member in group)
            terms.append(axis.weight * (size - same) / size)
        total = 0.0
        for term in terms:
            total += term
        return total

    def _position_term(self, one: SlowTuple, mean: float) -> float:
        difference = (one.position - mean) * self.settings.position_weight
        return difference * difference

    # Groups ----------------------------------------------------------------------------------------------------

    def _settle(self, seed: SlowTuple, *, ending: bool) -> None:
        group = self._form(seed)
        if group is None:
            self._drop(seed, "too_few_subjects")
        elif not self._make_close(group, seed):
            if self.settings.on_unclose != "merge" or not self._join(seed):
                self._drop(seed, "not_close")
        else:
            rest = {other.subject for other in self.buffer if other not in group}
            everybody = [other.confidential for other in self.buffer]
            if ending and 0 < len(rest) < self.settings.k and self._is_close(everybody):
                group = list(self.buffer)
            self._release(group)

    def _form(self, seed: SlowTuple) -> list[SlowTuple] | None:
        k = self.settings.k
        if len({member.subject for member in self.buffer}) < k:
            return None
        by_distance = sorted(
            (other for other in self.buffer if other is not seed),
            key=lambda other: (self._distance(other, [seed]), other.position),
        )
        group = [seed]
        for other in by_distance:
            if len({member.subject for member in group}) == k:
                break
            group.append(other)
        wanted = POOL * (k - 1)
        while wanted < len(group) - 1:
            wanted *= 2
        return self._improve(group, by_distance[:wanted])

    def _improve(self, group: list[SlowTuple], pool: list[SlowTuple]) -> list[SlowTuple]:
        """Greedy swaps that lower the group's SSE and never leave the more remote tuple behind."""

        def in_order(members: list[SlowTuple]) -> list[SlowTuple]:
            return sorted(members, key=lambda member: member.position)

        remoteness = {
            other.position: self._distance(other, self.buffer, position=False, exact=True) for other in group + pool
        }
        group = in_order(group)
        for _ in range(self.settings.sweeps):
            changed = False
            for leaving in reversed(group[1:]):
                others = [member for member in group if member is not leaving]
                best, least = leaving, self._distance(leaving, others)
                for candidate in in_order(pool):
                    if candidate in group or remoteness[candidate.position] < remoteness[leaving.position]:
                        continue
                    if len({member.subject for member in [*others, candidate]}) < self.settings.k:
                        continue
                    distance = self._distance(candidate, others)
                    if distance < least:
                        best, least = candidate, distance
                if best is not leaving:
                    group = in_order([*others, best])
                    changed = True
            if not changed:
                break
        return group

    # Closeness -------------------------------------------------------------------------------------------------

    def _is_close(self, values: Sequence[Sequence[float]]) -> bool:
        """Within t on every attribute, in fractions."""
        return all(
            self.distributions[c].distance([row[c] for row in values]) <= exact(hidden.t)
            for c, hidden in enumerate(self.settings.confidential)
        )

    def _excess(self, group: Sequence[SlowTuple]) -> float:
        """How far above t, on the worst attribute: a double, by which groups are compared with each other."""
        return max(
            self.distributions[c].rounded([member.confidential[c] for member in group]) - float(exact(hidden.t))
            for c, hidden in enumerate(self.settings.confidential)
        )

    def _make_close(self, group: list[SlowTuple], seed: SlowTuple) -> bool:
        if self._is_close([member.confidential for member in group]):
            return True
        excess = self._excess(group)
        by_distance = sorted(self.buffer, key=lambda other: (self._distance(other, [seed]), other.position))
        while not self._is_close([member.confidential for member in group]):
            for candidate in by_distance:
                if candidate in group:
                    continue
                now = self._excess([*group, candidate])
                if now < excess:
                    group.append(candidate)
                    excess = now
                    break
            else:
                return False
        group.sort(key=lambda member: member.position)
        return True

    def _join(self, seed: SlowTuple) -> bool:
        fitting = [
            (self._distance(seed, [earlier["average"]]), earlier["number"], earlier)
            for earlier in self.classes
            if len(earlier["confidential"]) < MEMBERS and self._is_close([*earlier["confidential"], seed.confidential])
        ]
        if not fitting:
            return False
        earlier = min(fitting, key=lambda entry: entry[:2])[2]
        earlier["confidential"].append(seed.confidential)
        self.released.append(
            {"positions": [seed.position], "class": earlier["number"], "at": self.arrived - 1, **earlier["values"]}
        )
        self.buffer.remove(seed)
        return True

    # Release ---------------------------------------------------------------------------------------------------

    def _drop(self, seed: SlowTuple, reason: str) -> None:
        self.dropped.append((seed.position, reason))
        self.buffer.remove(seed)

    def _release(self, group: list[SlowTuple]) -> None:
        values = self._group_value(group)
        self.released.append(
            {
                "positions": sorted((member.position for member in group), key=self.order.key),
                "class": self.groups,
                "at": self.arrived - 1,
                **values,
            }
        )
        if self.settings.on_unclose == "merge":
            self._remember(group, values)
        self.groups += 1
        for member in group:
            self.buffer.remove(member)

    def _group_value(self, group: list[SlowTuple]) -> dict[str, Any]:
        settings = self.settings
        coords, ranks, modes = [], [], []
        for j, axis in enumerate(settings.coords):
            observed = [member.cells[j] for member in group if not math.isnan(member.cells[j])]
            if not observed:
                coords.append(math.nan)
            elif axis.operator == "mean":
                coords.append(math.fsum(observed) / len(observed))
            else:
                coords.append(sorted(observed)[(len(observed) - 1) // 2])
        for j, ordinal in enumerate(settings.ranks, start=len(coords)):
            observed_ranks = [int(member.cells[j]) for member in group if not math.isnan(member.cells[j])]
            counts = np.bincount(observed_ranks, minlength=ordinal.levels) if observed_ranks else None
            if counts is None:
                ranks.append(-1)
            elif ordinal.operator == "mode":
                ranks.append(int(counts.argmax()))
            else:
                ranks.append(median(convex(counts) if ordinal.operator == "convex_median" else counts))
        for j in range(len(coords) + len(ranks), settings.width):
            codes = Counter(member.cells[j] for member in group if not math.isnan(member.cells[j]))
            if not codes:
                modes.append(group[0].position)
                continue
            most = max(codes.values())
            modes.append(next(member.position for member in group if codes.get(member.cells[j]) == most))
        return {"coords": coords, "ranks": ranks, "modes": modes}

    def _remember(self, group: list[SlowTuple], values: dict[str, Any]) -> None:
        average = SlowTuple(0, group[0].values, 0, ())
        total = 0.0
        for member in group:
            total += member.position
        average.position = total / len(group)  # type: ignore[assignment]
        by_position = {member.position: member for member in group}
        for j, value in enumerate(values["coords"]):
            if not math.isnan(value):
                average.values[j] = value
        for j, value in enumerate(values["ranks"], start=len(values["coords"])):
            if value >= 0:
                average.values[j] = float(value)
        for j, position in enumerate(values["modes"], start=len(values["coords"]) + len(values["ranks"])):
            if not math.isnan(by_position[position].cells[j]):
                average.values[j] = by_position[position].cells[j]
        self.classes.append(
            {
                "number": self.groups,
                "average": average,
                "values": values,
                "confidential": [member.confidential for member in group],
            }
        )
        del self.classes[:-CLASSES]


class SlowBins:
    """The running distribution of an ordered attribute."""

    def __init__(self) -> None:
        self.bins: list[tuple[float, float, int]] = []  # low, high, count

    def add(self, value: float) -> None:
        for i, (low, high, count) in enumerate(self.bins):
            if low <= value <= high:
                self.bins[i] = (low, high, count + 1)
                return
        self.bins.append((value, value, 1))
        self.bins.sort()
        if len(self.bins) > BINS:
            pairs = [self.bins[i][2] + self.bins[i + 1][2] for i in range(len(self.bins) - 1)]
            least = pairs.index(min(pairs))
            self.bins[least : least + 2] = [(self.bins[least][0], self.bins[least + 1][1], pairs[least])]

    def _counts(self, values: Sequence[float]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of the group and of the stream, at or below each bin."""
        lows, highs, counts = np.array(self.bins).T
        inside = ((np.array(values) >= lows[:, None]) & (np.array(values) <= highs[:, None])).sum(axis=1)
        return np.cumsum(inside), np.cumsum(counts.astype(np.int64))

    def distance(self, values: Sequence[float]) -> Fraction:
        if len(self.bins) < 2:
            return Fraction(0)
        inside, below = self._counts(values)
        gaps = np.abs(inside * below[-1] - below * len(values))  # whole numbers
        return Fraction(int(gaps.sum()), int(len(values) * below[-1] * (len(self.bins) - 1)))

    def rounded(self, values: Sequence[float]) -> float:
        if len(self.bins) < 2:
            return 0.0
        inside, below = self._counts(values)
        gaps = np.abs(inside / len(values) - below / below[-1])
        return float(np.cumsum(gaps)[-1]) / (len(self.bins) - 1)  # cumsum adds in order, sum does not


class SlowCategories:
    """The running distribution of a nominal attribute."""

    def __init__(self) -> None:
        self.codes: list[float] = []
        self.counts: list[int] = []

    def _bin(self, code: float) -> int:
        return self.codes.index(code) if code in self.codes else BINS - 1

    def add(self, code: float) -> None:
        if code not in self.codes and len(self.codes) < BINS:
            self.codes.append(code)
            self.counts.append(0)
        self.counts[self._bin(code)] += 1

    def _members(self, values: Sequence[float]) -> NDArray[np.int64]:
        return np.bincount([self._bin(value) for value in values], minlength=len(self.counts))

    def distance(self, values: Sequence[float]) -> Fraction:
        group, total = len(values), sum(self.counts)
        gaps = np.abs(self._members(values) * total - np.array(self.counts) * group)
        return Fraction(int(gaps.sum()), 2 * group * total)

    def rounded(self, values: Sequence[float]) -> float:
        if len(self.counts) < 2:
            return 0.0
        gaps = np.abs(self._members(values) / len(values) - np.array(self.counts) / sum(self.counts))
        return float(np.cumsum(gaps)[-1]) / 2
