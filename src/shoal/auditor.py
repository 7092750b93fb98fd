"""An auditor's own check of a release: this file alone, with nothing but Python's standard library.

    python auditor.py RELEASE.csv --plan PLAN.toml [--original ORIGINAL.csv] [--row-map ROWS.csv]

It reads the files as text and judges them as an outsider would. It shares no code with what made the release: no line
of it knows how groups are formed. The first half of this file judges the promises that a release is made for:

    audit       reads plan and files (read_csv, _declared, _matched, _persons), and asks all that follow
    _columns    no identifier and no undeclared column left
    _anonymity  the records of each class, written alike in all quasi-identifiers, are of k persons
    _closeness  confidential values of each class are within t of the whole table, in exact fractions
    _diversity  confidential values of each class are different enough
    _value      what a cell says: for whoever compares two of them

The second half judges what else a plan may ask for; most of it takes the original:

    _keys       what the plan asks for by a key that is not known here is said
    _dropped    no more records than the plan allows are left out
    _risk       whoever is known to be in the table is not found too easily
    _constant   what is one value for a person stays one
    _history    pseudonyms stand for one person each, and k of them go through the same classes
    _kept       columns that are not masked are as in the original, or as the plan recodes them
    _recoding   nothing lies beyond clip or between the steps of round_to; nothing is rare
    _totals     sums are the sums of their parts

Exit code 0: everything that could be judged holds. 3: something does not. 2: the files do not go together.

What an outsider cannot see is said, and not judged: persons and quantiles without the original, the groups of a
permutation, neighbourhoods of (n, t)-closeness, the people of a population, shares that single persons have of means.
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
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, NamedTuple

Rows = list[dict[str, str]]
Column = Mapping[str, Any]
Value = tuple[int, Any]
MISSING: Value = (1, "")  # after all values, which begin with 0
STRANGE = 2  # begins what is no value of its kind
PLAIN: Column = {"kind": "numeric"}  # compares numbers and words without regard to their spelling
MARKED = tuple(f"'{sign}" for sign in "=+-@\t\r\n＝＋－＠")  # cells that are marked to be no formulas

DIVERSITY = {
    "distinct": "distinct_l_diversity",
    "p_sensitive": "p_sensitivity",
    "entropy": "entropy_l_diversity",
    "recursive": "recursive_c_l_diversity",
}
KNOWN = {  # the keys of a plan: those that are judged, and those that promise nothing
    "": "version k subject keep_subject by release guarantee suppress totals weights dominance missing_values missing "
    "preserve_variance closeness diversity risk attributes method gain cell axis cut refine refine_seconds seed scale "
    "order round blocks intruder dependence steer compare about stream",
    "closeness": "t n method attributes missing hierarchy marginality strata weight",
    "diversity": f"{' '.join(DIVERSITY)} attributes missing",
    "risk": "prosecutor journalist marketer fraction",
    "attributes": "role kind order format hierarchy longitude latitude period weight scale aggregate missing "
    "missing_values round clip round_to rare relative_to",
}


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
    masked: list[str]  # the quasi-identifiers, but for a permutation, which leaves them as they are
    subject: str | None  # the column that says whom a record is about; None: every record is a person
    pseudonym: str | None  # the same, where it leaves under another name
    released: Rows
    original: Rows | None
    came_from: Rows | None  # the original record of each released one
    persons: list[Hashable] | None  # whom each released record is about
    matched: bool  # whether a row map, or a column that was not masked, tells which original record is whose
    classes: list[list[int]]  # places of records that are written alike in all quasi-identifiers, and in `by`


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
    quasi = [name for name, column in columns.items() if column["role"] == "quasi_identifier"]
    subject = None if asked.get("subject") == "record" and "record" not in columns else asked.get("subject")
    pseudonym = subject if asked.get("keep_subject") == "pseudonym" else None
    released = read_csv(release, encoding, columns)
    together = [*quasi, *([asked["by"]] if "by" in asked else [])]
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
    kept = [name for name in _unmasked(asked, columns) if name in released[0]]
    matched = row_map is not None or any(len({row.get(name) for row in whole or ()}) > 1 for name in kept)
    permuted = asked.get("release") == "permute"
    masked, parts = [] if permuted else quasi, list(classes.values())
    case = Case(asked, columns, masked, subject, pseudonym, released, whole, came_from, persons, matched, parts)
    of_groups = (_anonymity, _constant, _history, _risk, _closeness, _diversity)
    judges = (_keys, _columns, _dropped, _kept, _recoding, _totals, *((_permutation,) if permuted else of_groups))
    return [finding for judge in judges for finding in judge(case)]


def read_csv(path: str, encoding: str | None = None, known: Container[str] = ()) -> Rows:
    """Read the records of a CSV file as text, by the delimiter that gives the most names that are known."""
    text, file = _text(path, encoding), Path(path).name

    def cells(delimiter: str) -> Iterator[list[str]]:
        return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)

    def fits(delimiter: str) -> tuple[int, bool, int]:
        with suppress(csv.Error):
            hits = sum(name in known for name in next(cells(delimiter), ()))
            return hits, delimiter in ",;\t|", head.count(delimiter)
        return -1, False, 0

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
    """Return what the plan says of each column, with its levels and the cells that mean "no value" in it."""
    columns = {name: dict(column) for name, column in asked.get("attributes", {}).items()}
    for name, column in list(columns.items()):  # the line of a place is that of its latitude, for both columns
        if column.get("kind") == "place" and "longitude" in column:
            columns[column["longitude"]] = {**column, "latitude": name}
    for name, column in columns.items():
        if column.get("role") not in ("identifier", "quasi_identifier", "confidential", "other"):
            raise Unreadable(f"the plan does not say of the column {name!r} what it is: {column.get('role')!r}")
        ranks = column["ranks"] = {_word(level): rank for rank, level in enumerate(column.get("order", ()))}
        for word, rank in list(ranks.items()):
            with suppress(ValueError):
                ranks.setdefault(float(word), rank)  # a column of numbers has 1.0 where the plan says 1
        words = [*missing, *map(str, column.get("missing_values", asked.get("missing_values", ())))]
        column["gaps"] = {*words, *(_value(word, column) for word in words)}
    if all(column["role"] != "quasi_identifier" for column in columns.values()):
        raise Unreadable("the plan has no quasi-identifier: there is nothing to judge")
    return columns


def _word(value: Any) -> str:
    """Return what a plan names as a CSV file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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


def _unmasked(asked: Mapping[str, Any], columns: Mapping[str, Column]) -> list[str]:
    """Return the columns that leave as they were, or recoded; not totals, which are computed anew."""
    roles = ("other", "quasi_identifier" if asked.get("release") == "permute" else "confidential")
    totals = {entry["total"] for entry in asked.get("totals", ())}
    return [name for name, column in columns.items() if column["role"] in roles and name not in totals]


def _persons(subject: str | None, count: int, came_from: Rows | None) -> list[Hashable] | None:
    """Return whom each released record is about; None where the original must say it, and is not there."""
    if subject is None or came_from is None:
        return list(range(count)) if subject is None else None
    if subject not in came_from[0]:
        raise Unreadable(f"the original does not have the subject column {subject!r} of the plan")
    return [_person(row[subject]) for row in came_from]


UNSEEN = re.compile(  # controls, and what Unicode's DerivedCoreProperties.txt calls default ignorable
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
BLANK = re.compile("[\t\n\u1680\u2028\u2029\u2800\U00016fe4\U0001d159]")  # spaces to the eye


def _person(cell: str) -> str:
    """Return what makes two cells one person: the letters that are seen, in one form, and whole numbers without .0."""
    seen = "".join(
        letter for letter in UNSEEN.sub("", cell) if letter.isascii() or unicodedata.category(letter) != "Cf"
    )
    text = unicodedata.normalize("NFKC", BLANK.sub(" ", seen)).strip()
    return text.partition(".")[0] if re.fullmatch(r"[+-]?\d+\.0+", text) else text


def _columns(case: Case) -> Iterator[Finding]:
    """No identifier leaves, but for pseudonyms that the plan asks for, and no column that the plan does not know."""
    unknown = [name for name in case.released[0] if name not in case.columns]
    left = [name for name in case.released[0] if case.columns.get(name, {}).get("role") == "identifier"]
    if case.pseudonym in left:
        persons = {_person(row[case.pseudonym]) for row in case.original or ()}
        if persons.isdisjoint(_person(row[case.pseudonym]) for row in case.released):
            left.remove(case.pseudonym)
        if case.original is None:
            words = f"{case.pseudonym}: names in place of pseudonyms are not seen without the original"
            yield Finding("pseudonyms", None, words)
    for name, found, what in (("identifiers", left, "calls identifier"), ("columns", unknown, "does not declare")):
        if found:
            yield Finding(name, not found, f"{', '.join(map(repr, found))} left, which the plan {what}")
    if not left and not unknown:
        yield Finding("columns", not left, "no identifier and no undeclared column left")


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _fewest(case: Case) -> tuple[int, str]:
    """Return how many persons, or records if persons are not known, the smallest class has; and what is not known."""
    if case.persons is None:
        return min(map(len, case.classes)), f"; persons ({case.subject}) cannot be counted without the original"
    fewest = min(len({case.persons[place] for place in places}) for places in case.classes)
    known = case.matched or len(set(case.persons)) == len(case.persons)  # each is one: in any order
    return fewest, "" if known else "; no row map and no column tells whether rows stand as in the original"


def _anonymity(case: Case) -> Iterator[Finding]:
    """Every class has k records; where the plan names subjects, records of k different ones."""
    k, (fewest, unseen) = int(case.asked["k"]), _fewest(case)
    given_up = case.asked.get("guarantee") is False and "closeness" not in case.asked  # which is given up instead of k
    smallest = "the only class" if len(case.classes) == 1 else f"the smallest of {len(case.classes)} classes"
    words = f"{smallest} has {_counted(fewest, 'record', 'records')}, asked {k}{unseen}"
    if case.subject is not None and case.persons is not None:
        words = f"the classes have records of at least {fewest} different {case.subject}, asked {k}{unseen}"
    yield Finding("k_anonymity", None if given_up or (unseen and fewest >= k) else fewest >= k, words)


def _protected(case: Case, section: str) -> Iterator[tuple[str, list[Value]]]:
    """Return the columns that a section of the plan protects: those it names, else all confidential ones."""
    asked = case.asked.get(section, {})
    confidential = [name for name, column in case.columns.items() if column["role"] == "confidential"]
    for name in (asked.get("attributes") or confidential) if asked else ():
        values = _values(case.released, name, case.columns[name])
        if MISSING in values and asked.get("missing", "error") == "error":
            line, hint = values.index(MISSING) + 1, f'the plan can say {section}.missing = "category"'
            raise Unreadable(f"record {line} has no value in column {name!r}, which is to be protected: {hint}")
        yield name, values


def _closeness(case: Case) -> Iterator[Finding]:
    """Every class is within t of the whole table (earth mover's distance, Li et al. 2007)."""
    section = case.asked.get("closeness", {})
    if "n" in section:
        yield Finding("n_t_closeness", None, "neighbourhoods are not seen from outside")
        return
    given_up = case.asked.get("guarantee") is False and section.get("method") == "steered"
    for name, values in _protected(case, "closeness"):
        t = section["t"][name] if isinstance(section["t"], dict) else section["t"]
        tree = section.get("hierarchy", {}).get(name)
        if name in section.get("marginality", ()) or isinstance(tree, str):
            words = f"{name}: an order made from a tree, or a tree in a file, is not judged here"
            yield Finding("t_closeness", None, words)
            continue
        if tree is not None:
            distances = _tree_distances(values, case.classes, tree)
        elif case.columns[name].get("kind") == "nominal":
            distances = _equal_distances(values, case.classes)
        else:
            distances = _ordered_distances(values, case.classes)
        worst = max(distances)
        holds = None if given_up else worst <= Fraction(str(t))
        yield Finding("t_closeness", holds, f"{name} is within {float(worst):.6g}, asked {t}")


def _equal_distances(values: list[Value], classes: list[list[int]]) -> Iterator[Fraction]:
    """Return for each class which part of it would have to change: what it has more of than the whole table."""
    table, count = Counter(values), len(values)
    for places in classes:
        group, size = Counter(values[place] for place in places), len(places)
        more = sum(max(group[level] * count - table[level] * size, 0) for level in group)
        yield Fraction(more, count * size)


def _ordered_distances(values: list[Value], classes: list[list[int]]) -> Iterator[Fraction]:
    """Return for each class the mean, over the levels but the last, of how its share up to a level differs."""
    table, count = Counter(values), len(values)
    levels = sorted(table)
    rank = {level: at for at, level in enumerate(levels)}
    below = list(accumulate(table[level] for level in levels))[:-1]  # records of the table up to each level
    area = [0, *accumulate(below)]
    for places in classes:
        group, size = Counter(rank[values[place]] for place in places), len(places)
        total = have = start = 0
        for at in [*sorted(group), len(below)]:
            # From one of its values to the next the class has as many records up to each level, and the table ever
            # more: up to some level the class is ahead, and from there on the table.
            turn = bisect_left(below, -(-have * count // size), start, at)
            total += have * count * (turn - start) - size * (area[turn] - area[start])
            total += size * (area[at] - area[turn]) - have * count * (at - turn)
            have, start = have + group[at], at
        yield Fraction(total, count * size * max(len(below), 1))


def _tree_distances(values: list[Value], classes: list[list[int]], tree: Any) -> Iterator[Fraction]:
    """Return for each class what must be carried up and down the branches, by how far each hangs below its node."""
    table, count = Counter(values), len(values)
    codes = [code for missing, code in table if not missing]
    if set(tree) == {"prefix"}:
        tree = _by_prefix(codes, sorted(tree["prefix"]))
    height, leaves, branches = _branches(tree)
    if not set(codes) <= set(leaves):
        raise Unreadable("a column has a category that its hierarchy does not name")
    rises = [*(rise for _, rise in branches), height]  # the last for a missing value, right below the root
    above: dict[Value, list[int]] = defaultdict(list, {MISSING: [len(branches)]})  # the branches that a value hangs on
    for number, (part, _) in enumerate(branches):
        for code in part:
            above[0, code].append(number)
    whole = _on_branches(table, above)
    everywhere = sum(rises[number] * hanging for number, hanging in whole.items())
    for places in classes:
        size, moved = len(places), len(places) * everywhere
        for number, hanging in _on_branches(Counter(values[place] for place in places), above).items():
            # A branch that nothing of the class hangs on differs by all that the table has there.
            usual = whole[number] * size
            moved += rises[number] * (abs(hanging * count - usual) - usual)
        yield Fraction(moved, 2 * height * count * size)


def _on_branches(values: Counter[Value], above: Mapping[Value, list[int]]) -> Counter[int]:
    """Return how many records hang on each branch that has any."""
    found: Counter[int] = Counter()
    for value, records in values.items():
        for number in above[value]:
            found[number] += records
    return found


def _by_prefix(codes: Sequence[str], lengths: Sequence[int]) -> Any:
    """Return the tree of codes that hang together by their first characters."""
    if not lengths:
        return list(codes)
    heads = groupby(sorted(codes), key=lambda code: code[: lengths[0]])
    return {head: _by_prefix(list(part), lengths[1:]) for head, part in heads}


def _branches(part: Any) -> tuple[int, list[str], list[tuple[list[str], int]]]:
    """Return the height of a part of a tree, its codes, and its branches: the codes, and how far below their node."""
    if not isinstance(part, Mapping | list):
        return 0, [_word(part)], []
    parts = [_branches(inner) for inner in (part.values() if isinstance(part, Mapping) else part)]
    height = 1 + max((inner for inner, _, _ in parts), default=0)
    own = [(codes, height - inner) for inner, codes, _ in parts]
    return height, [code for codes, _ in own for code in codes], own + [branch for *_, more in parts for branch in more]


def _diversity(case: Case) -> Iterator[Finding]:
    """Every class has enough different confidential values (Machanavajjhala et al. 2007)."""
    section = case.asked.get("diversity", {})
    for name, values in _protected(case, "diversity"):
        groups = [Counter(values[place] for place in places) for places in case.classes]
        for key in ("distinct", "p_sensitive"):
            if key in section:
                fewest = min(map(len, groups))
                yield Finding(
                    DIVERSITY[key], fewest >= section[key], f"{name} has at least {fewest}, asked {section[key]}"
                )
        if "entropy" in section:
            least = min(map(_perplexity, groups))
            holds = least >= section["entropy"] * (1 - 1e-9)
            yield Finding(DIVERSITY["entropy"], holds, f"{name} has at least {least:.6g}, asked {section['entropy']}")
        if "recursive" in section:
            c, most = Fraction(str(section["recursive"]["c"])), int(section["recursive"]["l"])
            counts = [sorted(group.values(), reverse=True) for group in groups]
            holds = all(count[0] < c * sum(count[most - 1 :]) for count in counts)
            yield Finding(DIVERSITY["recursive"], holds, f"{name}, c = {c}, l = {most}")


def _perplexity(group: Counter[Any]) -> float:
    size = sum(group.values())
    return math.exp(-sum(count / size * math.log(count / size) for count in group.values()))


def _values(rows: Rows, name: str, column: Column) -> list[Value]:
    """Return the cells of a column as something to compare, all of them of its kind; no message may quote one."""
    if name not in rows[0]:
        raise Unreadable(f"the column {name!r} of the plan is not there")
    values = [_value(row[name], column) for row in rows]
    hints = {"date": "date (the plan can say its format)", "ordinal": "level (the plan can say their order)"}
    kind = hints.get(column.get("kind", ""), "number")
    for line, (state, _) in enumerate(values, start=1):
        if state == STRANGE:
            raise Unreadable(f"record {line} has a cell in column {name!r} that is no {kind}")
    return values


def _value(cell: str, column: Column) -> Value:
    """Return what a cell says, to compare and sort by: a missing one comes after all, what is not of its kind last."""
    value: Any = cell[1:] if cell.startswith(MARKED) else cell
    text, relative, ranks = value.strip(), column.get("relative_to"), column.get("ranks")
    kind, gaps = ("numeric", ()) if relative else (column.get("kind"), column.get("gaps", ()))
    try:
        if kind == "ordinal" and ranks:
            value = ranks[text] if text in ranks else ranks[float(text)]
        elif kind in ("numeric", "ordinal"):
            value = float(text.replace(",", "."))
        elif kind == "date":
            value = _date(text, column.get("format"))
    except (ValueError, OverflowError, KeyError):
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


# Beside the promises: what else the plan asks for, and what the original tells.


def _keys(case: Case) -> Iterator[Finding]:
    """Say which keys of the plan are not known: who misspells one asks for nothing by it."""
    tables = [("", case.asked), *((name, case.asked.get(name, {})) for name in ("closeness", "diversity", "risk"))]
    tables += [("attributes", column) for column in case.asked["attributes"].values()]
    unknown = sorted({key for name, table in tables for key in table if key not in KNOWN[name].split()})
    if unknown:
        yield Finding("plan", None, f"what {', '.join(map(repr, unknown))} asks for is not judged here")


def _dropped(case: Case) -> Iterator[Finding]:
    """No more records are left out than the plan allows."""
    share = case.asked.get("suppress", 0)
    if case.original is None and share:
        yield Finding("suppress", None, "dropped records cannot be counted without the original")
    elif case.original is not None and len(case.released) < len(case.original):
        count = len(case.original) - len(case.released)
        holds, were = count <= share * len(case.original) + 1e-9, "was" if count == 1 else "were"
        words = f"{count} of {len(case.original)} records {were} dropped, allowed share {share}"
        yield Finding("suppress", holds, words)


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
            before[person].add(tuple(_value(was.get(of, ""), case.columns[of]) for of in names))
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
    many = _counted(fewest, "pseudonym has", "pseudonyms have")
    words = f"at least {many} rows in the same classes, asked {k}"
    yield Finding("history_k_anonymity", fewest >= k, words)
    persons = case.persons or names
    if not len(set(zip(names, persons, strict=True))) == len(history) == len(set(persons)):
        yield Finding("pseudonyms", holds=False, words=f"{case.pseudonym}: pseudonyms and persons are not one to one")


def _kept(case: Case) -> Iterator[Finding]:
    """What is not masked is as it was, or as the plan recodes it: or these are not the originals of these records."""
    if case.came_from is None:
        return
    for name in _unmasked(case.asked, case.columns):
        if name not in case.came_from[0] or name not in case.released[0]:
            continue
        column = case.columns[name]
        ends, rare = _ends(case, name), _rare(case, name)
        became: dict[Hashable, Hashable] = {}
        found = unread = 0
        for row, was in zip(case.released, case.came_from, strict=True):
            now, then = _value(row[name], column), _before(was, name, case.columns)
            unread += then[0] == STRANGE
            kept = _follows(now, then, column, ends, rare) or _value(row[name], PLAIN) == _value(was[name], PLAIN)
            # What was one value stays one, and what was written in one way too: else they would tell records apart.
            written = (was[name], was.get(column.get("relative_to", "")))
            same = ((then, now), (written, row[name]))
            found += not kept or any(became.setdefault(key, new) != new for key, new in same)
        if found:
            why = "cells were changed, or the row map is not given"
            many = _counted(found, "record", "records")
            yield Finding("kept", not found, f"{name} differs from the original in {many}: {why}")
        if "relative_to" in column and unread:
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


def _ends(case: Case, name: str) -> list[Any]:
    """Return where a column is cut off, low and high: at values of the plan, or quantiles of the whole original."""
    column, ends = case.columns[name], []
    for side in ("low", "high"):
        end, share = (column.get("clip", {}).get(key) for key in (side, f"{side}_quantile"))
        if end is not None:
            dates = column.get("kind") == "date" and "relative_to" not in column
            end = _date(str(end), None) if dates else float(end)
        elif share is not None and case.original is not None:
            cells = (_before(row, name, case.columns) for row in case.original)
            values = sorted(value for state, value in cells if state == 0)
            end = values[max(math.ceil(share * len(values)) - 1, 0)] if values else None
            if end is not None and "round_to" in column:  # columns are rounded before they are cut off
                end = round(end / column["round_to"]) * float(column["round_to"])
        ends.append(end)
    return ends


def _rare(case: Case, name: str) -> set[Value]:
    """Return what too few have in the whole original, those counted whose records were dropped."""
    column, subject, who = case.columns[name], case.subject or "", defaultdict(set)
    if "rare" not in column or case.original is None:
        return set()
    for place, (row, cell) in enumerate(zip(case.original, _values(case.original, name, column), strict=True)):
        who[cell].add(_person(row[subject]) if subject in row else place)
    into = (0, column["rare"].get("into", "other"))
    return {cell for cell, persons in who.items() if len(persons) < column["rare"]["below"]} - {MISSING, into}


def _follows(now: Value, then: Value, column: Column, ends: Sequence[Any], rare: Container[Value]) -> bool:
    """Whether a value is the other as the plan recodes it: the same, one of the rare, rounded, or cut off."""
    if then in rare:
        return now == (0, column["rare"].get("into", "other"))
    if now[0] or then[0]:  # days since a date that is in a form that the plan does not say cannot be compared
        return now == then or ("relative_to" in column and then[0] == STRANGE)
    low, high = ends
    bound = then[1] if low is None else max(then[1], low)
    bound = bound if high is None else min(bound, high)
    if isinstance(bound, datetime):  # a bound between two days moves inward where cells are days
        return abs(now[1] - bound) < timedelta(days=1) if bound != then[1] else now == then
    if isinstance(bound, float):
        return now == then or abs(now[1] - bound) <= column.get("round_to", 0) / 2 * (1 + 1e-9) + abs(bound) * 1e-9
    return now == then


def _recoding(case: Case) -> Iterator[Finding]:
    """What the plan cuts off, rounds or merges before records are compared does not leave."""
    for name, column in case.columns.items():
        if name not in case.released[0] or not {"clip", "round_to", "rare"}.intersection(column):
            continue
        masked, ends = name in case.masked, _ends(case, name)
        values = [value for missing, value in _values(case.released, name, column) if not missing]
        for side, end in zip(("low", "high"), ends, strict=True):
            if masked and case.asked.get("preserve_variance", False):
                continue  # means are stretched, also beyond a bound
            if end is not None:
                # A mean of numbers within a bound may be rounded to just beyond it.
                sizes = [abs(value) for value in values if masked and isinstance(value, float) and math.isfinite(value)]
                slack = timedelta(0) if isinstance(end, datetime) else 1e-9 * max([abs(end), *sizes])
                found = sum(value < end - slack if side == "low" else value > end + slack for value in values)
                many = _counted(found, "value", "values")
                yield Finding("clip", found == 0, f"{name} has {many} beyond the {side} end of clip")
            elif f"{side}_quantile" in column.get("clip", {}):
                yield Finding("clip", None, f"{name}: the {side} quantile is not known without the original")
        if "round_to" in column and not masked:
            base = float(column["round_to"])
            steps = [value / base for value in values if math.isfinite(value / base) and value not in ends]
            found = sum(not math.isclose(step, round(step), rel_tol=1e-9, abs_tol=1e-9) for step in steps)
            many = _counted(found, "value that is", "values that are")
            yield Finding("round_to", found == 0, f"{name} has {many} no multiple of {base:g}")
        if "rare" in column and case.original is None:
            yield Finding("rare", None, f"{name}: who has a category cannot be counted without the original")
        elif "rare" in column:
            found = len(_rare(case, name).intersection(_values(case.released, name, column)))
            few = f"{_counted(found, 'category', 'categories')} that fewer than {column['rare']['below']} have"
            yield Finding("rare", found == 0, f"{name} has {few}")


def _totals(case: Case) -> Iterator[Finding]:
    """A column that the plan calls the sum of others is it, within a billionth of their sizes."""
    for entry in case.asked.get("totals", ()):
        names, found = [entry["total"], *entry["parts"]], 0
        slack = 0 if set(names).intersection(case.masked) else entry.get("tolerance", 0)
        cells = [_values(case.released, name, {**case.columns[name], "kind": "numeric"}) for name in names]
        for together in zip(*cells, strict=True):
            if MISSING not in together:
                total, *parts = (value for _, value in together)
                room = slack + 1e-9 * (abs(total) + sum(map(abs, parts)))
                found += not math.isclose(sum(parts), total, rel_tol=0, abs_tol=room)
        many = _counted(found, "record", "records")
        yield Finding("totals", found == 0, f"{entry['total']} is not the sum of its parts in {many}")


def _permutation(case: Case) -> Iterator[Finding]:
    """What is promised of groups inside which confidential values change places cannot be seen."""
    asked, close = case.asked.get("diversity", {}), case.asked.get("closeness")
    names = ["probabilistic_k_anonymity", *(name for key, name in DIVERSITY.items() if key in asked)]
    for name in [*names, *([] if close is None else ["n_t_closeness" if "n" in close else "t_closeness"])]:
        yield Finding(name, None, "the groups of a permutation leave no trace")


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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has a check mark
    try:
        findings = audit(
            given.release, given.plan, given.original, given.row_map, encoding=given.encoding, missing=given.missing
        )
    except (OSError, ValueError, LookupError, EOFError, zlib.error) as error:
        sys.stderr.write(_line(f"error: the audit cannot read this: {error}"))
        return 2
    except (TypeError, AttributeError, RecursionError):
        sys.stderr.write(_line(f"error: the audit cannot read this: {given.plan} is no plan"))
        return 2
    for name, holds, words in findings:
        sys.stdout.write(_line(f"{'?' if holds is None else '✓' if holds else '✗'} {name}: {words}"))
    return 3 if any(holds is False for _, holds, _ in findings) else 0


def _line(words: str) -> str:
    """Return a line that stays one: a terminal would obey what a name of a plan or file may hold."""
    shown = (letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in words)
    return f"{''.join(shown)}\n"


if __name__ == "__main__":
    sys.exit(main())
