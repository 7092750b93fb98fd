"""Columns that are released as they are, and tell a hidden one or follow it."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import shoal
from giveaways.looking import NOMINAL, NUMERIC, OTHER, SECRET, ends_by_remedy, found

N = 600


def incomes(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"income": rng.lognormal(10, 0.6, n).round(2), "age": rng.integers(18, 90, n)})


def plan(**columns):
    return shoal.Plan(k=5, attributes={"income": NUMERIC, "age": NUMERIC, **columns})


def noise(n=N, seed=1):
    return np.random.default_rng(seed).normal(size=n)


FOLLOWING = {
    "a share": pl.col("income") * 0.31,
    "a share, rounded": (pl.col("income") * 0.31).round(0).cast(pl.Int64),
    "with noise": pl.col("income") * 0.31 * (1 + 0.01 * pl.lit(pl.Series(noise()))),
    "falling": 5 - pl.col("income"),
    "not linear": pl.col("income").log().sqrt(),
    "text": (pl.col("income") * 0.31).round(2).cast(pl.String),
    "text with a decimal comma": (pl.col("income") * 0.31).round(2).cast(pl.String).str.replace(".", ",", literal=True),
    "decimals": (pl.col("income") * 2).cast(pl.Decimal(14, 2)),
    "a date": dt.date(1900, 1, 1) + pl.duration(days=pl.col("income").cast(pl.Int64)),
    "a date as text": (dt.date(1900, 1, 1) + pl.duration(days=pl.col("income").cast(pl.Int64) // 3)).dt.to_string(
        "%d/%m/%Y"
    ),
    "a duration": pl.duration(seconds=pl.col("income").cast(pl.Int64)),
    "ordered text": pl.format("code {}", pl.col("income").cast(pl.Int64).cast(pl.String).str.zfill(9)),
}


@pytest.mark.parametrize("kind", FOLLOWING)
def test_what_follows_a_masked_column_is_found(kind):
    frame = incomes().with_columns(tax=FOLLOWING[kind])
    chosen = plan(tax=OTHER)
    (giveaway,) = found(frame, chosen, "followed")
    assert giveaway.sentence.startswith("'tax' is released as it is, and follows the original 'income' (rank corr")
    assert giveaway.columns == ("tax", "income")
    assert giveaway.records == N
    assert found(frame, chosen, "told") == []
    if "text" not in kind:
        assert ends_by_remedy(frame, chosen, giveaway)


@pytest.mark.parametrize(
    ("kind", "read"), [("text", "numeric"), ("a date as text", "date"), ("ordered text", "nominal")]
)
def test_text_is_declared_as_what_a_file_would_be_read_as(kind, read):
    (giveaway,) = found(incomes().with_columns(tax=FOLLOWING[kind]), plan(tax=OTHER), "followed")
    assert giveaway.remedy == f'[attributes]\ntax = {{ role = "quasi_identifier", kind = "{read}" }}'


@pytest.mark.parametrize("convert", [pl.DataFrame.to_pandas, pl.DataFrame.to_arrow], ids=["pandas", "pyarrow"])
def test_every_library_knows_what_follows(convert):
    frame = incomes().with_columns(tax=pl.col("income") * 0.31, seen=FOLLOWING["a date"])
    names = {giveaway.columns for giveaway in found(convert(frame), plan(tax=SECRET, seen=OTHER), "followed")}
    assert names == {("tax", "seen", "income")}


def test_a_strong_relation_is_not_yet_one_that_tells():
    strong = incomes().with_columns(tax=pl.col("income") * (1 + 0.2 * pl.lit(pl.Series(noise()))))
    assert np.corrcoef(strong["income"].rank(), strong["tax"].rank())[0, 1] > 0.9
    assert found(strong, plan(tax=SECRET)) == []
    unrelated = incomes().with_columns(tax=pl.Series(noise()))
    assert found(unrelated, plan(tax=SECRET)) == []


def test_an_ordinal_column_follows_by_its_declared_order():
    steps = ["none", "some", "half", "most", "all", *(f"x{i}" for i in range(20, 0, -1))]
    rng = np.random.default_rng(0)
    rank = rng.integers(0, len(steps), N)
    frame = incomes().with_columns(
        school=pl.Series([steps[i] for i in rank]), years=pl.Series(rank * 7.0 + rng.normal(size=N))
    )
    school = {"role": "quasi_identifier", "kind": "ordinal", "order": steps}
    chosen = plan(school=school, years=SECRET)
    assert any("'years'" in giveaway.sentence and "'school'" in giveaway.sentence for giveaway in found(frame, chosen))


def test_missing_cells_are_left_out_and_counted():
    tax = pl.when(pl.int_range(pl.len()) % 3 > 0).then(pl.col("income") * 0.31)
    frame = incomes().with_columns(tax=tax)
    (giveaway,) = found(frame, plan(tax=OTHER), "followed")
    assert giveaway.records == N - frame["tax"].null_count()
    assert 'missing = "impute"' in giveaway.remedy
    assert ends_by_remedy(frame, plan(tax=OTHER), giveaway)
    hardly = incomes().with_columns(tax=pl.when(pl.int_range(pl.len()) < 15).then(pl.col("income") * 0.31))
    assert found(hardly, plan(tax=SECRET)) == []


def test_a_few_equal_outliers_make_no_relation():
    frame = incomes().with_columns(
        bonus=pl.when(pl.int_range(pl.len()) % 100 == 7).then(1.0).otherwise(0.0),
        gift=pl.when(pl.int_range(pl.len()) % 100 == 7).then(9.0).otherwise(0.0),
    )
    assert found(frame, plan(bonus=NUMERIC, gift=SECRET)) == []


def test_a_code_with_a_few_mistakes_tells_all_but_these():
    rng = np.random.default_rng(2)
    county = rng.choice(["Osona", "Bages", "Anoia"], N)
    wrong = rng.permutation(N)[:7]
    code = np.unique(county, return_inverse=True)[1] + 1
    code[wrong] = code[wrong] % 3 + 1
    frame = incomes().with_columns(county=county, code=code)
    chosen = plan(county=NOMINAL, code=OTHER)
    (giveaway,) = found(frame, chosen)
    assert giveaway.sentence == (
        "'code' is released as it is, and tells the original 'county' of all but 7 of 600 records: give it the same "
        "role"
    )
    assert (giveaway.name, giveaway.columns, giveaway.records) == ("told", ("code", "county"), N - 7)
    assert ends_by_remedy(frame, chosen, giveaway)
    code[rng.permutation(N)[:100]] = 1
    assert found(frame.with_columns(code=code), chosen) == []


def test_what_is_nearly_the_same_for_all_is_told_by_nothing():
    rng = np.random.default_rng(4)
    frame = incomes().with_columns(
        rare=pl.when(pl.int_range(pl.len()) % 100 == 7).then(pl.lit("yes")).otherwise(pl.lit("no")),
        ward=pl.Series(rng.choice(list("abcdefgh"), N)),
        bed=pl.Series(rng.integers(0, 300, N)),
    )
    secret = {"role": "confidential", "kind": "nominal"}
    assert found(frame, plan(rare=NOMINAL, ward=secret, bed=SECRET)) == []


def test_exact_values_tell_the_range_they_are_in():
    band = np.digitize(incomes()["income"], [10_000, 20_000, 30_000, 50_000])
    frame = (
        incomes()
        .with_columns(band=pl.Series(band).replace_strict([0, 1, 2, 3, 4], list("daceb")), exact=pl.col("income"))
        .drop("income")
    )
    chosen = shoal.Plan(k=5, attributes={"age": NUMERIC, "band": NOMINAL, "exact": SECRET})
    (giveaway,) = found(frame, chosen)
    assert giveaway.name == "told"
    assert giveaway.columns == ("exact", "band")
    assert giveaway.records > 0.96 * N
    assert ends_by_remedy(frame, chosen, giveaway)
    blurred = frame.with_columns(exact=pl.col("exact") * (1 + 0.2 * pl.lit(pl.Series(noise()))))
    assert found(blurred, chosen) == []


def test_the_beginning_of_a_code_tells():
    rng = np.random.default_rng(6)
    county = rng.choice(["AN", "BA", "OS"], N)
    code = [f"{name}-{number:06d}" for name, number in zip(county, rng.permutation(N), strict=True)]
    frame = incomes().with_columns(county=county, code=pl.Series(code))
    chosen = plan(county=NOMINAL, code={"role": "confidential", "kind": "nominal"})
    assert [giveaway.columns for giveaway in found(frame, chosen, "told")] == [("code", "county")]
    shuffled = frame.with_columns(pl.col("code").shuffle(seed=1))
    assert found(shuffled, chosen, "told") == []


@pytest.mark.parametrize("share", [0.0, 0.03])
def test_a_copy_of_names_but_for_a_few(share):
    rng = np.random.default_rng(5)
    names = pl.Series([f"{number:x}" for number in rng.permutation(10**6)[:N]])
    wrong = rng.permutation(N)[: int(share * N)]
    again = names.to_list()
    for row in wrong:
        again[row] = f"other {row}"
    frame = incomes().with_columns(name=names, again=pl.Series(again))
    chosen = plan(name={"role": "identifier"}, again=OTHER)
    giveaway = found(frame, chosen, "told")[0]
    assert giveaway.records == N - len(wrong)
    assert giveaway.remedy == '[attributes]\nagain = { role = "identifier" }'
    assert ends_by_remedy(frame, chosen, giveaway)
    apart = frame.with_columns(pl.col("again").shuffle(seed=1))
    assert found(apart, chosen, "told") == []


def test_by_is_no_secret():
    rng = np.random.default_rng(7)
    county = rng.choice(["AN", "BA", "OS"], N)
    frame = incomes().with_columns(county=county, code=pl.Series(county).str.to_lowercase())
    chosen = plan(county=NOMINAL, code=OTHER)
    assert [giveaway.name for giveaway in found(frame, chosen)] == ["told"]
    assert found(frame, chosen.replace(by="county")) == []


def test_a_permutation_is_followed_too():
    frame = incomes().with_columns(pay=pl.Series(noise()), tax=pl.Series(noise() * 2 + 1))
    chosen = plan(pay=SECRET, tax=OTHER).replace(release="permute")
    (giveaway,) = found(frame, chosen, "followed")
    assert giveaway.columns == ("tax", "pay")
    assert 'role = "confidential"' in giveaway.remedy
    assert ends_by_remedy(frame, chosen, giveaway)
    assert found(frame, chosen.replace(release="aggregate"), "followed") == []


def test_columns_that_tell_the_same_are_one_warning():
    frame = incomes().with_columns(**{f"copy{i}": pl.col("age") * (i + 1) for i in range(12)})
    (giveaway,) = found(frame, plan(**{f"copy{i}": SECRET for i in range(12)}))
    assert "'copy0', 'copy1'" in giveaway.sentence
    assert "and 4 more are released as they are, and tell the original 'age' of every record" in giveaway.sentence
    assert len(giveaway.columns) == 13


def test_a_dropped_column_that_repeats_needs_a_word_on_subjects():
    rng = np.random.default_rng(8)
    ward = rng.choice(["a", "b", "c"], N)
    frame = incomes().with_columns(nurse=ward, ward=pl.Series(ward).str.to_uppercase())
    chosen = plan(nurse={"role": "identifier"}, ward=OTHER).replace(subject="record")
    (giveaway,) = found(frame, chosen)
    assert giveaway.remedy == '[attributes]\nward = { role = "identifier" }'
    blocked = shoal.Plan(k=5, method="projected", attributes={"income": NUMERIC, "age": NUMERIC, "ward": OTHER})
    copied = frame.select("income", "age", ward=pl.col("age").cast(pl.String) + " years")
    (giveaway,) = found(copied, blocked, "told")  # which a method of numbers cannot mask
    assert giveaway.remedy == 'subject = "record"\n\n[attributes]\nward = { role = "identifier" }'
    assert ends_by_remedy(copied, blocked, giveaway)


@pytest.mark.parametrize("n", [20_000, 40_000])
def test_more_records_than_the_sample(n):
    rng = np.random.default_rng(n)
    county = rng.choice(["Osona", "Bages", "Anoia"], n)
    code = pl.Series(county).str.head(2).to_list()
    code[11] = "zz"
    frame = incomes(n).with_columns(
        county=county,
        code=pl.Series(code),
        tax=pl.col("income") * 0.31,
        household=pl.int_range(pl.len()) // 2,
        noise=pl.Series(rng.normal(size=n)),
    )
    chosen = plan(county=NOMINAL, code={"role": "confidential", "kind": "nominal"}, tax=SECRET)
    chosen = chosen.replace(
        attributes=chosen.to_dict()["attributes"] | {"household": SECRET, "noise": SECRET, "home": NUMERIC}
    )
    frame = frame.with_columns(home=pl.col("household").hash(1) % 1000)
    said = {giveaway.columns: giveaway for giveaway in found(frame, chosen)}
    assert set(said) == {("code", "county"), ("tax", "income"), ("household", "home")}
    assert said["code", "county"].records == n - 1 or "every record" in said["code", "county"].sentence
    assert "every record" in said["household", "home"].sentence
