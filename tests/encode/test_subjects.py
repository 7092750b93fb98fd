"""Subjects: which cells are the same one, which are none."""

import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shoal.auditor import _person
from shoal.encode import read_subjects, repeats, subject_text
from shoal.errors import DataError
from shoal.frames import Table


def numbers(values, **options):
    return read_subjects(Table.of(pl.DataFrame({"who": pl.Series(values, **options)})), "who").numbers.tolist()


def test_spaces_and_forms_of_unicode_do_not_make_a_person_two():
    one, two, three, four, five = numbers(["Zo\u00eb", " Zoe\u0308 ", "Zoe", "\uff21\uff22", "AB\u00a0"])
    assert one == two
    assert four == five
    assert len({one, three, four}) == 3


def test_a_whole_number_is_one_however_it_is_written_and_what_nobody_sees_does_not_count():
    assert len(set(numbers(["3", "3.0", " 3.00", "3\u200b", "\ufeff3"]))) == 1
    assert len(set(numbers(["3", "03", "3.5", "3.0.0"]))) == 4


UNSEEN = {
    "variation selector": "\ufe0f",
    "grapheme joiner": "\u034f",
    "Hangul filler": "\u3164",
    "Hangul filler of a syllable": "\u115f",
    "half-width Hangul filler": "\uffa0",
    "Mongolian selector": "\u180b",
    "soft hyphen": "\u00ad",
    "tag": "\U000e0041",
    "control": "\x01",
    "delete": "\x7f",
    "control of the upper half": "\x85",
    "separator of units": "\x1f",
}


@pytest.mark.parametrize("letter", UNSEEN.values(), ids=UNSEEN)
def test_what_nobody_sees_does_not_make_a_person_two(letter):
    assert len(set(numbers(["ann", f"ann{letter}", f"{letter}ann", f"a{letter}nn", f" ann {letter} "]))) == 1
    with pytest.raises(DataError, match="has no value in 1 of 2 records"):
        numbers(["ann", letter])


@pytest.mark.parametrize("blank", ["\u2800", "\u2003", "\u1680", "\t", "\n", "\r\n", "\u2028"])
def test_blanks_are_spaces(blank):
    one, same, other = numbers(["ann lee", f"ann{blank}lee{blank}", "annlee"])
    assert one == same != other


def test_ranges_of_characters_that_nobody_sees_are_those_of_unicode():
    """Controls and marks of format, what is ignorable beside them, and nothing else; the auditor says so by itself."""
    texts = {code: subject_text(f"a{chr(code)}b") for code in range(0x3000)}
    assert {code: _person(f"a{chr(code)}b") for code in texts} == texts
    gone = {code for code, text in texts.items() if text == "ab"}
    assert {code for code in texts if unicodedata.category(chr(code)) in ("Cc", "Cf")} - gone == {0x09, 0x0A}
    assert {hex(code) for code in gone if unicodedata.category(chr(code)) not in ("Cc", "Cf")} == {
        *("0x34f", "0x115f", "0x1160", "0x17b4", "0x17b5", "0x180b", "0x180c", "0x180d", "0x180f"),
        "0x2065",  # not given to a character yet, and ignorable already
    }


def test_bytes_are_counted_as_they_are():
    frame = pl.DataFrame({"key": [b"a", b"a", b"b", None], "who": [["x"], ["x"], ["y"], ["z"]]})
    assert repeats(Table.of(frame), "key") == (3, 2)
    assert repeats(Table.of(frame), "who") == (0, 0)


def test_letter_case_makes_two_and_is_counted():
    subjects = read_subjects(Table.of(pl.DataFrame({"who": ["ann", "Ann", "bo", "ann"]})), "who")
    assert subjects.count == 3
    assert subjects.case_variants == 1


@pytest.mark.parametrize("values", [["a", None, "b"], ["a", "", "b"], ["a", "  ", "b"], [1, None, 2]])
def test_a_missing_or_blank_subject_is_refused_with_the_count(values):
    with pytest.raises(DataError, match=r"^subject column 'who' has no value in 1 of 3 records"):
        numbers(values)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"who": [3, 1, 3]}),
        pl.DataFrame({"who": [3.0, 1.0, 3.0]}),
        pd.DataFrame({"who": pd.Categorical(["c", "a", "c"], categories=["a", "b", "c", "d"])}),
        pl.DataFrame({"who": [True, False, True]}),
    ],
)
def test_any_type_of_column_gives_numbers_without_gaps(frame):
    subjects = read_subjects(Table.of(frame), "who")
    assert subjects.numbers[0] == subjects.numbers[2] != subjects.numbers[1]
    assert sorted(set(subjects.numbers.tolist())) == [0, 1]
    assert subjects.first_rows.tolist() in ([0, 1], [1, 0])


def test_repeats_counts_values_that_are_there():
    assert repeats(Table.of(pl.DataFrame({"who": ["a", "a ", None, "b", ""]})), "who") == (3, 2)


def test_what_is_constant_is_so_for_every_subject():
    subjects = read_subjects(Table.of(pl.DataFrame({"who": ["a", "b", "a", "b"]})), "who")
    assert subjects.is_constant(np.array([1, 2, 1, 2]))
    assert not subjects.is_constant(np.array([1, 2, 1, 3]))
