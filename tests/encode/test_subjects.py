"""Subjects: which cells are the same one, which are none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shoal.encode import read_subjects, repeats
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
