"""Columns with a tree in a stream: levels are axes, and a group leaves as a table's group does."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reference.taxonomy import Tree, medoids
from shoal.errors import DataError
from shoal.plan import Plan
from shoal.stream.engine import StreamAnonymizer
from shoal.stream.engine.stream_encoder import StreamEncoder

TREE = {"lungs": {"infections": ["flu", "cold"], "chronic": ["asthma"]}, "skin": ["rash", "acne"]}
CODES = ["flu", "cold", "asthma", "rash", "acne"]


def make_frame(n=200, seed=1):
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "code": random.choice(CODES, n),
            "postcode": [f"{code:05d}" for code in random.integers(8000, 8300, n)],
            "near": random.random(n),
            "pay": random.integers(0, 5, n),
            "place": range(n),
        }
    )


def plan_of(operator="mode", **choices):
    code = {"role": "quasi_identifier", "kind": "nominal", "aggregate": operator}
    return Plan(
        k=4,
        attributes={
            "code": {**code, "hierarchy": TREE},
            "postcode": {**code, "hierarchy": {"prefix": [3, 4]}},
            "near": {"role": "quasi_identifier", "kind": "numeric"},
            "pay": {"role": "confidential", "kind": "numeric"},
            "place": {"role": "other"},
        },
        **{"stream": {"max_delay": 25}, **choices},
    )


def groups_of(left, frame):
    for _, released in left.group_by("near", maintain_order=True):
        yield released, frame[np.sort(released["place"].to_numpy())]


@pytest.mark.parametrize("operator", ["mode", "draw", "medoid", "ancestor"])
def test_what_stands_for_a_group_is_what_the_tree_says(operator):
    frame, tree = make_frame(), Tree(TREE)
    stream = StreamAnonymizer(plan_of(operator))
    left = pl.concat([stream.push_many(frame), stream.flush()])
    assert len(left) == len(frame)
    compared = 0
    for released, members in groups_of(left, frame):
        (value,) = set(released["code"])
        codes = members["code"].to_list()
        if operator == "medoid":
            assert value in medoids(codes, tree)
        elif operator == "ancestor":
            node = tree.paths[codes[0]]
            while any(tree.paths[code][: len(node)] != node for code in codes):
                node = node[:-1]
            assert value == ("*" if not node else node[-1][1] if isinstance(node[-1], tuple) else node[-1])
            (postcode,) = set(released["postcode"])
            assert all(code.startswith(postcode.rstrip("*")) for code in members["postcode"])
            assert postcode == "*" or len(postcode) == 5
        else:
            assert value in codes
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("operator", ["mode", "medoid", "ancestor"])
def test_records_and_frames_in_any_cut_leave_alike(operator):
    frame = make_frame()
    whole = StreamAnonymizer(plan_of(operator))
    expected = pl.concat([whole.push_many(frame), whole.flush()]).sort("place")
    parts = StreamAnonymizer(plan_of(operator))
    left = [parts.push_many(frame[start : start + 37]) for start in range(0, len(frame), 37)]
    assert pl.concat([*left, parts.flush()]).sort("place").equals(expected)
    single = StreamAnonymizer(plan_of(operator))
    records = [out for record in frame.to_dicts() for out in single.push(record)] + single.flush()
    assert sorted(records, key=lambda record: record["place"]) == expected.to_dicts()


def test_levels_weigh_together_as_one_column():
    shares = [axis.share for axis in StreamEncoder(plan_of()).settings.codes]
    assert sum(shares[:3]) == pytest.approx(1.0)
    assert sum(shares[3:]) == pytest.approx(1.0)


def test_who_joins_a_class_gets_its_node():
    frame = make_frame(300, seed=3)
    plan = plan_of(
        "ancestor",
        closeness={"t": 0.2, "attributes": ["pay"]},
        stream={"max_delay": 12, "on_unclose": "merge"},
    )
    stream = StreamAnonymizer(plan)
    left = pl.concat([stream.push_many(frame), stream.flush()])
    sizes = left.group_by("near").agg(pl.col("code").n_unique(), pl.col("postcode").n_unique())
    assert (sizes["code"] == 1).all()
    assert (sizes["postcode"] == 1).all()
    assert stream.stats.merged > 0


def test_a_code_outside_the_tree_is_refused_without_its_name():
    stream = StreamAnonymizer(plan_of())
    record = {"code": "typo", "postcode": "08001", "near": 0.5, "pay": 1, "place": 0}
    with pytest.raises(DataError, match="'code' has a code outside its hierarchy") as caught:
        stream.push(record)
    assert "typo" not in str(caught.value)
    with pytest.raises(DataError, match="1 value of 1 code outside its hierarchy"):
        stream.push_many(pl.DataFrame([record]))


def test_a_restart_goes_on_with_the_nodes_of_classes_that_left():
    frame = make_frame(300, seed=3)
    plan = plan_of(
        "ancestor",
        closeness={"t": 0.2, "attributes": ["pay"]},
        stream={"max_delay": 12, "on_unclose": "merge"},
    )
    whole = StreamAnonymizer(plan)
    expected = pl.concat([whole.push_many(frame), whole.flush()])
    first = StreamAnonymizer(plan)
    left = [first.push_many(frame[:150])]
    again = StreamAnonymizer.load(*first.dump())
    left += [again.push_many(frame[150:]), again.flush()]
    assert pl.concat(left).equals(expected)
