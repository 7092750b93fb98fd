"""What k-anonymity does not see, and the person who decides must."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from people import AGE, NAME, attributes, people, plan
from shoal.frames import Table
from shoal.giveaways import Survey, find_giveaways, remedied
from shoal.measures import assess
from shoal.report import collect


def warnings(frame, chosen=None):
    return shoal.anonymize(frame, chosen or plan()).manifest["warnings"]


def declaring(**roles):
    return plan(attributes=attributes() | roles)


def test_an_ordinary_table_has_none():
    assert warnings(people()) == []


def test_values_of_other_columns_that_single_out():
    frame = people().with_columns(bed=pl.concat_str(pl.lit("bed "), pl.int_range(pl.len()).reverse()))
    (text,) = warnings(frame, declaring(bed={"role": "other"}))
    assert text.startswith(f"'bed' is released as it is, and {len(frame)} of its values belong to a single record")
    one = people().with_columns(
        bed=pl.when(pl.int_range(pl.len()) == 5).then(pl.lit("roof")).otherwise(pl.lit("floor"))
    )
    (text,) = warnings(one, declaring(bed={"role": "other"}))
    assert "1 of its values belongs" in text
    assert "roof" not in text


def test_an_identifier_that_is_called_confidential():
    frame = people().with_columns(mail=pl.concat_str(pl.col("name"), pl.lit("@home")))
    (text,) = warnings(frame, declaring(mail={"role": "confidential", "kind": "nominal"}))
    assert "'mail'" in text
    assert "is it an identifier?" in text


@pytest.mark.parametrize(
    ("copy", "kind"),
    [
        (pl.col("age"), "numeric"),
        (pl.col("age") * -1, "numeric"),
        (pl.col("admitted").dt.to_string(), "nominal"),
        (pl.col("county").str.head(1), "nominal"),
    ],
    ids=["copy", "code", "text", "initial"],
)
@pytest.mark.parametrize("role", ["other", "confidential"])
def test_a_column_that_tells_a_masked_one(copy, kind, role):
    frame = people(n=2000).with_columns(copy=copy)
    about = {"role": role, "kind": kind}
    found = [text for text in warnings(frame, declaring(copy=about)) if "tells the original" in text]
    assert len(found) == 1
    assert found[0].startswith("'copy' is released as it is, and tells the original ")


def test_a_copy_of_a_column_whose_values_hardly_repeat():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"income": rng.normal(size=60), "chance": rng.normal(size=60)})
    frame = frame.with_columns(again=pl.col("income"))
    numeric = {"role": "confidential", "kind": "numeric"}
    columns = {"income": {"role": "quasi_identifier", "kind": "numeric"}, "again": numeric, "chance": numeric}
    (text,) = warnings(frame, shoal.Plan(k=5, attributes=columns))
    assert text.startswith("'again' is released as it is, and tells the original 'income'")


def test_text_of_the_same_order_is_no_copy():
    names = [f"{chr(97 + i // 9)}{chr(97 + i % 9)}" for i in range(60)]
    frame = pl.DataFrame({"name": names, "age": np.random.default_rng(0).normal(size=60)})
    about = {"name": NAME, "age": AGE, "note": {"role": "confidential", "kind": "nominal"}}
    for note, copies in ((pl.col("name").str.to_uppercase() + " ward", 0), (pl.col("name"), 1)):
        found = warnings(frame.with_columns(note=note), shoal.Plan(k=5, attributes=about))
        assert sum("'note' is released as it is, and tells the original 'name'" in text for text in found) == copies


def test_a_copy_is_found_where_the_first_records_are_all_the_same():
    frame = people(n=6000).sort("county", descending=True).with_columns(code=pl.col("county").str.head(2))
    frame = pl.concat([frame.filter(pl.col("county") == "Osona")] * 3 + [frame])
    found = warnings(frame, declaring(code={"role": "other"}).replace(subject="record"))
    assert any(text.startswith("'code' is released as it is, and tells the original 'county'") for text in found)
    constant = people().with_columns(code=pl.lit("x"), county=pl.lit("Osona"))
    assert warnings(constant, declaring(code={"role": "other"})) == []


def test_a_permutation_is_undone_by_a_copy_of_what_it_moves():
    frame = pl.concat([people()] * 2).with_columns(again=pl.col("pay").round())
    frame = frame.with_columns(pay=pl.col("again"))
    found = warnings(frame, declaring(again={"role": "other"}).replace(release="permute", subject="record"))
    assert any(text.startswith("'again' is released as it is, and tells the original 'pay'") for text in found)


def test_metadata_of_a_frame():
    frame = people().to_pandas()
    frame.attrs["cohort"] = "the Atlantis trial"
    described = pa.Table.from_pandas(frame, preserve_index=False)
    assert "metadata" in warnings(frame)[0]
    assert "metadata" in warnings(described)[0]
    assert warnings(pa.Table.from_pandas(people().to_pandas(), preserve_index=False)) == []
    schema = people().to_arrow().schema
    noted = people().to_arrow().cast(schema.set(1, schema.field(1).with_metadata({"largest": "104"})))
    assert "metadata" in warnings(noted)[0]
    assert "metadata" in warnings(people().to_arrow().replace_schema_metadata({"source": "ward 7"}))[0]


def test_a_release_of_another_tool_that_kept_too_much():
    frame = people()
    masked = shoal.anonymize(frame, plan()).data.with_columns(frame["name"], extra=pl.lit(1))
    found = assess(frame, masked, plan()).manifest["warnings"]
    assert "'name' is in the release, and the plan calls it an identifier" in found
    assert "'extra' is in the release, and the plan does not declare it" in found


def test_strangers_are_not_told_what_gives_people_away():
    frame, kept = people().sort("name"), plan(order="keep")
    release = shoal.anonymize(frame, kept)
    inside, outside = (collect(frame, release, kept, edition=edition) for edition in ("internal", "external"))
    assert any("rows follow 'name'" in text for text in inside.cautions)
    assert "follow" not in outside.to_html() + outside.to_json()


def test_a_report_has_the_lines_that_would_end_a_caution():
    frame = people().with_columns(bed=pl.int_range(pl.len()).reverse())
    chosen = declaring(bed={"role": "other"})
    release = shoal.anonymize(frame, chosen)
    inside, outside = (collect(frame, release, chosen, edition=edition) for edition in ("internal", "external"))
    ((caution, remedy),) = inside.remedies.items()
    assert caution in inside.cautions
    assert remedy == release.giveaways[0].remedy
    assert "bed = { role = &#34;quasi_identifier&#34;" in inside.to_html().replace("&quot;", "&#34;")
    assert outside.remedies == {}


def test_columns_that_cannot_be_compared_are_warned_of():
    frame = people().with_columns(
        marks=pl.concat_list("age", "age"), home=pl.struct("county", "ward"), photo=pl.lit(b"x"), nights=pl.lit(3)
    )
    nested = {"marks": {"role": "other"}, "home": {"role": "other"}, "photo": {"role": "other"}}
    chosen = declaring(**nested, nights={"role": "other"})
    release = shoal.anonymize(frame, chosen)
    (giveaway,) = release.giveaways
    assert giveaway.columns == ("marks", "home", "photo")
    assert giveaway.sentence.startswith("'marks', 'home', 'photo' hold lists, structures or other values that cannot")
    assert giveaway.records == len(frame)
    assert shoal.anonymize(frame, remedied(chosen, giveaway.remedy)).giveaways == ()


def test_a_dropped_list_is_no_matter():
    frame = people().with_columns(marks=pl.concat_list("age", "age"))
    assert warnings(frame, declaring(marks={"role": "identifier"})) == []


@pytest.mark.parametrize("convert", [pl.DataFrame, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_durations_are_compared(convert):
    nights = pl.duration(hours=pl.int_range(pl.len()).shuffle(seed=1))
    (text,) = warnings(convert(people().with_columns(nights=nights)), declaring(nights={"role": "other"}))
    assert "203 of its values belong to a single record" in text
    shared = pl.duration(hours=pl.int_range(pl.len()) % 7)
    assert warnings(convert(people().with_columns(nights=shared)), declaring(nights={"role": "other"})) == []


def test_metadata_of_a_dropped_column_do_not_leave():
    schema = people().to_arrow().schema
    position = schema.get_field_index("name")
    noted = people().to_arrow().cast(schema.set(position, schema.field(position).with_metadata({"longest": "Ann"})))
    assert warnings(noted) == []
    assert find_giveaways(Survey(Table.of(noted), plan())) == ()


def test_an_index_is_still_warned_of():
    frame = people().to_pandas()
    frame.index = pd.Index(frame["name"].tolist())
    assert "index" in warnings(frame)[0]


def test_many_columns_are_one_warning():
    names = [f"bed{i}" for i in range(12)]
    frame = people().with_columns(pl.int_range(pl.len()).reverse().alias(name) for name in names)
    (text,) = warnings(frame, declaring(**{name: {"role": "other"} for name in names}))
    assert "'bed0', 'bed1'" in text
    assert "and 4 more are released as they are" in text


def test_of_another_tool_counts_what_it_released():
    frame = people(n=2000).with_columns(tax=pl.col("age") * 0.31, bed=pl.int_range(pl.len()).reverse())
    chosen = declaring(tax={"role": "other"}, bed={"role": "other"})
    masked = shoal.anonymize(frame, chosen).data
    assert {each.name for each in assess(frame, masked, chosen).giveaways} == {"single_values", "told"}
    better = masked.with_columns(tax=pl.col("tax").shuffle(seed=1), bed=pl.lit("gone"))
    assert assess(frame, better, chosen).giveaways == ()
