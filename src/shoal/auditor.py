"""An auditor's own check of a release: this file alone, with nothing but Python's standard library.

    python auditor.py RELEASE.csv --plan PLAN.toml [--original ORIGINAL.csv] [--row-map ROWS.csv]

It reads the files as text and judges them as an outsider would. It shares no code with what made the release: no line
of it knows how groups are formed. What it does, from top to bottom: read the plan; read the cells; put records into
classes by the text of their quasi-identifiers; count the persons of each class through the original; compare the
confidential values of each class with those of the whole table, in exact fractions.

Exit code 0: everything that could be judged holds. 3: something does not. 2: the files do not go together.

What an outsider cannot see is said, and not judged: persons without the original, the groups of a permutation,
neighbourhoods of (n, t)-closeness, the people of a population, shares that single persons have of means.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import math
import sys
import tomllib
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

Rows = list[dict[str, str]]
Classes = list[list[int]]


class Finding(NamedTuple):
    """One promise: whether it holds (None: cannot be judged from outside), and what was found."""

    name: str
    holds: bool | None
    words: str


class Unreadable(ValueError):
    """The files do not go together, or are none that can be read as text."""


def audit(
    release: str,
    plan: str,
    original: str | None = None,
    row_map: str | None = None,
    *,
    encoding: str | None = None,
    missing: Sequence[str] = (),
) -> list[Finding]:
    """Judge a written release by its plan; with the original, persons too. These words stand for missing cells."""
    asked = tomllib.loads(Path(plan).read_text(encoding="utf-8"))
    gaps = {"missing_values": asked.get("missing_values", [])}
    columns: dict[str, dict[str, Any]] = {
        name: {**gaps, **column} for name, column in asked.get("attributes", {}).items()
    }
    for name, column in list(columns.items()):  # the line of a place is that of its latitude, for both columns
        if column.get("kind") == "place" and "longitude" in column:
            columns.setdefault(column["longitude"], {**column, "latitude": name})
    released = read_csv(release, encoding, missing)
    if not released:
        raise Unreadable("the release has no records")
    whole = None if original is None else read_csv(original, encoding, missing)
    came_from = None if whole is None else _matched(whole, len(released), row_map)
    masked = [name for name, column in columns.items() if column.get("role") == "quasi_identifier"]
    for name in masked:
        if name not in released[0]:
            raise Unreadable(f"the release does not have the quasi-identifier {name!r} of the plan")
    findings = [
        *_columns(released, columns, asked, came_from),
        *_kept(released, columns, asked, came_from),
        *_recoding(asked, columns, released, whole),
        *_totals(asked, columns, released),
    ]
    if asked.get("release") == "permute":
        return [*findings, Finding("probabilistic_k_anonymity", None, "the groups of a permutation leave no trace")]
    by = asked.get("by")
    classes = _classes(released, [*masked, *([by] if by else [])])
    findings += _anonymity(asked, classes, came_from, {name: columns[name] for name in masked}, released)
    findings += _risk(asked, classes, came_from)
    findings += _closeness(asked, columns, classes, released)
    findings += _diversity(asked, columns, classes, released)
    return findings


def read_csv(path: str, encoding: str | None = None, missing: Sequence[str] = ()) -> Rows:
    """Read a CSV file as text: the delimiter is the one that the header has most of."""
    data = Path(path).read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    wide = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ()
    for known in (encoding,) if encoding else (*wide, "utf-8-sig", "cp1252"):
        try:
            text = data.decode(known)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise Unreadable(f"{Path(path).name} is not text: an audit reads CSV files")
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t|", key=head.count)
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    try:
        names = next(lines)
        rows = [dict(zip(names, line, strict=True)) for line in lines if line]
    except (StopIteration, ValueError, csv.Error):
        raise Unreadable(f"{Path(path).name} is not a CSV file whose lines have as many cells as its header") from None
    if len(set(names)) < len(names):
        raise Unreadable(
            f"{Path(path).name} has two columns of one name: what the first of them holds would not be seen"
        )
    for row in rows if missing else ():
        row.update({name: "" for name, cell in row.items() if cell in missing})
    return rows


def _matched(original: Rows, count: int, row_map: str | None) -> Rows:
    """Return the original record of each released one: by the row map, or in the same order."""
    if row_map is None:
        if len(original) != count:
            raise Unreadable(f"the release has {count} records and the original {len(original)}: give the row map")
        return original
    try:
        pairs = [tuple(map(int, row.values())) for row in read_csv(row_map)]
        first = min(out for out, _ in pairs)  # rows are counted from 0 or from 1
    except ValueError:
        raise Unreadable(f"{row_map} does not have two numbers in each line, as a row map has") from None
    source = {out - first: into - first for out, into in pairs}
    came = set(source.values())
    if sorted(source) != list(range(count)) or len(came) < len(pairs) or not came <= set(range(len(original))):
        raise Unreadable(f"{row_map} does not say where each of the {count} released records came from, and once")
    return [original[source[place]] for place in range(count)]


def _columns(
    released: Rows, columns: Mapping[str, Mapping[str, Any]], asked: Mapping[str, Any], came_from: Rows | None
) -> Iterator[Finding]:
    """No identifier leaves, but for pseudonyms that the plan asks for, and no column that the plan does not know."""
    pseudonym = asked.get("subject") if asked.get("keep_subject") == "pseudonym" else None
    gone = [name for name in released[0] if columns.get(name, {}).get("role") == "identifier" and name != pseudonym]
    if pseudonym is not None and came_from is not None:
        known = {row.get(pseudonym) for row in came_from}
        gone += [pseudonym] if any(row.get(pseudonym) in known for row in released) else []
    unknown = [name for name in released[0] if name not in columns]
    if gone:
        yield Finding(
            "identifiers", holds=False, words=f"{', '.join(map(repr, gone))} left, which the plan calls identifier"
        )
    if unknown:
        yield Finding(
            "columns", holds=False, words=f"{', '.join(map(repr, unknown))} left, which the plan does not declare"
        )
    if not gone and not unknown:
        yield Finding("columns", holds=True, words="no identifier and no undeclared column left")


def _kept(
    released: Rows, columns: Mapping[str, Mapping[str, Any]], asked: Mapping[str, Any], came_from: Rows | None
) -> Iterator[Finding]:
    """What the plan keeps is as it was in the original: or these are not the originals of these records."""
    if came_from is None or asked.get("release") == "permute":
        return
    changed = {asked.get("subject"), asked.get("by")}
    changed |= {name for entry in asked.get("totals", ()) for name in (entry["total"], *entry["parts"])}
    for name, column in columns.items():
        recoded = {"clip", "round_to", "rare", "relative_to"}.intersection(column)
        if column.get("role") not in ("confidential", "other") or recoded or name in changed:
            continue
        if name in released[0] and name in came_from[0]:
            pairs = zip(released, came_from, strict=True)
            found = sum(1 for row, was in pairs if not _alike(row[name], was[name], column))
            if found:
                why = "cells were changed, or the row map is not given"
                yield Finding("kept", holds=False, words=f"{name} differs from the original in {found} records: {why}")


def _alike(cell: str, was: str, column: Mapping[str, Any]) -> bool:
    """Whether two cells say the same, also where a number or a moment is written in two ways."""
    if cell.removeprefix("'").strip().casefold() == was.strip().casefold():
        return True
    for kind in (column.get("kind", "numeric"), "numeric"):
        try:
            now, then = (_value(text, {**column, "kind": kind}) for text in (cell, was))
        except ValueError:
            continue
        if now == then or (kind == "numeric" and now[0] == then[0] == 0 and _near(now[-1], then[-1])):
            return True
    return False


def _recoding(
    asked: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]], released: Rows, original: Rows | None
) -> Iterator[Finding]:
    """What the plan cuts off, rounds or merges before records are compared does not leave."""
    for name, column in columns.items():
        if name not in released[0] or not {"clip", "round_to", "rare"}.intersection(column):
            continue
        masked = column.get("role") == "quasi_identifier" and asked.get("release") != "permute"
        stretched = masked and asked.get("preserve_variance", False)
        values = [value for missing, value in _values(released, name, column) if not missing]
        clip = column.get("clip", {})
        for side in ("low", "high"):
            if side in clip and not stretched:
                bound = _bound(clip[side], column)
                beyond = [value for value in values if (value < bound if side == "low" else value > bound)]
                found = sum(1 for value in beyond if not _near(value, bound))
                yield Finding("clip", found == 0, f"{name} has {found} values beyond the {side} end of clip")
        if "round_to" in column and not masked and not clip:
            base = float(column["round_to"])
            found = sum(1 for value in values if not _near(value / base, round(value / base)))
            yield Finding("round_to", found == 0, f"{name} has {found} values that are no multiple of {base:g}")
        if "rare" in column and original:
            yield _rare(name, column, asked.get("subject"), released, original)


def _totals(asked: Mapping[str, Any], columns: Mapping[str, Any], released: Rows) -> Iterator[Finding]:
    """A column that the plan calls the sum of others is it, within a billionth of their sizes."""
    for entry in asked.get("totals", ()):
        names, found = [entry["total"], *entry["parts"]], 0
        kept = all(columns[name].get("role") != "quasi_identifier" for name in names)
        slack = entry.get("tolerance", 0) if kept else 0
        cells = [_values(released, name, {**columns[name], "kind": "numeric"}) for name in names]
        for together in zip(*cells, strict=True):
            if not any(missing for missing, _ in together):
                total, *parts = (value for _, value in together)
                size = abs(total) + sum(map(abs, parts))
                found += abs(sum(parts) - total) > slack + 1e-9 * size
        yield Finding("totals", found == 0, f"{entry['total']} is not the sum of its parts in {found} records")


def _rare(name: str, column: Mapping[str, Any], subject: str | None, released: Rows, original: Rows) -> Finding:
    """Count who has a category in the whole original, also those whose records were dropped."""
    if name not in original[0]:
        raise Unreadable(f"the original does not have the column {name!r} of the plan")
    rare, who = column["rare"], defaultdict(set)
    for place, (row, cell) in enumerate(zip(original, _values(original, name, column), strict=True)):
        who[cell].add(row.get(subject, place) if subject else place)
    left = {cell for cell in _values(released, name, column) if not cell[0] and cell[-1] != rare.get("into", "other")}
    left &= who.keys()  # nodes above codes are none of them
    found = sum(1 for category in left if len(who[category]) < rare["below"])
    return Finding("rare", found == 0, f"{name} has {found} categories that fewer than {rare['below']} have")


def _bound(bound: Any, column: Mapping[str, Any]) -> Any:
    if column.get("kind") != "date" or "relative_to" in column:
        return float(bound)
    return _moment(datetime.fromisoformat(str(bound)))


def _date(text: str, form: str | None) -> datetime:
    """Read a date as the plan says that text has it, or as one that was no text is written."""
    try:
        return datetime.strptime(text, form) if form else datetime.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)


def _moment(moment: datetime) -> datetime:
    """Return a moment in UTC, so that those with a zone and those without can be compared."""
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _near(value: Any, bound: Any) -> bool:
    """Whether a mean of numbers within a bound may have been rounded to just beyond it."""
    return not isinstance(value, datetime) and math.isclose(value, bound, rel_tol=1e-9, abs_tol=1e-9)


def _classes(rows: Rows, names: Sequence[str]) -> Classes:
    """Put records together whose cells are written alike."""
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        found[tuple(row[name] for name in names)].append(place)
    return list(found.values())


def _anonymity(
    asked: Mapping[str, Any],
    classes: Classes,
    came_from: Rows | None,
    masked: Mapping[str, Mapping[str, Any]],
    released: Rows,
) -> Iterator[Finding]:
    """Every class has k records; where the plan names subjects, records of k different ones."""
    k = int(asked["k"])
    promised = asked.get("guarantee", True) is not False
    subject = _subject(asked)
    smallest = min(map(len, classes))
    if subject is None or came_from is None:
        holds = None if not promised or (subject is not None and smallest >= k) else smallest >= k
        unseen = "" if subject is None else f"; persons ({subject}) cannot be counted without the original"
        yield Finding("k_anonymity", holds, f"the smallest of {len(classes)} classes has {smallest} records{unseen}")
        return
    persons = _persons(came_from, subject)
    fewest = min(len({persons[place] for place in places}) for places in classes)
    yield Finding(
        "k_anonymity",
        fewest >= k if promised else None,
        f"the classes have records of at least {fewest} different {subject}, asked {k}",
    )
    for name, column in masked.items():
        # A place is one value of two columns, a distance one of two dates.
        names = [name, *(column[key] for key in ("latitude", "longitude", "relative_to") if key in column)]
        before, after = defaultdict(set), defaultdict(set)
        for place, person in enumerate(persons):
            before[person].add(tuple(came_from[place].get(name) for name in names))
            after[person].add(released[place][name])
        if all(len(values) == 1 for values in before.values()) and any(len(values) > 1 for values in after.values()):
            words = f"{name!r} is one for each {subject} in the original, and several in the release"
            yield Finding("constant_attributes", holds=False, words=words)


def _subject(asked: Mapping[str, Any]) -> str | None:
    """Return the column that says whom a record is about; None where every record is a person."""
    subject = asked.get("subject")
    return None if subject == "record" and "record" not in asked.get("attributes", {}) else subject


def _persons(came_from: Rows, subject: str) -> list[str]:
    if subject not in came_from[0]:
        raise Unreadable(f"the original does not have the subject column {subject!r} of the plan")
    return [unicodedata.normalize("NFKC", row[subject]).strip() for row in came_from]


def _risk(asked: Mapping[str, Any], classes: Classes, came_from: Rows | None) -> Iterator[Finding]:
    """Whoever is known to be in the table is found with the chance 1 / persons of the class, within what is allowed."""
    section, subject = asked.get("risk", {}), _subject(asked)
    if "prosecutor" in section:
        allowed = {"public": Fraction(1, 11), "restricted": Fraction(1, 5)}.get(section["prosecutor"])
        allowed = Fraction(str(section["prosecutor"])) if allowed is None else allowed
        fewest, unseen = min(map(len, classes)), ""
        if subject is not None and came_from is not None:
            persons = _persons(came_from, subject)
            fewest = min(len({persons[place] for place in places}) for places in classes)
        elif subject is not None:
            unseen = f"; persons ({subject}) cannot be counted without the original"
        holds = allowed * (1 + Fraction(1, 10**9)) * fewest >= 1
        words = f"the smallest class has {fewest}, which is 1/{fewest}, allowed {float(allowed):.4g}{unseen}"
        yield Finding("prosecutor_risk", None if unseen and holds else holds, words)
    for key in ("journalist", "marketer"):
        if key in section:
            yield Finding(f"{key}_risk", None, "the people of the population are an estimate, which is not judged here")
    if "dominance" in asked or "weights" in asked:
        yield Finding("dominance", None, "the shares that single persons have of means are not judged here")


def _protected(asked: Mapping[str, Any], columns: Mapping[str, Any], section: str) -> list[str]:
    confidential = [name for name, column in columns.items() if column.get("role") == "confidential"]
    return list(asked[section].get("attributes") or confidential)


def _closeness(
    asked: Mapping[str, Any], columns: Mapping[str, Any], classes: Classes, released: Rows
) -> Iterator[Finding]:
    """Every class is within t of the whole table (earth mover's distance, Li et al. 2007)."""
    section = asked.get("closeness")
    if section is None:
        return
    if "n" in section:
        yield Finding("n_t_closeness", None, "neighbourhoods are not seen from outside")
        return
    required = not (asked.get("guarantee", True) is False and section.get("method") == "steered")
    for name in _protected(asked, columns, "closeness"):
        t = section["t"][name] if isinstance(section["t"], dict) else section["t"]
        if name in section.get("marginality", ()):
            yield Finding("t_closeness", None, f"{name}: an order made from a tree is not judged here")
            continue
        tree = section.get("hierarchy", {}).get(name)
        if isinstance(tree, str):
            yield Finding("t_closeness", None, f"{name}: a tree in a file of its own is not judged here")
            continue
        worst = max(_distances(released, classes, name, columns[name], tree))
        holds = worst <= Fraction(str(t))
        yield Finding("t_closeness", holds if required else None, f"{name} is within {float(worst):.6g}, asked {t}")


def _distances(released: Rows, classes: Classes, name: str, column: Mapping[str, Any], tree: Any) -> Iterator[Fraction]:
    values = _values(released, name, column)
    table, count = Counter(values), len(values)
    paths = {} if tree is None else _prefixes(tree["prefix"], table) if set(tree) == {"prefix"} else _paths(tree)
    levels = sorted(table)
    place = {level: at for at, level in enumerate(levels)}
    below = list(accumulate(table[level] for level in levels))[:-1]  # records of the table up to each level
    area = [0, *accumulate(below)]
    for places in classes:
        group, size = Counter(values[place] for place in places), len(places)
        if tree is not None:
            share = {level: Fraction(group[level], size) - Fraction(table[level], count) for level in levels}
            yield _tree_distance({str(level[-1]): moved for level, moved in share.items()}, paths)
        elif column.get("kind") == "nominal":
            moved = sum(abs(group[level] * count - table[level] * size) - table[level] * size for level in group)
            yield Fraction(moved + count * size, 2 * count * size)
        else:
            # The class has as many records up to each level from one of its values to the next, and the table ever
            # more: where it gets ahead, differences change their sign.
            total = have = start = 0
            for at in [*sorted(place[level] for level in group), len(below)]:
                ahead = bisect_left(below, -(-have * count // size), start, at) if at > start else start
                total += have * count * (2 * ahead - start - at) + size * (area[at] + area[start] - 2 * area[ahead])
                have, start = have + group[levels[at]], at
            yield Fraction(total, count * size * max(len(below), 1))


def _values(released: Rows, name: str, column: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the cells of a column as something to compare; no message may quote one."""
    values = []
    for line, row in enumerate(released, start=1):
        try:
            values.append(_value(row[name], column))
        except ValueError:
            kind = {"date": "date (the plan can say its format)", "ordinal": "level"}.get(
                column.get("kind", ""), "number"
            )
            raise Unreadable(f"record {line} has a cell in column {name!r} that is no {kind}") from None
    return values


def _value(cell: str, column: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a cell as something to sort by; a missing one comes after all others."""
    text, kind = cell.strip(), column.get("kind")
    kind = "numeric" if "relative_to" in column else kind
    if not text or text in map(str, column.get("missing_values", ())):
        return (1, "")
    if kind == "ordinal" and "order" in column:
        return (0, [str(level) for level in column["order"]].index(text))
    if kind in ("numeric", "ordinal"):
        number = float(text.replace(",", "."))
        return (1, "") if math.isnan(number) else (0, number)
    if kind == "date":
        return (0, _moment(_date(text, column.get("format"))))
    return (0, text)


def _prefixes(lengths: Iterable[int], values: Iterable[tuple[Any, ...]]) -> dict[str, tuple[Hashable, ...]]:
    """Return the first so many characters of each value, the fewest first, below one root."""
    texts = [str(value[-1]) for value in values if value[0] == 0]
    return {text: (None, *(text[:length] for length in sorted(lengths))) for text in texts}


def _paths(tree: Any, above: tuple[Hashable, ...] = ()) -> dict[str, tuple[Hashable, ...]]:
    """Return the numbers of the inner nodes above each leaf of nested tables, the root first."""
    own = (*above, id(tree))
    if isinstance(tree, Mapping):
        return {leaf: path for part in tree.values() for leaf, path in _paths(part, own).items()}
    return {str(leaf): own for leaf in tree}


def _tree_distance(share: Mapping[str, Fraction], paths: Mapping[str, tuple[Hashable, ...]]) -> Fraction:
    """Return what must be carried over each node, by how high it stands: what leaves below it one way or the other."""
    heights: dict[Hashable, int] = defaultdict(int)
    for path in paths.values():
        for up, node in enumerate(reversed(path), start=1):
            heights[node] = max(heights[node], up)
    root = next(iter(paths.values()))[0]
    surplus: dict[Hashable, Fraction] = defaultdict(Fraction)
    total = Fraction(0)
    for leaf, moved in share.items():
        path = paths.get(leaf, (root,))  # a missing value hangs right below the root
        total += abs(moved) * heights[path[-1]]
        for node in path:
            surplus[node] += moved
    for path in set(paths.values()):
        for above, node in pairwise(path):
            total += abs(surplus.pop(node, Fraction(0))) * (heights[above] - heights[node])
    return total / 2 / heights[root]


def _diversity(
    asked: Mapping[str, Any], columns: Mapping[str, Any], classes: Classes, released: Rows
) -> Iterator[Finding]:
    """Every class has enough different confidential values (Machanavajjhala et al. 2007)."""
    section = asked.get("diversity")
    if section is None:
        return
    for name in _protected(asked, columns, "diversity"):
        values = _values(released, name, columns[name])
        groups = [Counter(values[place] for place in places) for places in classes]
        for key, guarantee in (("distinct", "distinct_l_diversity"), ("p_sensitive", "p_sensitivity")):
            if key in section:
                fewest = min(map(len, groups))
                yield Finding(guarantee, fewest >= section[key], f"{name} has at least {fewest}, asked {section[key]}")
        if "entropy" in section:
            least = min(map(_perplexity, groups))
            holds = least >= section["entropy"] * (1 - 1e-9)
            yield Finding("entropy_l_diversity", holds, f"{name} has at least {least:.6g}, asked {section['entropy']}")
        if "recursive" in section:
            c, most = Fraction(str(section["recursive"]["c"])), int(section["recursive"]["l"])
            holds = all(_recursive(group, c, most) for group in groups)
            yield Finding("recursive_c_l_diversity", holds, f"{name}, c = {c}, l = {most}")


def _perplexity(group: Counter[Any]) -> float:
    size = sum(group.values())
    return math.exp(-sum(count / size * math.log(count / size) for count in group.values()))


def _recursive(group: Counter[Any], c: Fraction, most: int) -> bool:
    counts = sorted(group.values(), reverse=True)
    return counts[0] < c * sum(counts[most - 1 :])


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the files named on the command line, and say what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("release", help="the released CSV file")
    parser.add_argument("--plan", required=True, help="the plan, a TOML file")
    parser.add_argument("--original", help="the table it was made from, a CSV file")
    parser.add_argument("--row-map", help="which original row each released one came from, a CSV file")
    parser.add_argument("--encoding", help="of release and original, if it is not UTF-8, UTF-16 or Windows-1252")
    parser.add_argument("--missing", action="append", default=[], help="a word that stands for a missing cell")
    given = parser.parse_args(arguments)
    try:
        findings = audit(
            given.release, given.plan, given.original, given.row_map, encoding=given.encoding, missing=given.missing
        )
    except (OSError, ValueError, LookupError, EOFError) as error:
        sys.stderr.write(f"error: the audit cannot read this: {error}\n")
        return 2
    except (TypeError, AttributeError, RecursionError):
        sys.stderr.write(f"error: the audit cannot read this: {given.plan} is no plan\n")
        return 2
    for name, holds, words in findings:
        sys.stdout.write(f"{'?' if holds is None else '✓' if holds else '✗'} {name}: {words}\n")
    return 3 if any(holds is False for _, holds, _ in findings) else 0


if __name__ == "__main__":
    sys.exit(main())
