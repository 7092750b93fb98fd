"""Dates at the end of what their type holds: released as dates of their own, or refused; never as others."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal import Plan
from shoal.errors import DataError

ROLES = {
    "ends": {"role": "quasi_identifier", "kind": "date"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
}


def plan(**options):
    return Plan.from_mapping({"k": 5, "subject": "record", "attributes": ROLES, **options})


def table(*ends, n=60):
    """Ordinary days of 2020, and now and then one of the given ends of time."""
    random = np.random.default_rng(1)
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 300, n), unit="D"))
    days = days.astype("datetime64[ns]")
    for end in ends:
        days[random.random(n) < 0.15] = end
    return pd.DataFrame({"ends": days, "age": random.integers(0, 50, n)})


def test_a_variance_that_leaves_the_nanoseconds_of_64_bits_is_refused():
    frame = table(pd.Timestamp("2262-04-11"))
    with pytest.raises(DataError, match=r"column 'ends' would be released with dates that its type cannot hold"):
        shoal.anonymize(frame, plan(preserve_variance=True))


def test_a_variance_that_leaves_the_calendar_is_refused_as_what_is_released():
    days = [dt.date(9999, 12, 31) if i % 9 == 0 else dt.date(2020, 1, 1 + i % 28) for i in range(60)]
    frame = pl.DataFrame({"ends": days, "age": [i * 7 % 50 for i in range(60)]})
    with pytest.raises(DataError, match=r"would be released with .* leave preserve_variance out, or list a date"):
        shoal.anonymize(frame, plan(preserve_variance=True))
    mended = plan(preserve_variance=True, missing="impute", missing_values=["9999-12-31"])
    assert shoal.anonymize(frame, mended).guarantees.holds


def test_means_lie_among_dates_that_are_six_centuries_apart():
    frame = table(pd.Timestamp.max, pd.Timestamp.min + pd.Timedelta(days=1))
    released = shoal.anonymize(frame, plan()).data["ends"]
    microsecond = pd.Timedelta(microseconds=1)  # what doubles hold of so many nanoseconds
    assert released.min() >= frame["ends"].min() - microsecond
    assert released.max() <= frame["ends"].max()
    assert (
        abs(released.astype("datetime64[us]").mean() - frame["ends"].astype("datetime64[us]").mean()) < 10 * microsecond
    )


def test_a_class_at_the_last_nanosecond_stays_there():
    frame = table()
    frame.loc[:9, "ends"] = pd.Timestamp.max
    frame.loc[:9, "age"] = 1000
    released = shoal.anonymize(frame, plan()).data
    last = released.loc[released["age"] == 1000, "ends"]
    assert len(last) == 10
    assert (pd.Timestamp.max - last < pd.Timedelta(microseconds=2)).all()
