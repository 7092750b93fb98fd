"""A test of many cases tries all of them, and says which fail."""

import pytest

from grids import every


def test_every_combination_is_tried():
    seen = []

    @every(left=[1, 2], right="ab")
    def test(left, right):
        seen.append((left, right))

    test()
    assert seen == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_all_cases_that_fail_are_told():
    @every(number=range(5))
    def test(number):
        assert number % 2
        if number == 3:
            with pytest.raises(ValueError, match="none"):
                pass

    with pytest.raises(BaseExceptionGroup, match="4 of 5 cases fail") as caught:
        test()
    told = [failure.__notes__ for failure in caught.value.exceptions]
    assert told == [[f"in the case {{'number': {number}}}"] for number in (0, 2, 3, 4)]


@every(number=[1, 2])
def test_fixtures_are_given_as_ever(tmp_path, number):
    (tmp_path / str(number)).touch()
    assert len(list(tmp_path.iterdir())) == number
