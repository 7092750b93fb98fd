"""A tree makes points: its squared distance is that of the levels, in tables, measures and streams."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from reference.taxonomy import Tree, mdav, medoids
from shoal.encode import Encoder
from shoal.errors import DataError, PlanError
from shoal.kinds import Kind
from shoal.kinds.column import Column, Spec
from shoal.kinds.group_values import group_ancestor, group_medoid, nodes_of
from shoal.kinds.taxonomy import Taxonomy

TREE = {
    "lungs": {"infections": ["flu", "cold"], "chronic": ["asthma"]},
    "skin": ["rash", "acne"],
    "rare": {"bones": {"long": ["gout"], "short": ["stump", "spur"]}},
}
CODES = ["flu", "cold", "asthma", "rash", "acne", "gout", "stump", "spur"]


def column(codes, tree=TREE, **options):
    levels = tuple(sorted(set(codes)))
    values = np.array([levels.index(code) for code in codes], dtype=np.int32)
    spec = Spec(name="code", kind=Kind.NOMINAL, taxonomy=Taxonomy.of(tree), **options)
    return Column("code", spec, values, levels=levels)


def prefix_tree(codes, lengths):
    """The tree that a rule stands for, written out."""
    nested = {}
    for code in sorted(set(codes)):
        branch = nested
        for length in lengths[:-1]:
            branch = branch.setdefault(code[:length], {})
        branch.setdefault(code[: lengths[-1]], []).append(code)
    return nested


def test_the_squared_height_is_a_weighted_sum_of_differences():
    points = Encoder.fit([column(CODES)]).apply([column(CODES)])
    tree = Tree(TREE)
    assert points.codes.shape[1] == tree.height == 4
    assert points.code_weights.sum() == pytest.approx(1.0)
    for i, one in enumerate(CODES):
        for j, other in enumerate(CODES):
            squared = points.code_weights[points.codes[i] != points.codes[j]].sum()
            assert squared == pytest.approx((tree.meeting_height(one, other) / tree.height) ** 2)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(CODES), st.integers(0, 3)), min_size=2, max_size=40), st.integers(2, 5))
def test_labels_equal_a_twin_that_walks_the_tree(records, k):
    codes = [code for code, _ in records]
    numbers = np.array([[float(number)] for _, number in records])
    if len(records) < k:
        return
    spec = Spec(name="x", kind=Kind.NUMERIC, scale="none")
    columns = [Column("x", spec, numbers[:, 0]), column(codes)]
    points = Encoder.fit(columns).apply(columns)
    found = shoal.partitioners.mdav(points, k)
    expected = mdav(points.coords, codes, Tree(TREE), k)
    assert found.tolist() == expected.tolist()


def test_labels_of_a_rule_are_those_of_the_tree_it_makes():
    random = np.random.default_rng(4)
    codes = [f"{code:05d}" for code in random.integers(8000, 8300, 120)]
    numbers = random.normal(size=(120, 2))
    frame = pl.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1], "code": codes})
    plan = shoal.Plan(
        k=4,
        scale="none",
        order="keep",
        attributes={
            "a": {"role": "quasi_identifier", "kind": "numeric"},
            "b": {"role": "quasi_identifier", "kind": "numeric"},
            "code": {"role": "quasi_identifier", "kind": "nominal", "hierarchy": {"prefix": [1, 3]}},
        },
    )
    walked = mdav(numbers - numbers[0] * 0, codes, Tree({"0": prefix_tree(codes, [1, 3])["0"], "x": {"x": ["x"]}}), 4)
    assert shoal.anonymize(frame, plan).labels.tolist() == walked.tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(CODES), st.integers(0, 4)), min_size=1, max_size=40))
def test_medoids_and_ancestors_are_those_of_the_walk(records):
    labels = np.unique([group for _, group in records], return_inverse=True)[1].astype(np.int64)
    codes = [code for code, _ in records]
    values, count, tree = column(codes), int(labels.max()) + 1, Tree(TREE)
    chosen = group_medoid(values.values, labels, count, nodes_of(values), np.random.default_rng(1))
    nodes = group_ancestor(values, labels, count)
    places, names = nodes.values, nodes.levels
    for group in range(count):
        members = [code for code, label in zip(codes, labels, strict=True) if label == group]
        assert values.levels[chosen[group]] in medoids(members, tree)
        node = tree.paths[members[0]]
        while any(tree.paths[member][: len(node)] != node for member in members):
            node = node[:-1]
        name = "*" if not node else node[-1][1] if isinstance(node[-1], tuple) else node[-1]
        assert names[places[group]] == name


def test_an_encoder_with_a_tree_goes_through_json_and_takes_new_codes():
    encoder = Encoder.fit([column(CODES[:4])])
    again = Encoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    points = again.apply([column(CODES)])
    whole = Encoder.fit([column(CODES)]).apply([column(CODES)])
    for i in range(len(CODES)):
        assert ((points.codes == points.codes[i]) == (whole.codes == whole.codes[i])).all()


def test_a_missing_cell_is_as_far_from_every_code_as_can_be_or_stands_at_the_mode():
    levels = ("acne", "rash", None)
    spec = Spec(name="code", kind=Kind.NOMINAL, taxonomy=Taxonomy.of(TREE), missing="category")
    apart = Column("code", spec, np.array([0, 1, 2], dtype=np.int32), levels=levels)
    points = Encoder.fit([apart]).apply([apart])
    assert (points.codes[2] != points.codes[:2]).all()
    gap = np.array([False, False, False, True])
    filled = Column("code", spec, np.array([0, 0, 1, 0], dtype=np.int32), gap, levels=("rash", "acne"))
    codes = Encoder.fit([filled]).apply([filled]).codes
    assert (codes[3] == codes[0]).all()


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"a": ["x"], "b": ["x"]}, "one parent"),
        ({"a": {"b": {"a": ["x"]}}, "c": ["y"]}, "cycle"),
        ({"a": {"n": ["x"]}, "b": {"n": ["y"]}}, "two parents"),
        ({"a": ["b"], "b": ["y"]}, "as a category and as a node"),
        ({"a": [], "b": ["x"]}, "is empty"),
        ({}, "not empty"),
        ({"prefix": []}, "prefix"),
        ({"prefix": [0, 2]}, "prefix"),
        ({"prefix": [2, 2]}, "prefix"),
        ({"prefix": "2"}, "prefix"),
    ],
)
def test_a_tree_that_is_none_is_refused_in_a_sentence(tree, said):
    with pytest.raises(PlanError, match=said) as caught:
        shoal.Plan(k=2, attributes={"code": {"role": "quasi_identifier", "kind": "nominal", "hierarchy": tree}})
    assert "attributes.code" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "numeric"}, "only applies to kind"),
        ({"role": "confidential"}, "only applies to a quasi_identifier"),
        ({"hierarchy": None, "aggregate": "ancestor"}, "give hierarchy"),
        ({"hierarchy": None, "aggregate": "medoid"}, "give hierarchy"),
    ],
)
def test_a_tree_is_refused_where_it_changes_nothing(changes, said):
    attribute = {"role": "quasi_identifier", "kind": "nominal", "hierarchy": {"prefix": [1]}, **changes}
    with pytest.raises(PlanError, match=said):
        shoal.Plan(k=2, attributes={"code": attribute, "x": {"role": "quasi_identifier", "kind": "numeric"}})


PATHS = "flu;infections;lungs;*\ncold;infections;lungs;*\nrash;skin;skin;*\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no paths"),
        ("flu\ncold\n", "no paths"),
        ("flu;lungs;*\ncold;lungs\n", "line 2 .* has 2 levels"),
        ("flu;lungs;*\ncold;;*\n", "line 2 .* nothing in level 1"),
        ("flu;lungs;*\nflu;skin;*\n", "line 2 .* another parent"),
        ("flu;lungs;a\ncold;lungs;b\n", "line 2 .* another parent"),
        ("flu;lungs;flu\n", "line 1 .* cycle"),
        ("flu;" + "x" * 200_000 + "\n", "line 1 .* too long"),
        ("flu;" + ";".join(f"n{level}" for level in range(3000)), "at most 100 levels"),
    ],
)
def test_a_file_of_paths_is_refused_by_its_line(text, said, tmp_path):
    (tmp_path / "codes.csv").write_text(text, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(
        'k = 2\n[attributes]\ncode = { role = "quasi_identifier", kind = "nominal", hierarchy = "codes.csv" }\n',
        encoding="utf-8",
    )
    with pytest.raises(PlanError, match=said):
        shoal.Plan.load(tmp_path / "plan.toml")


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_a_file_of_paths_stands_beside_the_plan_and_is_kept_in_it(delimiter, tmp_path):
    (tmp_path / "codes.csv").write_text(PATHS.replace(";", delimiter), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(
        'k = 2\n[attributes]\ncode = { role = "quasi_identifier", kind = "nominal", hierarchy = "codes.csv" }\n',
        encoding="utf-8",
    )
    plan = shoal.Plan.load(tmp_path / "plan.toml")
    taxonomy = plan.spec("code").taxonomy
    assert taxonomy.height == 3
    assert [taxonomy.path(code) for code in ("flu", "rash", "gout")] == [
        ("flu", "infections", "lungs"),
        ("rash", "skin", "skin"),
        None,
    ]
    assert shoal.Plan.parse(plan.to_toml()) == plan
    with pytest.raises(PlanError, match="cannot be read"):
        plan.replace(attributes={"code": {"role": "quasi_identifier", "kind": "nominal", "hierarchy": "no.csv"}})


def hospital(n=300, seed=2):
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "postcode": [f"{code:05d}" for code in random.integers(8000, 8400, n)],
            "diagnosis": random.choice(CODES, n),
            "age": random.integers(0, 99, n),
        }
    )


def plan_of(postcode="mode", diagnosis="mode", **choices):
    attributes = {
        "postcode": {"hierarchy": {"prefix": [3, 4]}, "aggregate": postcode, "kind": "nominal"},
        "diagnosis": {"hierarchy": TREE, "aggregate": diagnosis, "kind": "nominal"},
        "age": {"kind": "numeric"},
    }
    attributes = {name: {"role": "quasi_identifier", **options} for name, options in attributes.items()}
    return shoal.Plan(**{"k": 5, "order": "keep", "attributes": attributes, **choices})


def test_codes_outside_the_tree_are_an_error_with_a_count():
    frame = hospital().with_columns(
        pl.Series("diagnosis", ["typo", "typo", "other", *hospital()["diagnosis"].to_list()[3:]])
    )
    with pytest.raises(DataError, match=r"'diagnosis' has 3 values of 2 codes outside its hierarchy, .* row 1"):
        shoal.anonymize(frame, plan_of())
    short = hospital().with_columns(pl.Series("postcode", ["08", *hospital()["postcode"].to_list()[1:]]))
    with pytest.raises(DataError, match=r"'postcode' has 1 value of 1 code outside .* at least 4 characters"):
        shoal.anonymize(short, plan_of())


@pytest.mark.parametrize("operator", ["mode", "draw", "medoid", "ancestor"])
@pytest.mark.parametrize("choices", [{}, {"method": "vmdav"}, {"blocks": [["postcode", "age"], ["diagnosis"]]}])
def test_a_release_holds_and_its_measures_understand_it(operator, choices):
    frame = hospital()
    plan = plan_of(operator, operator, **choices, **({"guarantee": False} if "blocks" in choices else {}))
    release = shoal.anonymize(frame, plan)
    assert release.guarantees.holds or "blocks" in choices
    scores = shoal.measures.measure(frame, release.data, plan, keys=["il_percent", "dld", "sse", "mse", "mae"])
    before, after = frame["diagnosis"].to_list(), release.data["diagnosis"].to_list()
    tree = Tree(TREE)
    expected = sum((_height(tree, one, other) / tree.height) ** 2 for one, other in zip(before, after, strict=True))
    assert scores["sse"].attributes["diagnosis"] == pytest.approx(expected)
    assert 0 < scores["il_percent"].attributes["diagnosis"] <= 200
    assert 0 <= scores["dld"].value <= 100
    report = shoal.report.collect(frame, release, plan)
    assert {each.name for each in report.distributions} >= {"postcode", "diagnosis"}


def _height(tree, code, released):
    if released in tree.paths:
        return tree.meeting_height(code, released)
    node = tree.paths[code]
    while node and node[-1] != released:
        node = node[:-1]
    return tree.heights[node]  # every code of the group lies below its node; the root is *


def test_near_codes_share_groups_and_nodes_are_written_by_name():
    frame = hospital(600)
    by_tree = shoal.anonymize(frame, plan_of("ancestor", "ancestor"))
    written = set(by_tree.data["postcode"]) | set(by_tree.data["diagnosis"])
    assert {"lungs", "08***"[:3] + "0*"} & written
    assert all(len(code) == 5 or code == "*" for code in set(by_tree.data["postcode"]))
    flat = plan_of().to_dict()["attributes"]
    for options in flat.values():
        options.pop("hierarchy", None)
        options.pop("aggregate", None)
    without = shoal.anonymize(frame, shoal.Plan(k=5, order="keep", attributes=flat))
    keys = ["il_percent"]
    assert (
        shoal.measures.measure(frame, shoal.anonymize(frame, plan_of()).data, plan_of(), keys=keys)["il_percent"].value
        < shoal.measures.measure(frame, without.data, plan_of(), keys=keys)["il_percent"].value
    )


def test_codes_that_are_whole_numbers_become_text_where_nodes_are_released():
    frame = hospital().with_columns(pl.col("postcode").str.replace("^0", "1").cast(pl.Int64))
    release = shoal.anonymize(frame, plan_of("ancestor"))
    assert release.data["postcode"].dtype == pl.String
    assert shoal.anonymize(frame, plan_of("medoid")).data["postcode"].dtype == pl.Int64
    assert shoal.measures.assess(frame, release.data, plan_of("ancestor")).guarantees.holds


def test_gaps_stay_categories_or_are_filled():
    frame = hospital().with_columns(pl.Series("diagnosis", [None] * 20 + hospital()["diagnosis"].to_list()[20:]))
    for operator in ("mode", "medoid", "ancestor"):
        for missing in ("category", "impute"):
            plan = plan_of("mode", operator, missing=missing).to_dict()
            plan["attributes"]["age"]["missing"] = "error"
            assert shoal.anonymize(frame, shoal.Plan.from_mapping(plan)).guarantees.holds


def test_closeness_takes_the_same_trees():
    frame = hospital().with_columns(pl.col("diagnosis").alias("illness"), pl.col("postcode").alias("place"))
    plan = plan_of()
    attributes = plan.to_dict()["attributes"] | {
        "illness": {"role": "confidential", "kind": "nominal"},
        "place": {"role": "confidential", "kind": "nominal"},
    }
    trees = {"illness": TREE, "place": {"prefix": [3]}}
    close = {"t": 0.5, "method": "merge", "hierarchy": trees}
    release = shoal.anonymize(frame, shoal.Plan(k=5, attributes=attributes, closeness=close))
    assert release.guarantees["t_closeness"].holds
    written = {**close, "hierarchy": {**trees, "place": prefix_tree(frame["place"].to_list(), [3])}}
    other = shoal.anonymize(frame, shoal.Plan(k=5, attributes=attributes, closeness=written))
    assert other.labels.tolist() == release.labels.tolist()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/dev/zero", "it is no file"),
        ("\\u0000", "has a zero byte"),
        (".", "cannot be read: Is a directory"),
        ("x" * 300, "cannot be read: File name too long"),
    ],
)
def test_what_is_no_file_of_paths_is_refused(name, said, tmp_path):
    (tmp_path / "plan.toml").write_text(
        f'k = 2\n[attributes]\ncode = {{ role = "quasi_identifier", kind = "nominal", hierarchy = "{name}" }}\n',
        encoding="utf-8",
    )
    with pytest.raises(PlanError, match=said):
        shoal.Plan.load(tmp_path / "plan.toml")
