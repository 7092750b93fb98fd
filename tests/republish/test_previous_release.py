"""The releases of a growing table, subject by subject: who is grouped, parted and held back, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.encode import Subjects
from shoal.errors import DataError, GuaranteeError, PlanError
from shoal.frames import Table
from shoal.masking.inputs import read_inputs
from shoal.republish.contributions import Courses
from shoal.republish.ledger import Ledger
from shoal.republish.previous_release import (
    NEW,
    Previous,
    check_previous,
    class_columns,
    match_previous,
    previous_sentence,
    remember_release,
    require_one_class,
    rows_to_release,
)

KEY = bytes(range(32))
K = 3
NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
ATTRIBUTES = {"who": {"role": "identifier"}, "age": NUMBER, "town": {"role": "other"}, "heft": {"role": "other"}}

NAMED = {**ATTRIBUTES, "town": {"role": "identifier"}}
TWO = {**ATTRIBUTES, "heft": NUMBER}
SECRET = {**ATTRIBUTES, "heft": {"role": "confidential", "kind": "numeric"}}
STEERED = {"t": 0.3, "method": "steered"}


def plan(**keys: Any) -> shoal.Plan:
    return shoal.Plan(**{"k": K, "subject": "who", "attributes": ATTRIBUTES, **keys})


def marks(values: str) -> str:
    """The marks of a value of each column, by one digit each; 0 where there is none."""
    return "".join(f"{int(value):016x}" for value in values)


def ledger(*releases: dict[str, tuple[int, str]]) -> Ledger:
    """The ledger of releases: by letters, who stood in which class with which values."""
    written = None
    for release in releases:
        people = {letter: row for letters, row in release.items() for letter in letters}
        classes = np.array([number for number, _ in people.values()])
        columns = ["age", "pay"][: len(next(iter(people.values()))[1])]
        written = Ledger.after(
            written, columns, [*people], [marks(values) for _, values in people.values()], classes, KEY
        )
    assert written is not None
    return written


def previous(
    of: Ledger, now: dict[str, str], rows: str = "", *, by: str = "", weights: bool = False, held_back: bool = False
) -> Previous:
    """What was released before, for a table: values by letters; one row for each, or those of some letters."""
    people = {letter: values for letters, values in now.items() for letter in letters}
    rows = rows or "".join(people)
    letters = [*dict.fromkeys(rows)]
    numbers = np.array([letters.index(letter) for letter in rows], dtype=np.int32)
    cells = np.array([of.cells.get(letter, NEW) for letter in rows], dtype=np.int64)
    courses = Courses.of(of, letters, [marks(people[letter]) for letter in letters], has_weights=weights)
    domains = np.array([ord(value) for value in by], dtype=np.int64) if by else None
    return Previous(plan(), "f" * 64, of, cells, courses, Subjects("who", numbers), domains, held_back)


FIRST = ledger({"abc": (0, "1"), "defg": (1, "1")})
STILL = {"abcdefg": "1"}


@pytest.mark.parametrize(
    ("now", "rows", "groups"),
    [
        (STILL, "", "0001111"),
        ({"abcdefg": "1", "hij": "1"}, "", "0001111222"),
        # fewer than k go to the largest cell, and k of such cells together are one of their own
        ({"abdefg": "1"}, "", "111111"),
        ({"abdefg": "1"}, "aabdefg", "1111111"),
        ({"adefg": "1", "h": "1"}, "adhefg", "111111"),
        ({"abdefg": "1", "h": "1"}, "abdefgh", "0011110"),
        ({"adefg": "1", "hi": "1"}, "defgahi", "0000111"),
    ],
)
def test_cells_of_fewer_than_k_are_put_together(now: dict[str, str], rows: str, groups: str) -> None:
    assert previous(FIRST, now, rows).groups(K).tolist() == [int(group) for group in groups]


@pytest.mark.parametrize(
    ("of", "now", "classes", "parted"),
    [
        (FIRST, STILL, "0001111", []),
        (FIRST, {"abcdefg": "1", "hij": "1"}, "0001111222", []),
        (FIRST, {"abcdef": "1"}, "000111", [1]),
        (FIRST, {"bcdef": "1"}, "00111", [1, 1]),
        (FIRST, {"abc": "1"}, "000", [4]),
        # one who has changed, two who have, all three, and one of them who is in no class of its own
        (FIRST, {"a": "2", "bcdefg": "1"}, "0001111", [1]),
        (FIRST, {"de": "2", "abcfg": "1"}, "1100011", [2]),
        (FIRST, {"abc": "2", "defg": "1"}, "0001111", []),
        (FIRST, {"abc": "2", "defg": "1"}, "0121111", [1]),
        # of those who left, one had changed by itself
        (
            ledger({"abc": (0, "1"), "defg": (1, "1")}, {"abc": (0, "1"), "d": (1, "2"), "efg": (1, "1")}),
            {"abc": "1"},
            "000",
            [4, 1],
        ),
        # a class of one value had told of it by itself
        (
            ledger(
                {"abc": (0, "1"), "d": (1, "1"), "efg": (1, "0")}, {"abc": (0, "1"), "d": (1, "2"), "efg": (1, "0")}
            ),
            {"abc": "1"},
            "000",
            [4],
        ),
        # a class of two values has told of them by itself, then or now
        (ledger({"abcd": (0, "1"), "ef": (0, "0")}), {"ab": "2", "cd": "1", "ef": "0"}, "000000", [2]),
        (ledger({"ab": (0, "1"), "cd": (0, "0")}), {"a": "2", "b": "1", "cd": "0"}, "0000", [1]),
        (ledger({"ab": (0, "1"), "cd": (0, "0")}), {"ab": "2", "cd": "0"}, "0000", []),
        (ledger({"abcd": (0, "1")}), {"ab": "1", "cd": "0"}, "0000", []),
    ],
)
def test_sums_part_those_who_left_and_those_who_have_changed(
    of: Ledger, now: dict[str, str], classes: str, parted: list[int]
) -> None:
    found = previous(of, now).parted(np.array([int(number) for number in classes]), K)
    assert found.tolist() == parted
    assert found.dtype == np.int64


WEIGHED = ledger({"abc": (0, "11"), "defg": (1, "11")})


def test_whose_weight_has_changed_is_parted_by_it() -> None:
    found = previous(WEIGHED, {"a": "12", "bcdefg": "11"}, "aabcdefg", weights=True)
    assert found.parted(np.array([0, 0, 0, 0, 1, 1, 1, 1]), K).tolist() == [1]
    assert found.releasable(K).tolist() == [False] * 4 + [True] * 4


@pytest.mark.parametrize(
    ("of", "now", "rows", "by", "held"),
    [
        (FIRST, STILL, "", "", ""),
        (FIRST, {"abcdefg": "1", "hij": "1"}, "", "", ""),
        (FIRST, {"abcdefg": "1", "hi": "1"}, "abcdefghihi", "", "hi"),
        (FIRST, {"abdefg": "1"}, "aabdefg", "", "ab"),
        (FIRST, {"abcdef": "1"}, "", "", "def"),
        (FIRST, {"abc": "1", "d": "1"}, "", "", "d"),
        (FIRST, {"abc": "1"}, "", "", ""),
        (FIRST, {"a": "2", "bcdefg": "1"}, "", "", "abc"),
        (FIRST, {"abc": "2", "defg": "1"}, "", "", ""),
        (FIRST, {"defg": "2", "abc": "1"}, "", "", ""),
        (FIRST, {"de": "2", "fgabc": "1"}, "", "", "defg"),
        # newcomers of each value of by, and who of a cell has another
        (FIRST, {"abcdefg": "1", "hijkl": "1"}, "abcdefghijkl", "nnnnnnnnnnss", "kl"),
        (FIRST, {"abcdefg": "1"}, "aabcdefg", "nnnnssss", ""),
        (FIRST, {"abcdefg": "1"}, "abcdefg", "nnsssss", "abc"),
        (FIRST, {"abcdefg": "1"}, "abcdefgg", "nnnssssn", "defg"),
        # those who left take with them that one of them had changed
        (
            ledger({"abcdefgh": (0, "1"), "ijk": (1, "1")}, {"abcdefgijk": (0, "1"), "h": (0, "2")}),
            {"abcdijk": "1"},
            "",
            "",
            "abcd",
        ),
        (
            ledger(
                {"abc": (0, "1"), "defghi": (1, "1")},
                {"abc": (0, "1"), "defgh": (1, "1"), "i": (1, "2")},
            ),
            {"abcdef": "1"},
            "",
            "",
            "def",
        ),
        # two values in a mean were shown by themselves
        (ledger({"abcd": (0, "1"), "ef": (0, "0")}), {"ab": "2", "cd": "1", "ef": "0"}, "", "", "abcdef"),
        (ledger({"ab": (0, "1"), "cd": (0, "0")}), {"ab": "2", "cd": "0"}, "", "", ""),
        (ledger({"xyz": (0, "1"), "ab": (1, "1"), "cd": (1, "0")}), {"xyz": "1", "ab": "2", "cd": "0"}, "", "", ""),
    ],
)
def test_who_would_be_parted_is_held_back(of: Ledger, now: dict[str, str], rows: str, by: str, held: str) -> None:
    found = previous(of, now, rows, by=by)
    rows = rows or "".join(now)
    assert [letter for letter, free in zip(rows, found.releasable(K), strict=True) if not free] == [
        letter for letter in rows if letter in held
    ]


def test_who_of_a_cell_is_alone_with_a_value_of_by_is_found() -> None:
    found = previous(FIRST, {"abcdefg": "1", "h": "1"}, "aabcdefgh", by="nnnnsstts")
    assert found.scattered(K).tolist() == [4, 5, 6, 7]
    assert previous(FIRST, STILL, "aabcdefg", by="nnsnssss").scattered(K).tolist() == [0, 1, 2, 3]


def test_a_manifest_counts_subjects() -> None:
    found = previous(FIRST, {"a": "2", "bde": "1", "hi": "1"}, "aabdehhi")
    assert found.to_dict() == {
        "sha256": "f" * 64,
        "releases": 1,
        "stayed": 4,
        "new": 2,
        "not_there": 3,
        "changed": 1,
    }
    assert (found.releases, found.name) == (1, "the previous release")


def test_what_helps_is_said_but_not_to_whom_it_was_done() -> None:
    assert previous(FIRST, STILL).remedy.endswith("or hold back who cannot be released (hold_back)")
    assert previous(FIRST, STILL, held_back=True).remedy.endswith("column by column")


def test_a_table_of_others_is_refused() -> None:
    with pytest.raises(GuaranteeError, match="nobody of the 7 subjects of earlier releases is in the table") as refused:
        previous(FIRST, {"hij": "1"}).require_somebody()
    assert refused.value.reached == 0
    previous(FIRST, {"hij": "1", "a": "1"}).require_somebody()


# Whole tables


def people(letters: str = "abcdefg", **columns: Any) -> pl.DataFrame:
    ages = {letter: 10.0 * (ord(letter) - ord("a")) for letter in "abcdefghijklm"}
    count = len(letters)
    whole = {
        "who": [*letters],
        "age": [ages[letter] for letter in letters],
        "town": ["n"] * count,
        "heft": [1.0] * count,
    }
    return pl.DataFrame({**whole, **columns})


def remembered(before: Previous | None, frame: pl.DataFrame, classes: str, asked: shoal.Plan) -> Ledger:
    """The ledger with a release of a table in these classes."""
    table = Table.of(frame)
    released = frame.drop("who").with_columns(age=pl.Series([float(number) for number in classes]))
    return remember_release(before, table, Table.of(released), read_inputs(table, asked), asked, KEY)


def model(letters: str = "abcdefg", classes: str = "0001111", **keys: Any) -> Any:
    """The model of the release of a table."""
    asked = plan(**keys)
    return SimpleNamespace(plan=asked, released="f" * 64, ledger=remembered(None, people(letters), classes, asked))


def matched(given: Any, frame: pl.DataFrame, *, anyway: bool = False, key: bytes = KEY, **keys: Any) -> Previous:
    table, asked = Table.of(frame), plan(**keys)
    return match_previous(given, table, read_inputs(table, asked), asked, key, anyway=anyway)


def test_a_release_is_remembered_by_its_classes_one_for_each_subject() -> None:
    written = model("aabcdefg", "00001111").ledger
    assert list(written.cells.values()) == [0, 0, 0, 1, 1, 1, 1]
    assert (written.releases, written.columns) == (1, ("age",))
    assert written.shown.tolist() == [[3], [4]]
    frame = people("abcdefghij")
    second = remembered(matched(model(), frame), frame, "0001111222", plan())
    assert (second.releases, second.sizes.tolist()) == (2, [3, 4, 3])


def test_subjects_are_recognised_whatever_their_rows() -> None:
    found = matched(model(), people("gfedcbahijh"))
    assert found.cells.tolist() == [1, 1, 1, 1, 0, 0, 0, NEW, NEW, NEW, NEW]
    assert (found.fingerprint, found.subjects.name, found.domains) == ("f" * 64, "who", None)
    assert found.plan.subject_column() == "who"
    assert not found.courses.has_weights
    by = matched(model(by="town"), people("abcdefg"), by="town")
    assert by.domains is not None


@pytest.mark.parametrize(
    ("keys", "letters", "columns", "words", "reached"),
    [
        ({}, "abcdefgh", {}, "^1 subject is new since the previous release, fewer than k = 3", 1),
        ({}, "abcdefghii", {}, "^2 subjects are new since the previous release, fewer than k = 3", 2),
        ({"by": "town"}, "abcdefghijkl", {"town": [*"nnnnnnnnnnss"]}, "^2 subjects are new .* inside a value of by", 2),
        ({"by": "town"}, "abcdefg", {"town": [*"nnsnnnn"]}, "^fewer than k = 3 subjects of a group .* of by", 1),
        ({}, "aabdefg", {}, "^of 1 group of the previous release fewer than k = 3 subjects are left, 2 at worst", 2),
        ({}, "abd", {}, "^of 2 groups of the previous release fewer than k = 3 subjects are left, 1 at worst", 1),
        ({"weights": "heft"}, "aabcdefg", {"heft": [2.0] * 2 + [1.0] * 6}, "^1 subject has another weight", 1),
        ({"weights": "heft"}, "abcdefg", {"heft": [2.0] * 2 + [1.0] * 5}, "^2 subjects have another weight", 1),
    ],
)
def test_too_few_are_refused_unless_that_is_accepted(
    keys: Any, letters: str, columns: Any, words: str, reached: int
) -> None:
    before, frame = model(**keys), people(letters, **columns)
    with pytest.raises(GuaranteeError, match=words) as refused:
        matched(before, frame, **keys)
    assert refused.value.reached == reached
    assert matched(before, frame, anyway=True, **keys).releases == 1


@pytest.mark.parametrize(
    ("keys", "letters", "columns"),
    [
        ({}, "abcdefghij", {}),
        ({}, "abcdef", {}),
        ({}, "defg", {}),
        ({"by": "town"}, "abcdefghijklm", {"town": [*"nnnnnnnnnnsss"]}),
        ({"by": "town"}, "abcdefg", {"town": [*"nnnssss"]}),
        ({"weights": "heft"}, "bcaefg", {}),
    ],
)
def test_enough_are_not(keys: Any, letters: str, columns: Any) -> None:
    assert matched(model(**keys), people(letters, **columns), **keys).releases == 1


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ({}, {"weights": "heft"}, "^weights of the previous release is none, and that of the plan 'heft'"),
        ({"weights": "heft"}, {}, "^weights of the previous release is 'heft', and that of the plan none"),
        ({}, {"by": "town"}, "has the quasi-identifiers 'age' and the plan 'age', 'town'"),
        ({"by": "town"}, {}, "has the quasi-identifiers 'age', 'town' and the plan 'age'"),
    ],
)
def test_a_plan_of_other_columns_is_refused_in_any_case(before: Any, now: Any, words: str) -> None:
    for anyway in (False, True):
        with pytest.raises(PlanError, match=words):
            matched(model(**before), people(), anyway=anyway, **now)


def test_a_model_without_a_ledger_of_others_of_other_means_or_by_another_key_is_refused() -> None:
    given = model()
    with pytest.raises(DataError, match="remembers nobody"):
        matched(SimpleNamespace(plan=given.plan, released="f", ledger=None), people())
    with pytest.raises(DataError, match="the key is not the one"):
        matched(given, people(), key=bytes(32))
    with pytest.raises(PlanError, match=r"^subject of the previous release is 'who', and that of the plan 'town'"):
        matched(model(attributes=NAMED), people(town=[*"tuvwxyz"]), attributes=NAMED, subject="town")
    other = Ledger.after(None, ("pay",), [*"abc"], [marks("1")] * 3, np.zeros(3, dtype=np.int64), KEY)
    with pytest.raises(PlanError, match="has means of 'pay' and the plan of 'age'"):
        matched(SimpleNamespace(plan=given.plan, released="f", ledger=other), people())


def test_rows_that_cannot_be_released_wait() -> None:
    asked = plan()
    assert rows_to_release(Table.of(people("abcdefghh")), asked, model(), KEY).tolist() == [*range(7)]
    with pytest.raises(
        GuaranteeError, match=r"all 4 records would be held back .* until k = 3 subjects are new"
    ) as refused:
        rows_to_release(Table.of(people("abhh")), plan(k=3), model(), KEY)
    assert refused.value.reached == 0
    with pytest.raises(GuaranteeError, match="nobody of the 7 subjects"):
        rows_to_release(Table.of(people("hij")), asked, model(), KEY)


@pytest.mark.parametrize(
    ("letters", "columns", "keys", "words"),
    [
        ("aabc", {"age": [1.0, 2.0, 3.0, 4.0]}, {}, "^'age' differs between records of one subject"),
        ("aabc", {"heft": [1.0, 2.0, 3.0, 4.0]}, {"weights": "heft"}, "^weights differ between records of one subject"),
    ],
)
def test_a_subject_stands_in_one_class_with_one_weight(letters: str, columns: Any, keys: Any, words: str) -> None:
    table, same = Table.of(people(letters, **columns)), Table.of(people(letters))
    with pytest.raises(DataError, match=words):
        require_one_class(read_inputs(table, plan(**keys)))
    assert require_one_class(read_inputs(same, plan(**keys))).count == 3


@pytest.mark.parametrize(
    ("keys", "given", "key", "words"),
    [
        ({}, True, None, "^previous needs the key by which its release remembers subjects"),
        ({}, False, b"short", "^remember must be 32 random bytes"),
        ({"subject": "record"}, False, KEY, "the plan names none"),
        ({"suppress": 0.1}, True, KEY, "leave suppress and guarantee = false out"),
        ({"attributes": TWO, "method": "individual", "guarantee": False}, False, KEY, "groups of whole records"),
        (
            {"attributes": SECRET, "guarantee": False, "closeness": STEERED},
            False,
            KEY,
            "leave suppress and guarantee",
        ),
    ],
)
def test_plans_that_cannot_remember_are_refused(keys: Any, given: bool, key: Any, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        check_previous(plan(**keys), model() if given else None, key)


def test_all_others_are_not() -> None:
    check_previous(plan(subject="record", suppress=0.1), None, None)
    check_previous(plan(), None, KEY)
    check_previous(plan(), model(), KEY)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((300, 40, 2, 0), "300 subjects stayed and 40 are new; 2 of earlier releases are not among them"),
        (
            (1, 1, 1, 1),
            "1 subject stayed and 1 is new; 1 of earlier releases is not among them; 1 record was held back",
        ),
        (
            (0, 0, 0, 1000),
            "0 subjects stayed and 0 are new; 0 of earlier releases are not among them; 1,000 records were held back",
        ),
    ],
)
def test_a_sentence_counts_who_stayed_came_and_went(counts: Any, said: str) -> None:
    assert previous_sentence(dict(zip(("stayed", "new", "not_there", "held_back"), counts, strict=True))) == said


@pytest.mark.parametrize(
    ("keys", "columns"),
    [({}, ("age",)), ({"by": "town"}, ("age", "town")), ({"by": "age"}, ("age",))],
)
def test_classes_are_told_by_quasi_identifiers_and_by(keys: Any, columns: tuple[str, ...]) -> None:
    assert class_columns(plan(**keys)) == columns
