"""What the auditor says of columns: as they were, recoded as the plan has it, of their kind, sums of their parts."""

from pathlib import Path

from audited import (
    ABOVE,
    AMOUNT,
    BELOW,
    CHANGED,
    DAY,
    ILL,
    LEVEL,
    NAME,
    NUMBER,
    OTHER,
    PAY,
    RANK,
    SEEN,
    SINCE,
    WORD,
    cases,
    check,
    plan,
)


@cases(
    {
        "cells that changed": (
            plan(it=PAY),
            "age it; 1 4; 1 6",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it; p 1 5; q 1 6",
        ),
        "all cells changed": (
            plan(it=PAY),
            "age it; 1 5.0; 1 7.0",
            [f"✗ kept: it differs from the original in 2 records{CHANGED}"],
            "who age it; p 1 4; q 1 6",
        ),
        "distances": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4.0; 1 6.5",
            [],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-07T12:00:00 2020-01-01",
        ),
        "a distance within a microsecond": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4.0; 1 6.50000000001",
            [],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-07T12:00:00 2020-01-01",
        ),
        "a distance beyond a microsecond": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4.0; 1 6.50000000003",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-07T12:00:00 2020-01-01",
        ),
        "a distance of half a day more": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4.0; 1 7.0",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-07T12:00:00 2020-01-01",
        ),
        "a long distance beyond a microsecond": (
            plan(it=SINCE, born=NAME),
            "age it; 1 36524.5000001; 1 4.0",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it born; p 1 2099-12-31T12:00:00 2000-01-01; q 1 2020-01-05 2020-01-01",
        ),
        "a whole distance with a fraction": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4.00000000001; 1 6.0",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-07 2020-01-01",
        ),
        "distances of a day more": (
            plan(it=SINCE, born=NAME),
            "age it; 1 5; 1 7",
            [f"✗ kept: it differs from the original in 2 records{CHANGED}"],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-07 2020-01-01",
        ),
        "a distance with digits that a double drops": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4.00000000000000000001",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it born; p 1 2020-01-05 2020-01-01",
        ),
        "a distance from a gap": (
            plan(it=SINCE, born=NAME),
            "age it; 1 ~; 1 6; 1 ~",
            [],
            "who age it born; p 1 2020-01-05 ~; q 1 2020-01-07 2020-01-01; r 1 ~ 2020-01-01",
        ),
        "a distance where there was none": (
            plan(it=SINCE, born=NAME),
            "age it; 1 5; 1 6",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it born; p 1 2020-01-05 ~; q 1 2020-01-07 2020-01-01",
        ),
        "a distance from a date in another form": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4; 1 6",
            ["? kept: it: dates in a form that is not read here are not compared"],
            "who age it born; p 1 05/01/2020 2020-01-01; q 1 2020-01-07 2020-01-01",
        ),
        "a distance to a date in another form": (
            plan(it=SINCE, born=NAME),
            "age it; 1 4; 1 6",
            ["? kept: it: dates in a form that is not read here are not compared"],
            "who age it born; p 1 2020-01-05 01/01/2020; q 1 2020-01-07 2020-01-01",
        ),
        "distances that are rounded and cut off": (
            plan(it=SINCE + ", round_to = 5, clip = { high = 8 }", born=NAME),
            "age it; 1 5; 1 8",
            [f"✓ clip: it has 0 values{ABOVE}", "✓ round_to: it has 0 values that are no multiple of 5"],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-31 2020-01-01",
        ),
        "distances that were not rounded and cut off": (
            plan(it=SINCE + ", round_to = 5, clip = { high = 8 }", born=NAME),
            "age it; 1 4; 1 30",
            [
                f"✗ kept: it differs from the original in 2 records{CHANGED}",
                f"✗ clip: it has 1 value{ABOVE}",
                "✗ round_to: it has 1 value that is no multiple of 5",
            ],
            "who age it born; p 1 2020-01-05 2020-01-01; q 1 2020-01-31 2020-01-01",
        ),
        "whole numbers and others": (
            plan(it=PAY),
            "age it; 1 0; 1 1.0; 1 2.0; 1 3",
            [f"✗ kept: it differs from the original in 2 records{CHANGED}"],
            "who age it; p 1 0; q 1 1; r 1 2; s 1 3",
        ),
        "a zero among numbers with a point": (
            plan(it=PAY),
            "age it; 1 0; 1 1.0",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it; p 1 0; q 1 1",
        ),
        "digits behind a comma that a double drops": (
            plan(it=PAY),
            'age it; 1 "4,00000000000000000001"',
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it; p 1 4",
        ),
        "commas among points": (
            plan(it=PAY),
            'age it; 1 0.5; 1 "0,25"; 1 2.0',
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it; p 1 0.5; q 1 0.25; r 1 2",
        ),
        "commas": (plan(it=PAY), 'age it; 1 "0,5"; 1 "2,0"', [], "who age it; p 1 0.5; q 1 2"),
        "a comma in the smallest number that has one form": (
            plan(it=PAY),
            'age it; 1 "0,0001"; 1 2.0',
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it; p 1 0.0001; q 1 2",
        ),
        "a number that programs write in several ways": (
            plan(it=PAY),
            "age it; 1 10000000000000000; 1 2.0; 1 3.0",
            [],
            "who age it; p 1 10000000000000000; q 1 2; r 1 3",
        ),
        "two strange forms": (
            plan(it=PAY),
            "age it; 1 1.50; 1 2.500",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}"],
            "who age it; p 1 1.5; q 1 2.5",
        ),
        "levels that are numbers": (
            plan(it=RANK + ', order = ["-1", "1"]'),
            "age it; 1 -1.0; 1 1.0",
            [],
            "who age it; p 1 -1; q 1 1",
        ),
        "dates with and without a time": (
            plan(it=SEEN),
            "age it; 1 2020-01-05T00:00:00; 1 2020-01-06; 1 2020-01-07T00:00:00; 1 2020-01-08",
            [f"✗ kept: it differs from the original in 2 records{CHANGED}"],
            "who age it; p 1 2020-01-05; q 1 2020-01-06; r 1 2020-01-07; s 1 2020-01-08",
        ),
        "days of one digit": (
            plan(it=SEEN + ', format = "%d/%m/%Y"'),
            "age it; 1 1/2/2020; 1 11/12/2020",
            [],
            "who age it; p 1 01/02/2020; q 1 11/12/2020",
        ),
        "numbers beside what is none": (plan(it=PAY), "age it; 1 <5; 1 20.0", [], "who age it; p 1 <5; q 1 20"),
        "a column that nobody declared": (
            plan(),
            "age new; 1 x",
            ["✗ columns: 'new' left, which the plan does not declare"],
            "who age new; p 1 x",
        ),
        "a sum of three parts": (
            plan(
                "totals = [{ total = 'sum', parts = ['a', 'b', 'c'] }]",
                sum=AMOUNT,
                a=AMOUNT + ", round_to = 5",
                b=AMOUNT,
                c=AMOUNT,
            ),
            "age sum a b c; 1 13 5 1 7",
            ["✓ round_to: a has 0 values that are no multiple of 5", "✓ totals: sum is the sum of its parts"],
            "who age sum a b c; p 1 12 4 1 7",
        ),
        "the sum of two of three parts": (
            plan(
                "totals = [{ total = 'sum', parts = ['a', 'b', 'c'] }]",
                sum=AMOUNT,
                a=AMOUNT + ", round_to = 5",
                b=AMOUNT,
                c=AMOUNT,
            ),
            "age sum a b c; 1 6 5 1 7",
            [
                f"✗ kept: sum differs from the original in 1 record{CHANGED}",
                "✓ round_to: a has 0 values that are no multiple of 5",
                "✗ totals: sum is not the sum of its parts in 1 record",
            ],
            "who age sum a b c; p 1 12 4 1 7",
        ),
        "sums of columns without a kind": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'] }]", sum=OTHER, a=OTHER, b=OTHER),
            "age sum a b; 1 3 1 2",
            ["✓ totals: sum is the sum of its parts"],
        ),
        "a gap before a sum that is none": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'] }]", sum=AMOUNT, a=AMOUNT, b=AMOUNT),
            "age sum a b; 1 ~ 1 2; 1 4 1 2; 1 5 1 2",
            ["✗ totals: sum is not the sum of its parts in 2 records"],
        ),
        "a gap among the parts of a masked sum": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'] }]", sum=NUMBER, a=NUMBER, b=NUMBER),
            "age sum a b; 1 3 ~ 2; 1 ~ 1 2; 1 ~ ~ 2; 1 3 1 2",
            ["✗ totals: sum is not the sum of its parts in 2 records"],
        ),
        "a sum within the tolerance": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'], tolerance = 1 }]", sum=AMOUNT, a=AMOUNT, b=AMOUNT),
            "age sum a b; 1 4 1 2",
            ["✓ totals: sum is the sum of its parts"],
        ),
        "a sum beyond the tolerance": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'], tolerance = 1 }]", sum=AMOUNT, a=AMOUNT, b=AMOUNT),
            "age sum a b; 1 4.001 1 2",
            ["✗ totals: sum is not the sum of its parts in 1 record"],
        ),
        "a sum beyond a tolerance that the plan does not give": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'] }]", sum=AMOUNT, a=AMOUNT, b=AMOUNT),
            "age sum a b; 1 3.5 1 2",
            ["✗ totals: sum is not the sum of its parts in 1 record"],
        ),
        "a masked sum, for which there is no tolerance": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'], tolerance = 1 }]", sum=NUMBER, a=NUMBER, b=NUMBER),
            "age sum a b; 1 3.5 1 2",
            ["✗ totals: sum is not the sum of its parts in 1 record"],
        ),
        "a sum within a billionth of its sizes": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'] }]", sum=AMOUNT, a=AMOUNT, b=AMOUNT),
            "age sum a b; 1 0 1e9 -1000000001",
            ["✓ totals: sum is the sum of its parts"],
        ),
        "a sum beyond a billionth of its sizes": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'] }]", sum=AMOUNT, a=AMOUNT, b=AMOUNT),
            "age sum a b; 1 0 1e9 -1000000003",
            ["✗ totals: sum is not the sum of its parts in 1 record"],
        ),
        "a small sum beyond a billionth of its sizes": (
            plan("totals = [{ total = 'sum', parts = ['a', 'b'] }]", sum=AMOUNT, a=AMOUNT, b=AMOUNT),
            "age sum a b; 1 3.0000000065 1 2",
            ["✗ totals: sum is not the sum of its parts in 1 record"],
        ),
        "a mean of numbers": (plan(), "age; 1.5", []),
        "words among numbers": (plan(), "age; x; 2; y", ["✗ kind: age has 2 values of another kind"]),
        "dates in the form of the plan": (plan(day=DAY + ', format = "%d/%m/%Y"'), "age day; 1 31/12/2020", []),
        "dates in another form than that of the plan": (
            plan(day=DAY + ', format = "%d/%m/%Y"'),
            "age day; 1 12.31.2020",
            ["✗ kind: day has 1 value of another kind"],
        ),
        "dates in a form that no plan says": (
            plan(day=DAY),
            "age day; 1 31/12/2020",
            ["? kind: day has 1 value in a form that is not read here"],
        ),
        "levels of the plan": (plan(it=LEVEL + ', order = ["low", "high"]'), "age it; 1 high", []),
        "levels that the plan does not have": (
            plan(it=LEVEL + ', order = ["low", "high"]'),
            "age it; 1 mid",
            ["✗ kind: it has 1 value of another kind"],
        ),
        "levels that no plan says": (
            plan(it=LEVEL),
            "age it; 1 mid",
            ["? kind: it has 1 value in a form that is not read here"],
        ),
        "distances that are none": (
            plan(born=NAME, day=DAY + ', relative_to = "born"'),
            "age day; 1 2020-01-01",
            ["✗ kind: day has 1 value of another kind"],
        ),
        "categories that were not there": (
            plan(it=WORD),
            "age it; 1 a; 1 b; 1 c",
            ["✗ kind: it has 2 values that the original does not have"],
            "who age it; p 1 a; q 1 a; r 1 a",
        ),
        "a node of a tree": (
            plan(it=WORD + ', aggregate = "ancestor", hierarchy = { all = { north = ["a", "b"], south = ["c"] } }'),
            "age it; 1 north; 1 c",
            [],
            "who age it; p 1 a; q 1 b",
        ),
        "a node that no tree has": (
            plan(it=WORD + ', aggregate = "ancestor", hierarchy = { all = { north = ["a", "b"], south = ["c"] } }'),
            "age it; 1 east",
            ["? kind: it has 1 value in a form that is not read here"],
            "who age it; p 1 a",
        ),
        "a node where no tree is said": (
            plan(it=WORD + ', aggregate = "ancestor"'),
            "age it; 1 north",
            ["? kind: it has 1 value in a form that is not read here"],
            "who age it; p 1 a",
        ),
        "a letter of the file of a tree": (
            plan(it=WORD + ', aggregate = "ancestor", hierarchy = "t.csv"'),
            "age it; 1 t",
            ["? kind: it has 1 value in a form that is not read here"],
            "who age it; p 1 a",
        ),
        "digits that a double drops, among words": (
            plan(it=PAY + ", round_to = 5"),
            "age it; 1 x; 1 5.00000000000000000001; 1 5",
            ["✗ kind: it has 2 values of another kind", "✓ round_to: it has 0 values that are no multiple of 5"],
        ),
        "words where numbers are cut off": (
            plan(it=PAY + ", clip = { high = 9 }"),
            "age it; 1 5; 1 x",
            ["refused: record 2 has a cell in column 'it' that is no number"],
        ),
        "means within both ends": (
            plan(age=NUMBER + ", clip = { low = 1, high = 9 }"),
            "age; 1; 9; 5; 9.000000001; 0.9999999995",
            [f"✓ clip: age has 0 values{BELOW}", f"✓ clip: age has 0 values{ABOVE}"],
        ),
        "means beyond both ends": (
            plan(age=NUMBER + ", clip = { low = 1, high = 9 }"),
            "age; 0.99999999; 9.0000001; 0",
            [f"✗ clip: age has 2 values{BELOW}", f"✗ clip: age has 1 value{ABOVE}"],
        ),
        "values within both ends": (
            plan(it=PAY + ", clip = { low = 1, high = 9 }"),
            "age it; 1 1; 1 9",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
        ),
        "values beyond both ends": (
            plan(it=PAY + ", clip = { low = 1, high = 9 }"),
            "age it; 1 0.9999999999; 1 9.0000000001",
            [f"✗ clip: it has 1 value{BELOW}", f"✗ clip: it has 1 value{ABOVE}"],
        ),
        "ends of a column that is stretched": (
            plan("preserve_variance = true", age=NUMBER + ", clip = { low = 1, high = 9 }"),
            "age; 99",
            [f"? clip: age: means may lie{BELOW}", f"? clip: age: means may lie{ABOVE}"],
        ),
        "ends that only the original tells": (
            plan(age=NUMBER + ", clip = { low_quantile = 0.1, high_quantile = 0.9 }"),
            "age; 99",
            [
                "? clip: age: the original is needed for the low end of clip",
                "? clip: age: the original is needed for the high end of clip",
            ],
        ),
        "an end by a quantile of four": (
            plan(it=PAY + ", clip = { low_quantile = 0.1, high_quantile = 0.75 }"),
            "age it; 1 1; 1 2; 1 3; 1 3",
            [f"✓ clip: it has 0 values{BELOW}", f"✓ clip: it has 0 values{ABOVE}"],
            "who age it; p 1 1; q 1 2; r 1 3; s 1 4",
        ),
        "a day cut off": (
            plan(it=SEEN + ", clip = { high = 2020-01-01T12:00:30 }"),
            "age it; 1 2020-01-01; 1 2019-05-05",
            [f"✓ clip: it has 0 values{ABOVE}"],
            "who age it; p 1 2020-01-02; q 1 2019-05-05",
        ),
        "a day cut off too late": (
            plan(it=SEEN + ", clip = { high = 2020-01-01T12:00:30 }"),
            "age it; 1 2020-01-02; 1 2019-05-05",
            [f"✗ kept: it differs from the original in 1 record{CHANGED}", f"✗ clip: it has 1 value{ABOVE}"],
            "who age it; p 1 2020-01-02; q 1 2019-05-05",
        ),
        "a minute cut off": (
            plan(it=SEEN + ", clip = { low = 2020-01-01T12:00:30 }"),
            "age it; 1 2020-01-01T12:01:00",
            [f"✓ clip: it has 0 values{BELOW}"],
            "who age it; p 1 2019-01-01T10:03:00",
        ),
        "a second cut off": (
            plan(it=SEEN + ", clip = { high = 2020-01-01T12:00:30.5 }"),
            "age it; 1 2020-01-01T12:00:30",
            [f"✓ clip: it has 0 values{ABOVE}"],
            "who age it; p 1 2021-01-01T10:03:07",
        ),
        "a thousandth of a second cut off": (
            plan(it=SEEN + ", clip = { high = 2020-01-01T12:00:30.0005 }"),
            "age it; 1 2020-01-01T12:00:30.000",
            [f"✓ clip: it has 0 values{ABOVE}"],
            "who age it; p 1 2021-01-01T10:03:07.003",
        ),
        "a millionth of a second cut off": (
            plan(it=SEEN + ", clip = { high = 2020-01-01T12:00:30.000501 }"),
            "age it; 1 2020-01-01T12:00:30.000501",
            [f"✓ clip: it has 0 values{ABOVE}"],
            "who age it; p 1 2021-01-01T10:03:07.000003",
        ),
        "multiples and gaps": (
            plan(it=PAY + ", round_to = 0.1"),
            "age it; 1 0.3; 1 ~",
            ["✓ round_to: it has 0 values that are no multiple of 0.1"],
            "who age it; p 1 0.31; q 1 ~",
        ),
        "what is no multiple": (
            plan(it=PAY + ", round_to = 0.1"),
            "age it; 1 0.30000000000000004; 1 0.35; 1 0.4",
            [
                f"✗ kept: it differs from the original in 2 records{CHANGED}",
                "✗ round_to: it has 2 values that are no multiple of 0.1",
            ],
            "who age it; p 1 0.31; q 1 0.35; r 1 0.4",
        ),
        "what is one no multiple": (
            plan(it=PAY + ", round_to = 0.25"),
            "age it; 1 0.3; 1 0.5",
            ["✗ round_to: it has 1 value that is no multiple of 0.25"],
        ),
        "a multiple of a number above one": (
            plan(it=PAY + ", round_to = 2.5"),
            "age it; 1 5.0; 1 2.5",
            ["✓ round_to: it has 0 values that are no multiple of 2.5"],
            "who age it; p 1 4; q 1 2",
        ),
        "means of multiples": (
            plan(age=NUMBER + ", round_to = 5"),
            "age; 7",
            ["? round_to: age: means of multiples are none"],
        ),
        "what is rare is not known": (
            plan(it=ILL + ", rare = { below = 2 }"),
            "age it; 1 a",
            ["? rare: it: who has a category cannot be counted without the original"],
        ),
        "a rare category merged into another": (
            plan(it=ILL + ', rare = { below = 2, into = "rest" }'),
            "age it; 1 a; 1 a; 1 rest",
            ["✓ rare: it has 0 categories that fewer than 2 have"],
            "who age it; p 1 a; q 1 a; r 1 b",
        ),
        "a category of one person": (
            plan("subject = 'who'", it=ILL + ", rare = { below = 2 }"),
            "age it; 1 a; 1 a; 1 other; 1 other",
            ["✓ rare: it has 0 categories that fewer than 2 have"],
            "who age it; p 1 a; q 1 a; r 1 b; r 1 b",
            "out in; 0 0; 1 1; 2 2; 3 3",
        ),
        "a category of one person that was left": (
            plan("subject = 'who'", it=ILL + ", rare = { below = 2 }"),
            "age it; 1 a; 1 a; 1 b; 1 b",
            [
                f"✗ kept: it differs from the original in 2 records{CHANGED}",
                "✗ rare: it has 1 category that fewer than 2 have",
            ],
            "who age it; p 1 a; q 1 a; r 1 b; r 1 b",
            "out in; 0 0; 1 1; 2 2; 3 3",
        ),
    }
)
def test_what_leaves_of_a_column_is_judged_to_the_cell(
    tmp_path: Path, asked: str, release: str, expected: list[str], original: str | None, row_map: str | None
) -> None:
    check(tmp_path, expected, asked, release, original, row_map)
