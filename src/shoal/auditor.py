"""An auditor's own check of a release: this file alone, with nothing but Python's standard library.

    python auditor.py RELEASE.csv --plan PLAN.toml [--original ORIGINAL.csv] [--row-map ROWS.csv]

It reads the files as text and judges them as an outsider would. It shares no code with what made the release: no line
of it knows how groups are formed. The first half of this file judges the promises that a release is made for:

    audit       reads plan and files (read_csv, _declared, _matched), and asks all that follow
    _columns    no identifier and no undeclared column left, and pseudonyms are none
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
    _kept       columns that are not masked are as in the original, or as the plan recodes them (_recoded)
    _recoding   masked columns are of their kind; nothing lies beyond clip or between the steps of round_to, or is rare
    _totals     sums are the sums of their parts
    _permuted   confidential records that changed places are those of the original

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
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, NamedTuple

Rows = list[dict[str, str]]
Column = Mapping[str, Any]
Value = tuple[int, Any]
MISSING: Value = (1, "")  # after all values, which begin with 0
DELIMITERS = ",;\t|"  # before all others
STRANGE = 2  # begins what is no value of its kind
FORMULA = re.compile(r"(?![+-]?[\d.,]+(e[+-]?\d+)?%?\Z|-inf\Z)[=+\-@\t\r\n＝＋－＠]", re.IGNORECASE)  # to a spreadsheet
DAY = 86_400_000_000  # dates are counted in microseconds from the year 1, and what Python does not read of formats is:
EPOCH = 719_162 * DAY
DATES = {"D": "%m/%d/%y", "F": "%Y-%m-%d", "R": "%H:%M", "T": "%H:%M:%S", "r": "%I:%M:%S %p", "v": "%d-%b-%Y"}
DATES |= {"e": "%d", "h": "%b", "k": "%H", "l": "%I", "P": "%p", "n": " ", "t": " "}

DIVERSITY = {
    "distinct": "distinct_l_diversity",
    "p_sensitive": "distinct_l_diversity",  # its other name
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
RECODED = {"clip", "round_to", "rare", "relative_to"}  # the keys of a column whose values leave as others


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
    kept: list[str]  # the columns that leave as they were, or recoded
    subject: str | None  # the column that says whom a record is about; None: every record is a person
    pseudonym: str | None  # the same, where it leaves under another name
    released: Rows
    original: Rows | None  # the record of each released one at the same place, then those that were dropped
    persons: list[Hashable] | None  # whom each released record is about
    mapped: bool  # whether a row map says which original record is whose, or their order is taken for it
    classes: list[list[int]]  # places of records that are written alike in all quasi-identifiers, and in `by`


def audit(
    release: str,
    plan: str,
    original: str | None = None,
    row_map: str | None = None,
    *,
    encoding: str | None = None,
    missing: Sequence[str] = (),
    codebook: str | None = None,
    held_back: int = 0,
) -> list[Finding]:
    """Judge a written release by its plan; with the original, persons too. These words stand for missing cells."""
    asked = tomllib.loads(Path(plan).read_text(encoding="utf-8-sig"))
    columns = _declared(asked, missing, [] if codebook is None else read_csv(codebook))
    quasi = [name for name, column in columns.items() if column["role"] == "quasi_identifier"]
    subject = None if asked.get("subject") == "record" and "record" not in columns else asked.get("subject")
    pseudonym = subject if asked.get("keep_subject") == "pseudonym" else None
    released = read_csv(release, encoding, columns)
    whole = None if original is None else read_csv(original, encoding, columns)
    if row_map is not None and whole is None:
        raise Unreadable("a row map says where records came from: give the original, too")
    together = [*quasi, *([asked["by"]] if "by" in asked else [])]
    for name in [*together, *([pseudonym] if pseudonym else [])]:
        if name not in released[0]:
            raise Unreadable(f"the release does not have the column {name!r} of the plan")
    for name in [*(name for name in released[0] if name in columns), *([subject] if subject else [])]:
        if whole is not None and name not in whole[0]:
            raise Unreadable(f"the original does not have the column {name!r} of release or plan")
    _unmark(released, whole or [])
    for name, column in columns.items():  # a codebook is for columns of which it knows every cell
        if column["labels"] and not {row.get(name, "").strip() for row in whole or released} <= {"", *column["labels"]}:
            column |= {"labels": {}, "ranks": column["ranks"] if "order" in column else {}}
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, row in enumerate(released):
        classes[tuple(row[name] for name in together)].append(place)
    count, permuted = len(released), asked.get("release") == "permute"
    persons: list[Hashable] | None = list(range(count)) if subject is None else None
    if whole is not None:
        whole = _matched(whole, count, row_map)
        whole = whole[: max(count, len(whole) - held_back)]  # as if those were not there yet
        persons = persons or [_person(row[str(subject)]) for row in whole[:count]]
    roles = ("other", "quasi_identifier" if permuted else "confidential")
    kept = [name for name in released[0] if columns.get(name, {}).get("role") in roles]
    masked, parts, mapped = [] if permuted else quasi, list(classes.values()), row_map is not None
    case = Case(asked, columns, masked, kept, subject, pseudonym, released, whole, persons, mapped, parts)
    of_groups = (_anonymity, _constant, _history, _risk, _closeness, _diversity)
    judges = (_keys, _columns, _dropped, _kept, _recoding, _totals, *((_permuted,) if permuted else of_groups))
    return [finding for judge in judges for finding in judge(case)]


def read_csv(path: str, encoding: str | None = None, known: Container[str] = ()) -> Rows:
    """Read the records of a CSV file as text, by the delimiter that gives the most names that are known."""
    text, file = _text(path, encoding), Path(path).name

    def cells(delimiter: str) -> Iterator[list[str]]:
        return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)

    def fits(delimiter: str) -> tuple[int, bool, int]:
        with suppress(csv.Error):
            hits = sum(name in known for name in next(cells(delimiter)))
            return hits, delimiter in DELIMITERS, head.count(delimiter)
        return -1, False, 0

    head = text.partition("\n")[0]
    limit = csv.field_size_limit(len(text))  # of the whole process: put back at the end
    try:
        delimiter = max([*DELIMITERS, *sorted(set(head) - set('"\r'))], key=fits)
        if len(next(cells(delimiter))) == 1:
            delimiter = "\x1f"  # one name: nothing parts cells, and what looks so is part of them
        lines = cells(delimiter)
        names = [name if name in known else name.removeprefix("'") for name in next(lines)]  # the mark of a formula
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
    unmarked = "utf-16-be" if data[:1] == b"\0" else "utf-16-le" if data[1:2] == b"\0" else ""
    wide = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else unmarked
    for guess in [encoding or wide] if encoding or wide else ["utf-8", "cp1252"]:
        with suppress(UnicodeDecodeError):
            return data.decode(guess).removeprefix("\ufeff")
    raise Unreadable(f"{Path(path).name} is not text: an audit reads CSV files")


def _unmark(released: Rows, original: Rows) -> None:
    """Take the marks off cells that would be formulas, if all such cells of the release are marked to be none."""
    if not any(FORMULA.match(cell) for row in released for cell in row.values()):
        for row in (*released, *original):
            row |= {name: cell[1:] for name, cell in row.items() if cell[:1] == "'" and FORMULA.match(cell[1:])}


def _declared(asked: Any, missing: Sequence[str], codebook: Sequence[Column] = ()) -> dict[str, dict[str, Any]]:
    """Return what the plan says of each column, with what codes, levels and dates are, and what means "no value"."""
    columns = {name: dict(column) for name, column in asked.get("attributes", {}).items()}
    for name, column in list(columns.items()):  # the line of a place is that of its latitude, for both columns
        if column.get("kind") == "place" and "longitude" in column:
            columns[column["longitude"]] = {**column, "latitude": name}
    for name, column in columns.items():
        if column.get("role") not in ("identifier", "quasi_identifier", "confidential", "other"):
            raise Unreadable(f"the plan does not say of the column {name!r} what it is: {column.get('role')!r}")
        book = column["labels"] = {line["code"]: line["label"] for line in codebook if line["column"] == name}
        ranks = column["ranks"] = {_word(level): rank for rank, level in enumerate(column.get("order", book.values()))}
        for word, rank in list(ranks.items()):
            with suppress(ValueError):
                ranks.setdefault(float(word), rank)  # a column of numbers has 1.0 where the plan says 1
        form = re.sub(r"%[-_0:#]*(\w)", lambda code: DATES.get(code[1], f"%{code[1]}"), column.get("format", ""))
        form = re.sub(r"%[36]f", "%f", form)
        forms = [re.sub(r"%\.\d?f", fraction, form) for fraction in ("", ".%f") if form]
        column["forms"] = [form for form in forms if _is_read(form)]
        words = [str(word) for word in column.get("missing_values", asked.get("missing_values", ()))]
        column["gaps"] = {*words, *(_value(word, column) for word in words)}
        column["words"] = set(missing)  # as they are written, where those of the plan are values
    for entry in asked.get("totals", ()):
        columns[entry["total"]]["parts"] = entry["parts"]
    if all(column["role"] != "quasi_identifier" for column in columns.values()):
        raise Unreadable("the plan has no quasi-identifier: there is nothing to judge")
    return columns


def _is_read(form: str) -> bool:
    """Whether dates in a form are read here: not in one that has the day twice, for example."""
    with suppress(ValueError, re.error):
        return form == "%s" or bool(datetime.strptime(datetime(2001, 2, 3, tzinfo=UTC).strftime(form), form))
    return False


def _word(value: Any) -> str:
    """Return what a plan names as a CSV file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _matched(original: Rows, count: int, row_map: str | None) -> Rows:
    """Return the original records, that of each released one at its place: by the row map, or in the same order."""
    if row_map is None:
        if len(original) != count:
            raise Unreadable(f"the release has {count} records and the original {len(original)}: give the row map")
        return original
    try:
        pairs = sorted((int(out), int(into)) for out, into in (row.values() for row in read_csv(row_map)))
    except ValueError:
        raise Unreadable(f"{row_map} does not have two numbers in each line, as a row map has") from None
    first = pairs[0][0]  # rows are counted from 0 or from 1
    came, places = [into - first for _, into in pairs], set(range(len(original)))
    if [out - first for out, _ in pairs] != list(range(count)) or len(set(came)) < count or not places.issuperset(came):
        raise Unreadable(f"{row_map} does not say where each of the {count} released records came from, and once")
    return [original[place] for place in [*came, *(places - set(came))]]


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
    return re.sub(r"\A([+-]?\d+)\.0+\Z", r"\1", text)


def _columns(case: Case) -> Iterator[Finding]:
    """No identifier leaves, but for pseudonyms that the plan asks for, and no column that the plan does not know."""
    unknown = [name for name in case.released[0] if name not in case.columns]
    left = [name for name in case.released[0] if case.columns.get(name, {}).get("role") == "identifier"]
    if (who := case.pseudonym) in left:
        pseudonyms = {row[who] for row in case.released}
        hidden = [name for name, column in case.columns.items() if column["role"] == "identifier"]
        known = {_person(row.get(name, "")).casefold() for row in case.original or () for name in hidden}
        if known.isdisjoint(_person(pseudonym).casefold() for pseudonym in pseudonyms):
            left.remove(who)
        if not all(re.fullmatch("[a-z2-7]{13}", pseudonym) for pseudonym in pseudonyms):
            yield Finding("pseudonyms", holds=False, words=f"{who}: what is not 13 letters and digits is no pseudonym")
        elif case.original is None:
            yield Finding("pseudonyms", None, f"{who}: names in place of pseudonyms are not seen without the original")
    for name, found, what in (("identifiers", left, "calls identifier"), ("columns", unknown, "does not declare")):
        if found:
            yield Finding(name, not found, f"{', '.join(map(repr, found))} left, which the plan {what}")
    if not left and not unknown:
        yield Finding("columns", not left, "no identifier and no undeclared column left")


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def _fewest(case: Case) -> tuple[int, str]:
    """Return how many persons, or records if persons are not known, the smallest class has; and what is not known."""
    if case.persons is None:
        return min(map(len, case.classes)), f"; persons ({case.subject}) cannot be counted without the original"
    fewest = min(len({case.persons[place] for place in places}) for places in case.classes)
    # Rows that no column tells apart may stand in another order: of persons with one row each that changes nothing.
    kept = [tuple(row[name] for name in case.kept if "relative_to" not in case.columns[name]) for row in case.released]
    known = case.mapped or len({*kept}) == len(kept) or len({*case.persons}) == len(case.persons)
    return fewest, "" if known else "; no row map and no column tells whether rows stand as in the original"


def _anonymity(case: Case) -> Iterator[Finding]:
    """Every class has k records; where the plan names subjects, records of k different ones."""
    k, (fewest, unseen) = int(case.asked["k"]), _fewest(case)
    given_up = case.asked.get("guarantee") is False and "closeness" not in case.asked  # which is given up instead of k
    smallest = "the only class" if len(case.classes) == 1 else f"the smallest of {len(case.classes)} classes"
    words = f"{smallest} has {_counted(fewest, 'record')}, asked {k}{unseen}"
    if case.subject is not None and case.persons is not None:
        words = f"the classes have records of at least {fewest} different {case.subject}, asked {k}{unseen}"
    yield Finding("k_anonymity", None if given_up or (unseen and fewest >= k) else fewest >= k, words)


def _protected(case: Case, section: str) -> Iterator[tuple[str, list[Value]]]:
    """Return the columns that a section of the plan protects: those it names, else all confidential ones."""
    asked: Any = case.asked.get(section)
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
            yield Finding("t_closeness", None, f"{name}: an order made from a tree, or a tree in a file, is not judged")
            continue
        among = _equal_distances if case.columns[name].get("kind") == "nominal" else _ordered_distances
        worst = max(among(values, case.classes) if tree is None else _tree_distances(values, case.classes, tree))
        # A run reads 0.3333333333333333 as one third: the nearest fraction that has nine digits at most.
        holds = None if given_up else worst <= Fraction(str(t)).limit_denominator(10**9)
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
    section: Any = case.asked.get("diversity")
    for name, values in _protected(case, "diversity"):
        groups = [Counter(values[place] for place in places) for places in case.classes]
        fewest, counts = min(map(len, groups)), [sorted(group.values(), reverse=True) for group in groups]
        spread = min(math.exp(sum(-n / sum(count) * math.log(n / sum(count)) for n in count)) for count in counts)
        for key, least in (("distinct", fewest), ("p_sensitive", fewest), ("entropy", spread)):
            if key in section:
                words = f"{name} has at least {least:.6g}, asked {section[key]}"
                yield Finding(DIVERSITY[key], least >= section[key] * (1 - 1e-9), words)
        if "recursive" in section:
            c, most = Fraction(str(section["recursive"]["c"])).limit_denominator(10**9), int(section["recursive"]["l"])
            holds = all(count[0] < c * sum(count[most - 1 :]) for count in counts)
            yield Finding(DIVERSITY["recursive"], holds, f"{name}, c = {c}, l = {most}")


def _values(rows: Rows, name: str, column: Column) -> list[Value]:
    """Return the cells of a column as something to compare, all of them of its kind; no message may quote one."""
    if name not in rows[0]:
        raise Unreadable(f"the column {name!r} of the plan is not there")
    values = [_value(row[name], column) for row in rows]
    hints: dict[Any, str] = {
        "date": "date (the plan can say its format)",
        "ordinal": "level (the plan can say their order)",
    }
    kind = "number" if "relative_to" in column else hints.get(column.get("kind"), "number")
    for line, (state, _) in enumerate(values, start=1):
        if state == STRANGE:
            raise Unreadable(f"record {line} has a cell in column {name!r} that is no {kind}")
    return values


def _value(cell: str, column: Column) -> Value:
    """Return what a cell says, to compare and sort by: a missing one comes after all, what is not of its kind last."""
    value: Any = column.get("labels", {}).get(cell.strip(), cell)
    text, ranks, kind = value.strip(), column.get("ranks"), column.get("kind")
    gaps, words = column.get("gaps", ()), column.get("words", ())
    if column.get("relative_to"):  # no longer the date that the plan describes
        kind, gaps, words = "numeric", (), ()
    if not text or text in gaps or cell in words:
        return MISSING
    try:
        if kind == "ordinal" and ranks:
            value = ranks[text] if text in ranks else ranks[float(text)]
        elif kind in ("numeric", "ordinal", "place", "cyclic"):
            value = float(text.replace(",", "."))
            if "_" in text or not text.isascii():  # which Python alone reads as numbers
                return STRANGE, text
        elif kind == "date":
            value = _date(text, column["forms"])
            if not 0 <= value < 3_652_059 * DAY:  # beyond the calendar, in the zone that it is in
                return STRANGE, text
    except (ValueError, KeyError):
        return STRANGE, text
    return MISSING if (0, value) in gaps or value != value else (0, value)  # NaN is not itself


def _date(text: str, forms: Sequence[str]) -> int:
    """Read a date as the plan says that text has it, or as one that was no text is written: microseconds, of UTC."""
    moment = None
    for form in forms:
        with suppress(ValueError):
            if form == "%s":  # seconds, which Python does not read
                return int(text) * 1_000_000 + EPOCH
            moment = moment or datetime.strptime(text, form)
            if "%y" in form and moment.year == 1969:
                moment = moment.replace(year=2069)  # as what wrote it has it: 1970 is the first of its century
    if moment is None and not re.match(r"\d{4}-\d\d-\d\d", text):
        raise ValueError("no date as one that was no text is written")
    moment = moment or datetime.fromisoformat(text)
    zone = moment.utcoffset() or timedelta(0)
    return (moment.replace(tzinfo=None) - datetime.min - zone) // timedelta(microseconds=1)


# Beside the promises: what else the plan asks for, and what the original tells.


def _keys(case: Case) -> Iterator[Finding]:
    """Say which keys of the plan are not known: who misspells one asks for nothing by it."""
    tables = [("", case.asked), *((name, case.asked.get(name, {})) for name in ("closeness", "diversity", "risk"))]
    tables += [("attributes", column) for column in case.asked["attributes"].values()]
    unknown = {key for name, table in tables for key in table if key not in KNOWN[name].split()}
    unknown |= {"order"}.intersection(case.asked)  # that rows were shuffled is not seen
    if unknown:
        yield Finding("plan", None, f"what {', '.join(map(repr, sorted(unknown)))} asks for is not judged here")


def _dropped(case: Case) -> Iterator[Finding]:
    """No more records are left out than the plan allows."""
    share, whole = case.asked.get("suppress", 0), len(case.original or case.released)
    count = whole - len(case.released)
    if case.original is None and share:
        yield Finding("suppress", None, "dropped records cannot be counted without the original")
    elif count:
        words = f"{count} of {whole} records {'was' if count == 1 else 'were'} dropped, allowed share {share}"
        yield Finding("suppress", count <= share * whole + 1e-9, words)


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
    if case.subject is None or case.persons is None or case.original is None:
        return
    for name in case.masked:
        # A place is one value of two columns, a distance one of two dates.
        column = case.columns[name]
        names = [name, *(column[key] for key in ("latitude", "longitude", "relative_to") if key in column)]
        before, after = defaultdict(set), defaultdict(set)
        for person, was, row in zip(case.persons, case.original, case.released):  # noqa: B905  dropped ones are last
            before[person].add(tuple(_value(was[of], case.columns[of]) for of in names))
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
    yield Finding("history_k_anonymity", fewest >= k, f"at least {many} rows in the same classes, asked {k}")
    persons = case.persons or names
    if not len(set(zip(names, persons, strict=True))) == len(history) == len(set(persons)):
        yield Finding("pseudonyms", holds=False, words=f"{case.pseudonym}: pseudonyms and persons are not one to one")


def _kept(case: Case) -> Iterator[Finding]:
    """What is not masked is as it was, or as the plan recodes it: or these are not the originals of these records."""
    original, count = case.original or [], len(case.released)
    for name in case.kept if original else ():
        column, now = case.columns[name], [row[name] for row in case.released]
        if not _is_recoded(case, name) and now == [row[name] for row in original[:count]]:
            continue
        # Written anew, a value has one text, and a column one form: what is written otherwise would be told apart.
        then, texts, forms, found = _recoded(case, name)[0][:count], dict[str, str](), Counter[str](), 0
        for cell, was, old in zip(now, (row[name] for row in original[:count]), then, strict=True):
            new = state, value = _value(cell, column)
            same = new == old and (cell == was or (state != STRANGE and _is_plain(cell, value)))
            if "relative_to" in column and not state and old != MISSING:  # of dates, text has microseconds at most
                room = 0 if old[0] == STRANGE or old[1].is_integer() else 2e-11
                same = old[0] == STRANGE or math.isclose(value, old[1], rel_tol=1e-15, abs_tol=room)
                same = same and _is_plain(cell, value)
            found += not same or texts.setdefault(repr(old), cell) != cell
            if isinstance(value, float) and (value == 0 or 1e-4 <= abs(value) < 1e16):  # programs differ in the others
                ways = {f"{value:.0f}": "whole", repr(value): "point", repr(value).replace(".", ","): "comma"}
                forms[ways.get(cell, cell)] += 1
            elif column.get("kind") == "date" and isinstance(value, int):
                forms[re.sub(r"[\w.]| +(?=\d)", "", cell)] += 1
        found = max(found, sum(sorted(forms.values())[:-1]))
        if found:
            why = "cells were changed, or the row map is not given"
            yield Finding("kept", not found, f"{name} differs from the original in {_counted(found, 'record')}: {why}")
        if "relative_to" in column and any(state == STRANGE for state, _ in then):
            yield Finding("kept", None, f"{name}: dates in a form that is not read here are not compared")


def _is_plain(cell: str, value: Any) -> bool:
    """Whether a cell says no more than the number that it is read as: digits that a double drops may say anything."""
    with suppress(ArithmeticError):  # a code whose label is the number
        return not isinstance(value, float) or Decimal(cell.strip().replace(",", ".")) == Decimal(repr(value))
    return True


def _is_recoded(case: Case, name: str) -> bool:
    """Whether the values of a column leave as others: by a recoding, or as the sum of parts of which one is recoded."""
    column = case.columns[name]
    return bool(RECODED.intersection(column)) or any(_is_recoded(case, part) for part in column.get("parts", ()))


def _recoded(case: Case, name: str) -> tuple[list[Value], list[Any], set[Value]]:
    """Return what the plan makes of each original cell of a column; where it is cut off; and what is rare in it."""
    column, rows = case.columns[name], case.original or []
    values, rare = [_value(row[name], column) for row in rows], set[Value]()
    if "parts" in column and _is_recoded(case, name):
        parts = zip(*(_recoded(case, part)[0] for part in column["parts"]), strict=True)
        records = [tuple(zip(*cells, strict=True)) for cells in parts]
        values = [MISSING if any(states) else (0, [*accumulate(numbers)][-1]) for states, numbers in records]
    if since := column.get("relative_to"):
        dates = [(of, {**case.columns[of], "kind": "date", "relative_to": None}) for of in (name, since)]
        for place, row in enumerate(rows):
            pair = day, origin = [_value(row[of], date) for of, date in dates]
            unread = MISSING if MISSING in pair else (STRANGE, pair)
            values[place] = unread if day[0] or origin[0] else (0, float(day[1] - origin[1]) / DAY)
    if base := column.get("round_to"):
        values = [(state, value if state else _multiple(value, float(base))) for state, value in values]
    ends, clip = [], column.get("clip", {})
    for end, share in ((clip.get(side), clip.get(f"{side}_quantile")) for side in ("low", "high")):
        if end is not None:
            end = _date(str(end), ()) if column.get("kind") == "date" and not since else float(end)
        elif share is not None and (there := sorted(value for state, value in values if not state)):
            end = there[max(math.ceil(share * len(there)) - 1, 0)]
        ends.append(end)
    low, high = ends
    if isinstance(low or high, int):  # a bound moves inward to the days, minutes or seconds that a column has
        steps = (DAY, 60_000_000, 1_000_000, 1_000, 1)
        step = next(step for step in steps if all(state or value % step == 0 for state, value in values))
        low, high = low and -(-low // step) * step, high and high // step * step
    for end, nearer in ((low, max), (high, min)):
        values = [(state, value if state or end is None else nearer(value, end)) for state, value in values]
    if "rare" in column:
        into, who = (0, column["rare"].get("into", "other")), defaultdict(set)
        for place, (row, value) in enumerate(zip(rows, values, strict=True)):
            who[value].add(place if case.subject is None else _person(row[case.subject]))
        rare = {value for value, persons in who.items() if len(persons) < column["rare"]["below"]} - {MISSING, into}
        values = [into if value in rare else value for value in values]
    return values, ends, rare


def _nodes(tree: Any) -> Iterator[str]:
    """Name all nodes of a tree that a plan has, and the one above all."""
    yield "*"
    for node in tree if isinstance(tree, dict | list) else ():
        yield str(node)
        yield from _nodes(tree[node]) if isinstance(tree, dict) else ()


def _multiple(value: float, base: float) -> float:
    """Return the nearest multiple, of two the even one; a number too large to have one beside it is its own."""
    with suppress(OverflowError):
        steps, parts = round(value / base), round(1 / base)
        return steps / parts if parts * base == 1 else steps * base  # 0.3 and not 3 * 0.1
    return value


def _recoding(case: Case) -> Iterator[Finding]:
    """What leaves of a masked column is of its kind, and nothing of what the plan cuts off, rounds or merges."""
    stretched = case.asked.get("preserve_variance") or case.asked.get("method") == "mic1d"
    for name in case.released[0]:
        masked, column = name in case.masked, case.columns.get(name, {})
        if not masked and not {"clip", "round_to", "rare"}.intersection(column):
            continue
        (then, ends, rare), cells = _recoded(case, name), [_value(row[name], column) for row in case.released]
        values = [value for state, value in cells if not state]
        odd, kind, what = sum(state == STRANGE for state, _ in cells), column.get("kind"), "of another kind"
        if not masked:
            odd += sum(not _is_plain(row[name], value) for row, (_, value) in zip(case.released, cells, strict=True))
        elif kind == "nominal" and case.original:
            odd, what = len({*cells}.difference(then, [MISSING])), "that the original does not have"
            if column.get("aggregate") == "ancestor":  # by rule, or of a tree in a file
                odd = len({*cells}.difference(then, [MISSING], ((0, node) for node in _nodes(column.get("hierarchy")))))
                column = {key: column[key] for key in column if key != "kind"}  # so that it is not judged
        if odd:
            said = column.get({"date": "forms", "ordinal": "order"}.get(str(kind), "kind")) or "relative_to" in column
            words = f"{name} has {_counted(odd, 'value')} {what if said else 'in a form that is not read here'}"
            yield Finding("kind", False if said else None, words)
        if "clip" in column:
            _values(case.released, name, column)  # which refuses what cannot be compared with an end
        for side, end in zip(("low", "high"), ends, strict=True):
            if end is not None and not (masked and stretched):
                slack = 1e-9 * abs(end) if masked and isinstance(end, float) else 0  # a mean within it may be rounded
                found = sum(value < end - slack if side == "low" else value > end + slack for value in values)
                yield Finding("clip", not found, f"{name} has {_counted(found, 'value')} beyond the {side} end of clip")
            elif {side, f"{side}_quantile"}.intersection(column.get("clip", {})):
                why = "means may lie beyond" if end is not None else "the original is needed for"
                yield Finding("clip", None, f"{name}: {why} the {side} end of clip")
        if "round_to" in column and masked:
            yield Finding("round_to", None, f"{name}: means of multiples are none")
        elif "round_to" in column:
            base = float(column["round_to"])
            found = sum(value not in ends and _multiple(value, base) != value for value in values)
            many = _counted(found, "value that is", "values that are")
            yield Finding("round_to", found == 0, f"{name} has {many} no multiple of {base:g}")
        if "rare" in column and case.original is None:
            yield Finding("rare", None, f"{name}: who has a category cannot be counted without the original")
        elif "rare" in column:
            found = len(rare.intersection(cells))
            few = f"{_counted(found, 'category', 'categories')} that fewer than {column['rare']['below']} have"
            yield Finding("rare", found == 0, f"{name} has {few}")


def _totals(case: Case) -> Iterator[Finding]:
    """A column that the plan calls the sum of others is it, within a billionth of their sizes."""
    for entry in case.asked.get("totals", ()):
        names, found = [entry["total"], *entry["parts"]], 0
        new = entry["total"] in case.masked or _is_recoded(case, entry["total"])  # a sum of what is there, or not there
        cells = [_values(case.released, name, {**case.columns[name], "kind": "numeric"}) for name in names]
        for together in zip(*cells, strict=True):
            if MISSING in together:
                found += new and (together[0] == MISSING) != (MISSING in together[1:])
                continue
            total, *parts = (value for _, value in together)
            room = (0 if new else entry.get("tolerance", 0)) + 1e-9 * (abs(total) + sum(map(abs, parts)))
            found += not math.isclose(sum(parts), total, rel_tol=0, abs_tol=room)
        where = f" in {_counted(found, 'record')}" if found else ""
        yield Finding("totals", found == 0, f"{entry['total']} is {'not ' if found else ''}the sum of its parts{where}")


def _permuted(case: Case) -> Iterator[Finding]:
    """What is promised of groups inside which confidential values change places cannot be seen; the values can."""
    asked, close = case.asked.get("diversity", {}), case.asked.get("closeness")
    names = ["probabilistic_k_anonymity", *(name for key, name in DIVERSITY.items() if key in asked)]
    for name in [*names, *([] if close is None else ["n_t_closeness" if "n" in close else "t_closeness"])]:
        yield Finding(name, None, "the groups of a permutation leave no trace")
    if case.original is not None:
        moved = [name for name in case.released[0] if case.columns.get(name, {}).get("role") == "confidential"]
        names = [*moved, *([case.asked["by"]] if "by" in case.asked else [])]
        texts = {name: {row[name] for row in case.original} for name in names}
        now = Counter[tuple[Any, ...]]()
        for row in case.released:
            values = [_value(row[name], case.columns[name]) for name in names]
            cells = ((name, row[name], value) for name, (_, value) in zip(names, values, strict=True))
            plain = all(cell in texts[name] or _is_plain(cell, value) for name, cell, value in cells)
            now[tuple(values) if plain else ("digits that a double drops",)] += 1
        odd = now - Counter(zip(*(_recoded(case, name)[0] for name in names), strict=True))
        if odd:
            many = _counted(odd.total(), "record has", "records have")
            yield Finding("permuted", not odd, f"{many} confidential values that none of the original's has")


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the files named on the command line, and say what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("release", help="the released CSV file")
    parser.add_argument("--plan", required=True, help="the plan, a TOML file")
    parser.add_argument("--original", help="the table it was made from, a CSV file")
    parser.add_argument("--row-map", help="which original row each released one came from, a CSV file")
    parser.add_argument("--encoding", help="of release and original, if it is not UTF-8, UTF-16 or Windows-1252")
    parser.add_argument("--missing", action="append", default=[], help="a word that stands for a missing cell")
    parser.add_argument("--codebook", help="what codes mean, a CSV file of the columns column, code, label")
    parser.add_argument("--held-back", type=int, default=0, help="how many records are to be released later")
    given = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has a check mark
    try:
        findings = audit(**vars(given))
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
