"""An auditor's own check of a release: this file alone, with nothing but Python's standard library.

    python auditor.py RELEASE.csv --plan PLAN.toml [--original ORIGINAL.csv] [--row-map ROWS.csv]

It reads the files as text and judges them as an outsider would. It shares no code with what made the release: no line
of it knows how groups are formed. In the order of this file:

    audit       reads plan and files (read_csv, _declared, _matched, _persons), and asks all that follow
    _columns    no identifier and no undeclared column left
    _dropped    no more records than the plan allows are left out (with the original)
    _kept       columns that are not masked are as in the original, or as the plan recodes them (with the original)
    _recoding   nothing lies beyond clip or between the steps of round_to; nothing is rare (with the original)
    _totals     sums are the sums of their parts
    _anonymity  the records of each class, written alike in all quasi-identifiers, are of k persons
    _constant   what is one value for a person stays one (with the original)
    _history    pseudonyms stand for one person each, and k of them go through the same classes
    _risk       whoever is known to be in the table is not found too easily
    _closeness  confidential values of each class are within t of the whole table, in exact fractions
    _diversity  confidential values of each class are different enough
    _value      what a cell says: for whoever compares two of them

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
import re
import sys
import tomllib
import unicodedata
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

Rows = list[dict[str, str]]
Classes = list[list[int]]
Column = Mapping[str, Any]
Value = tuple[int, Any]
MISSING: Value = (1, "")  # after all values, which begin with 0
STRANGE = 2  # begins what is no value of its kind


class Finding(NamedTuple):
    """One promise: whether it holds (None: cannot be judged from outside), and what was found."""

    name: str
    holds: bool | None
    words: str


class Unreadable(ValueError):
    """The files do not go together, or are none that can be read as text."""


class Case(NamedTuple):
    """What is judged: a plan and the records of a release; what cannot be known is None."""

    asked: Mapping[str, Any]
    columns: Mapping[str, Column]
    masked: list[str]  # the quasi-identifiers
    subject: str | None  # the column that says whom a record is about; None: every record is a person
    pseudonym: str | None  # the same, where it leaves under another name
    released: Rows
    original: Rows | None
    came_from: Rows | None  # the original record of each released one
    persons: list[Hashable] | None  # whom each released record is about
    classes: Classes  # places of records that are written alike in all quasi-identifiers, and in the column `by`


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
    asked = tomllib.loads(Path(plan).read_text(encoding="utf-8-sig"))
    columns = _declared(asked, missing)
    masked = [name for name, column in columns.items() if column["role"] == "quasi_identifier"]
    subject = None if asked.get("subject") == "record" and "record" not in columns else asked.get("subject")
    pseudonym = subject if asked.get("keep_subject") == "pseudonym" else None
    released = read_csv(release, encoding, columns)
    together = [*masked, *([asked["by"]] if "by" in asked else [])]
    for name in [*together, *([pseudonym] if pseudonym else [])]:
        if name not in released[0]:
            raise Unreadable(f"the release does not have the column {name!r} of the plan")
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, row in enumerate(released):
        classes[tuple(row[name] for name in together)].append(place)
    if row_map is not None and original is None:
        raise Unreadable("a row map says where records came from: give the original, too")
    whole = None if original is None else read_csv(original, encoding, columns)
    came_from = None if whole is None else _matched(whole, len(released), row_map)
    persons = _persons(subject, len(released), came_from)
    case = Case(asked, columns, masked, subject, pseudonym, released, whole, came_from, persons, list(classes.values()))
    if asked.get("release") == "permute":
        unseen = Finding("probabilistic_k_anonymity", None, "the groups of a permutation leave no trace")
        return [*_columns(case), *_dropped(case), *_recoding(case), *_totals(case), unseen]
    table = (_columns, _dropped, _kept, _recoding, _totals)
    judges = (*table, _anonymity, _constant, _history, _risk, _closeness, _diversity)
    return [finding for judge in judges for finding in judge(case)]


def read_csv(path: str, encoding: str | None = None, known: Container[str] = ()) -> Rows:
    """Read the records of a CSV file as text, by the delimiter that gives the most names that are known."""
    text, file = _text(path, encoding), Path(path).name

    def cells(delimiter: str) -> Iterator[list[str]]:
        return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)

    def fits(delimiter: str) -> tuple[int, bool, int]:
        hits = sum(name in known for name in next(cells(delimiter), ()))
        return hits, delimiter in ",;\t|", head.count(delimiter)

    head = text.partition("\n")[0]
    limit = csv.field_size_limit(len(text) + 1)  # of the whole process: put back at the end
    try:
        lines = cells(max([*",;\t|", *sorted(set(re.findall(r'[^\w\s"]', head, re.ASCII)))], key=fits))
        names = next(lines)
        if any(name[:1] == "'" for name in names):  # before a name that a spreadsheet would take for a formula
            names = [name if name in known else name.removeprefix("'") for name in names]
        rows = [dict(zip(names, line, strict=True)) for line in lines if line]
    except (StopIteration, ValueError, csv.Error):
        raise Unreadable(f"{file} is not a CSV file whose lines have as many cells as its header") from None
    finally:
        csv.field_size_limit(limit)
    if len(set(names)) < len(names):
        raise Unreadable(f"{file} has two columns of one name: what the first of them holds would not be seen")
    if not rows:
        raise Unreadable(f"{file} has no records")
    return rows


def _text(path: str, encoding: str | None) -> str:
    """Return the text of a file: UTF-16 by its mark or its zero bytes, else UTF-8 or Windows-1252."""
    data = Path(path).read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    guesses = [encoding] if encoding else ["utf-8", "cp1252"]
    if not encoding and data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        guesses = ["utf-16"]
    elif not encoding and b"\0" in data[:2]:
        guesses = ["utf-16-be" if data[:1] == b"\0" else "utf-16-le"]
    for guess in guesses:
        with suppress(UnicodeDecodeError):
            return data.decode(guess).removeprefix("\ufeff")
    raise Unreadable(f"{Path(path).name} is not text: an audit reads CSV files")


def _declared(asked: Mapping[str, Any], missing: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what the plan says of each column, with the cells that mean "no value" in it."""
    columns = {name: dict(column) for name, column in asked.get("attributes", {}).items()}
    for name, column in list(columns.items()):  # the line of a place is that of its latitude, for both columns
        if column.get("kind") == "place" and "longitude" in column:
            columns[column["longitude"]] = {**column, "latitude": name}
    for name, column in columns.items():
        if column.get("role") not in ("identifier", "quasi_identifier", "confidential", "other"):
            raise Unreadable(f"the plan does not say of the column {name!r} what it is: {column.get('role')!r}")
        words = [*missing, *map(str, column.get("missing_values", asked.get("missing_values", ())))]
        column["gaps"] = {*words, *(_value(word, column) for word in words)}
    if all(column["role"] != "quasi_identifier" for column in columns.values()):
        raise Unreadable("the plan has no quasi-identifier: there is nothing to judge")
    return columns


def _matched(original: Rows, count: int, row_map: str | None) -> Rows:
    """Return the original record of each released one: by the row map, or in the same order."""
    if row_map is None:
        if len(original) != count:
            raise Unreadable(f"the release has {count} records and the original {len(original)}: give the row map")
        return original
    try:
        pairs = [(int(out), int(into)) for out, into in (row.values() for row in read_csv(row_map))]
    except ValueError:
        raise Unreadable(f"{row_map} does not have two numbers in each line, as a row map has") from None
    first = min(out for out, _ in pairs)  # rows are counted from 0 or from 1
    source = {out - first: into - first for out, into in pairs}
    came = set(source.values())
    if sorted(source) != list(range(count)) or len(came) < len(pairs) or not came <= set(range(len(original))):
        raise Unreadable(f"{row_map} does not say where each of the {count} released records came from, and once")
    return [original[source[place]] for place in range(count)]


def _persons(subject: str | None, count: int, came_from: Rows | None) -> list[Hashable] | None:
    """Return whom each released record is about; None where the original must say it, and is not there."""
    if subject is None or came_from is None:
        return list(range(count)) if subject is None else None
    if subject not in came_from[0]:
        raise Unreadable(f"the original does not have the subject column {subject!r} of the plan")
    return [_person(row[subject]) for row in came_from]


def _person(cell: str) -> str:
    """Return what makes two cells one person: the letters that are seen, in one form, and whole numbers without .0."""
    seen = "".join(letter for letter in cell if letter.isascii() or unicodedata.category(letter) != "Cf")
    text = unicodedata.normalize("NFKC", seen).strip()
    return text.partition(".")[0] if re.fullmatch(r"[+-]?\d+\.0+", text) else text


def _columns(case: Case) -> Iterator[Finding]:
    """No identifier leaves, but for pseudonyms that the plan asks for, and no column that the plan does not know."""
    unknown = [name for name in case.released[0] if name not in case.columns]
    left = [name for name in case.released[0] if case.columns.get(name, {}).get("role") == "identifier"]
    if case.pseudonym in left:
        names = [_person(row[case.pseudonym]) for row in case.released]
        if case.came_from is None or set(names).isdisjoint(case.persons or ()):
            left.remove(case.pseudonym)
    for name, found, what in (("identifiers", left, "calls identifier"), ("columns", unknown, "does not declare")):
        if found:
            yield Finding(name, not found, f"{', '.join(map(repr, found))} left, which the plan {what}")
    if not left and not unknown:
        yield Finding("columns", not left, "no identifier and no undeclared column left")


def _dropped(case: Case) -> Iterator[Finding]:
    """No more records are left out than the plan allows."""
    if case.original is not None and len(case.released) < len(case.original):
        count, share = len(case.original) - len(case.released), case.asked.get("suppress", 0)
        holds = count <= share * len(case.original) + 1e-9
        yield Finding("suppress", holds, f"{count} of {len(case.original)} records were dropped, allowed share {share}")


def _kept(case: Case) -> Iterator[Finding]:
    """What is not masked is as it was, or as the plan recodes it: or these are not the originals of these records."""
    totals = {entry["total"] for entry in case.asked.get("totals", ())}  # are computed anew
    for name, column in case.columns.items():
        if case.came_from is None or column["role"] not in ("confidential", "other") or name in totals:
            continue
        if name not in case.released[0] or name not in case.came_from[0]:
            continue
        now = [_value(row[name], column) for row in case.released]
        then = [_before(row, name, case.columns) for row in case.came_from]
        ends = [edge([value for value in now if not value[0]], default=MISSING) for edge in (min, max)]
        became: dict[Value, Value] = {}
        found = 0
        for place, row in enumerate(case.released):
            kept = _follows(now[place], then[place], column, ends) or _spelt(row[name], case.came_from[place][name])
            # What was one value stays one: two spellings of it would count as two.
            found += not kept or became.setdefault(then[place], now[place]) != now[place]
        if found:
            why = "cells were changed, or the row map is not given"
            yield Finding("kept", not found, f"{name} differs from the original in {found} records: {why}")
        if "relative_to" in column and any(state == STRANGE for state, _ in then):
            yield Finding("kept", None, f"{name}: dates in a form that the plan does not say are not compared")


def _before(row: Mapping[str, str], name: str, columns: Mapping[str, Column]) -> Value:
    """Return what an original cell said, as the release says it: a date that is relative to another one in days."""
    column, since = columns[name], columns[name].get("relative_to")
    if since is None:
        return _value(row[name], column)
    date, origin = (_value(row[of], {**columns[of], "relative_to": None, "kind": "date"}) for of in (name, since))
    if MISSING in (date, origin):
        return MISSING
    return (0, (date[1] - origin[1]) / timedelta(days=1)) if date[0] == origin[0] == 0 else (STRANGE, (date, origin))


def _follows(now: Value, then: Value, column: Column, ends: Sequence[Value]) -> bool:
    """Whether a value is the other as the plan recodes it: the same, one of the rare, cut off, or rounded."""
    if now == then or ("rare" in column and now == (0, column["rare"].get("into", "other"))):
        return True
    if now[0] or then[0]:
        return "relative_to" in column and then[0] == STRANGE  # dates in a form that the plan does not say
    if "clip" in column and (ends[0] == now > then or ends[1] == now < then):
        return True
    step = column.get("round_to", 0) / 2
    return isinstance(now[1], float) and abs(now[1] - then[1]) <= step * (1 + 1e-9) + abs(then[1]) * 1e-9


def _spelt(cell: str, was: str) -> bool:
    """Whether two cells are one number or word in two spellings, or one with the mark that it is no formula."""
    return _value(cell.removeprefix("'"), {"kind": "numeric"}) == _value(was, {"kind": "numeric"})


def _recoding(case: Case) -> Iterator[Finding]:
    """What the plan cuts off, rounds or merges before records are compared does not leave."""
    for name, column in case.columns.items():
        if name not in case.released[0] or not {"clip", "round_to", "rare"}.intersection(column):
            continue
        masked = name in case.masked and case.asked.get("release") != "permute"
        stretched = masked and case.asked.get("preserve_variance", False)
        values = [value for missing, value in _values(case.released, name, column) if not missing]
        clip = column.get("clip", {})
        for side in ("low", "high"):
            if side in clip and not stretched:
                bound = _value(str(clip[side]), {**column, "gaps": ()})[1]
                beyond = [value for value in values if (value < bound if side == "low" else value > bound)]
                found = sum(1 for value in beyond if not _near(value, bound))
                yield Finding("clip", found == 0, f"{name} has {found} values beyond the {side} end of clip")
        if "round_to" in column and not masked and not clip:
            base = float(column["round_to"])
            steps = [value / base for value in values if math.isfinite(value / base)]
            found = sum(1 for step in steps if not _near(step, round(step)))
            yield Finding("round_to", found == 0, f"{name} has {found} values that are no multiple of {base:g}")
        if "rare" in column:
            yield _rare(case, name, column)


def _rare(case: Case, name: str, column: Column) -> Finding:
    """Count who has a category in the whole original, also those whose records were dropped."""
    rare, subject, who = column["rare"], case.subject or "", defaultdict(set)
    if case.original is None:
        return Finding("rare", None, f"{name}: who has a category cannot be counted without the original")
    for place, (row, cell) in enumerate(zip(case.original, _values(case.original, name, column), strict=True)):
        who[cell].add(_person(row[subject]) if subject in row else place)
    left = {cell for cell in _values(case.released, name, column) if cell[-1] != rare.get("into", "other")}
    left &= who.keys() - {MISSING}  # nodes above codes are none of them
    found = sum(1 for category in left if len(who[category]) < rare["below"])
    return Finding("rare", found == 0, f"{name} has {found} categories that fewer than {rare['below']} have")


def _totals(case: Case) -> Iterator[Finding]:
    """A column that the plan calls the sum of others is it, within a billionth of their sizes."""
    for entry in case.asked.get("totals", ()):
        names, found = [entry["total"], *entry["parts"]], 0
        slack = 0 if set(names).intersection(case.masked) else entry.get("tolerance", 0)
        cells = [_values(case.released, name, {**case.columns[name], "kind": "numeric"}) for name in names]
        for together in zip(*cells, strict=True):
            if MISSING not in together:
                total, *parts = (value for _, value in together)
                size = abs(total) + sum(map(abs, parts))
                found += abs(sum(parts) - total) > slack + 1e-9 * size
        yield Finding("totals", found == 0, f"{entry['total']} is not the sum of its parts in {found} records")


def _fewest(case: Case) -> tuple[int, str]:
    """Return how many persons, or records if persons are not known, the smallest class has; and what is not known."""
    if case.persons is None:
        return min(map(len, case.classes)), f"; persons ({case.subject}) cannot be counted without the original"
    return min(len({case.persons[place] for place in places}) for places in case.classes), ""


def _promised(case: Case) -> bool:
    """Whether the plan does not give up k."""
    return case.asked.get("guarantee", True) is not False


def _anonymity(case: Case) -> Iterator[Finding]:
    """Every class has k records; where the plan names subjects, records of k different ones."""
    k = int(case.asked["k"])
    fewest, unseen = _fewest(case)
    holds = None if not _promised(case) or (unseen and fewest >= k) else fewest >= k
    words = f"the smallest of {len(case.classes)} classes has {fewest} records, asked {k}{unseen}"
    if case.subject is not None and not unseen:
        words = f"the classes have records of at least {fewest} different {case.subject}, asked {k}"
    yield Finding("k_anonymity", holds, words)


def _constant(case: Case) -> Iterator[Finding]:
    """What is the same in all original records of a person is so in the released ones, or they could be linked."""
    if case.subject is None or case.persons is None or case.came_from is None:
        return
    for name in case.masked:
        # A place is one value of two columns, a distance one of two dates.
        column = case.columns[name]
        names = [name, *(column[key] for key in ("latitude", "longitude", "relative_to") if key in column)]
        before, after = defaultdict(set), defaultdict(set)
        for person, was, row in zip(case.persons, case.came_from, case.released, strict=True):
            before[person].add(tuple(was.get(name) for name in names))
            after[person].add(row[name])
        if max(map(len, before.values())) == 1 < max(map(len, after.values())):
            words = f"{name!r} is one for each {case.subject} in the original, and several in the release"
            yield Finding("constant_attributes", holds=False, words=words)


def _history(case: Case) -> Iterator[Finding]:
    """Whoever follows a pseudonym through its classes sees the same as of k - 1 others; each is one person."""
    if case.pseudonym is None:
        return
    names, k = [row[case.pseudonym] for row in case.released], int(case.asked["k"])
    history: dict[str, set[int]] = defaultdict(set)
    for number, places in enumerate(case.classes):
        for place in places:
            history[names[place]].add(number)
    fewest = min(Counter(map(frozenset, history.values())).values())
    words = f"at least {fewest} pseudonyms have rows in the same classes, asked {k}"
    yield Finding("history_k_anonymity", fewest >= k if _promised(case) else None, words)
    persons = case.persons or names
    if not len(set(zip(names, persons, strict=True))) == len(history) == len(set(persons)):
        yield Finding("pseudonyms", holds=False, words=f"{case.pseudonym}: pseudonyms and persons are not one to one")


def _risk(case: Case) -> Iterator[Finding]:
    """Whoever is known to be in the table is found with the chance 1 / persons of the class, within what is allowed."""
    section = case.asked.get("risk", {})
    if "prosecutor" in section:
        named = {"public": Fraction(1, 11), "restricted": Fraction(1, 5)}
        allowed = named.get(section["prosecutor"]) or Fraction(str(section["prosecutor"]))
        fewest, unseen = _fewest(case)
        holds = allowed * (1 + Fraction(1, 10**9)) * fewest >= 1
        words = f"the smallest class has {fewest}, which is 1/{fewest}, allowed {float(allowed):.4g}{unseen}"
        yield Finding("prosecutor_risk", None if unseen and holds else holds, words)
    for key in ("journalist", "marketer"):
        if key in section:
            yield Finding(f"{key}_risk", None, "the people of the population are an estimate, which is not judged here")
    if "dominance" in case.asked or "weights" in case.asked:
        yield Finding("dominance", None, "the shares that single persons have of means are not judged here")


def _protected(case: Case, section: str) -> list[str]:
    """Return the columns that a section of the plan protects: those it names, else all confidential ones."""
    if section not in case.asked:
        return []
    confidential = [name for name, column in case.columns.items() if column["role"] == "confidential"]
    return list(case.asked[section].get("attributes") or confidential)


def _closeness(case: Case) -> Iterator[Finding]:
    """Every class is within t of the whole table (earth mover's distance, Li et al. 2007)."""
    section = case.asked.get("closeness", {})
    if "n" in section:
        yield Finding("n_t_closeness", None, "neighbourhoods are not seen from outside")
        return
    required = _promised(case) or section.get("method") != "steered"
    for name in _protected(case, "closeness"):
        t = section["t"][name] if isinstance(section["t"], dict) else section["t"]
        tree = section.get("hierarchy", {}).get(name)
        if name in section.get("marginality", ()) or isinstance(tree, str):
            yield Finding(
                "t_closeness", None, f"{name}: an order made from a tree, or a tree in a file, is not judged here"
            )
            continue
        worst = max(_distances(case.released, case.classes, name, case.columns[name], tree))
        holds = worst <= Fraction(str(t)) if required else None
        yield Finding("t_closeness", holds, f"{name} is within {float(worst):.6g}, asked {t}")


def _distances(rows: Rows, classes: Classes, name: str, column: Column, tree: Any) -> Iterator[Fraction]:
    """Return how far each class is from the whole table: by a tree, by what differs, or along an order."""
    values = _values(rows, name, column)
    table, count = Counter(values), len(values)
    levels = sorted(table)
    paths = {} if tree is None else _paths(tree, [str(text) for gap, text in levels if not gap])
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


def _paths(tree: Any, codes: Sequence[str], above: tuple[Hashable, ...] = ()) -> dict[str, tuple[Hashable, ...]]:
    """Return the inner nodes above each leaf, the root first: of nested tables, or the first characters of codes."""
    own = (*above, id(tree))
    if not above and set(tree) == {"prefix"}:
        return {code: (*own, *(code[:length] for length in sorted(tree["prefix"]))) for code in codes}
    if isinstance(tree, Mapping):
        return {leaf: path for part in tree.values() for leaf, path in _paths(part, codes, own).items()}
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


def _diversity(case: Case) -> Iterator[Finding]:
    """Every class has enough different confidential values (Machanavajjhala et al. 2007)."""
    section = case.asked.get("diversity", {})
    for name in _protected(case, "diversity"):
        values = _values(case.released, name, case.columns[name])
        groups = [Counter(values[place] for place in places) for places in case.classes]
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
            counts = [sorted(group.values(), reverse=True) for group in groups]
            holds = all(count[0] < c * sum(count[most - 1 :]) for count in counts)
            yield Finding("recursive_c_l_diversity", holds, f"{name}, c = {c}, l = {most}")


def _perplexity(group: Counter[Any]) -> float:
    size = sum(group.values())
    return math.exp(-sum(count / size * math.log(count / size) for count in group.values()))


def _values(rows: Rows, name: str, column: Column) -> list[Value]:
    """Return the cells of a column as something to compare, all of them of its kind; no message may quote one."""
    if name not in rows[0]:
        raise Unreadable(f"the column {name!r} of the plan is not there")
    values = [_value(row[name], column) for row in rows]
    kind = {"date": "date (the plan can say its format)", "ordinal": "level"}.get(column.get("kind", ""), "number")
    for line, (state, _) in enumerate(values, start=1):
        if state == STRANGE:
            raise Unreadable(f"record {line} has a cell in column {name!r} that is no {kind}")
    return values


def _value(cell: str, column: Column) -> Value:
    """Return what a cell says, to compare and sort by: a missing one comes after all, what is not of its kind last."""
    text, relative = cell.strip(), column.get("relative_to")
    kind, gaps = ("numeric", ()) if relative else (column.get("kind"), column.get("gaps", ()))
    value: Any = text
    try:
        if kind == "ordinal" and "order" in column:
            value = [str(level) for level in column["order"]].index(text)
        elif kind in ("numeric", "ordinal"):
            value = float(text.replace(",", "."))
        elif kind == "date":
            value = _date(text, column.get("format"))
    except (ValueError, OverflowError):
        return MISSING if not text or text in gaps else (STRANGE, text.casefold())
    missing = not text or text in gaps or (0, value) in gaps or value != value  # NaN is not itself
    return MISSING if missing else (0, value)


def _date(text: str, form: str | None) -> datetime:
    """Read a date as the plan says that text has it, or as one that was no text is written; in UTC if it has a zone."""
    try:
        moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _near(value: Any, bound: Any) -> bool:
    """Whether a mean of numbers within a bound may have been rounded to just beyond it."""
    return not isinstance(value, datetime) and math.isclose(value, bound, rel_tol=1e-9, abs_tol=1e-9)


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
    except (OSError, ValueError, LookupError, EOFError, zlib.error) as error:
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
