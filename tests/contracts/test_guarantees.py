"""What every registered guarantee must do, whatever it is."""

from __future__ import annotations

import tomllib

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.frames import Table
from shoal.masking.inputs import read_inputs
from shoal.masking.steering import steered_points
from shoal.protect import GUARANTEES, ConfidentialGuarantee, Evidence, asked, released_classes

ATTRIBUTES = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "town": {"role": "quasi_identifier", "kind": "nominal"},
    "pay": {"role": "confidential", "kind": "numeric"},
    "illness": {"role": "confidential", "kind": "nominal"},
}


def people(n=120):
    rng = np.random.default_rng(11)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in np.random.default_rng(1).permutation(n)],
            "age": rng.integers(18, 90, n),
            "town": rng.choice(["Vic", "Reus", "Olot"], n),
            "pay": rng.permutation(n) * 10.0,
            "illness": rng.choice(["flu", "ulcer", "asthma", "gout"], n),
        }
    )


def unmasked(plan):
    """The table as it would leave if no value were masked."""
    if plan.pseudonym_column() is None:
        return Table.of(people().drop("name"))
    return Table.of(people().with_columns(name=pl.int_range(pl.len()).cast(pl.String)))


@pytest.fixture(params=GUARANTEES, ids=str)
def guarantee(request):
    return GUARANTEES[request.param]


@pytest.fixture
def plan(guarantee):
    return shoal.Plan(k=4, attributes=ATTRIBUTES, **tomllib.loads(guarantee.example))


@pytest.fixture
def release(plan):
    return shoal.anonymize(people(), plan)


def test_a_plan_can_ask_for_it_and_others_do_not(guarantee, plan):
    assert guarantee in asked(plan.demand())
    if guarantee.section:
        assert guarantee not in asked(shoal.Plan(k=4, attributes=ATTRIBUTES).demand())


def test_a_release_that_was_asked_for_it_keeps_it(guarantee, plan, release):
    verdict = release.guarantees[guarantee.name]
    assert verdict.holds
    assert verdict.name == guarantee.name
    assert verdict.asked is not None


def test_the_original_table_is_judged_not_to_keep_it_or_to_need_no_masking(guarantee, plan):
    """The judgement reads the released table: records that nobody touched are not alike."""
    table = unmasked(plan)
    demand = plan.demand()
    alone = np.arange(len(table))
    inputs = read_inputs(Table.of(people()), plan)
    evidence = Evidence(Table.of(people()), table, alone, lambda: steered_points(inputs, plan))
    assert not guarantee.judge(demand, evidence).holds


def test_all_records_in_one_class_keep_what_any_partition_can(guarantee, plan):
    table = unmasked(plan)
    demand = plan.demand()
    inputs = read_inputs(Table.of(people()), plan)
    everybody = np.zeros(len(table), dtype=np.int64)
    verdict = guarantee.judge(
        demand, Evidence(Table.of(people()), table, everybody, lambda: steered_points(inputs, plan))
    )
    assert verdict.holds


def test_the_judgement_does_not_depend_on_the_order_of_rows(guarantee, plan, release):
    order = np.random.default_rng(5).permutation(len(release.labels))
    demand = plan.demand()

    def judged(rows):
        original, released = Table.of(people()[rows]), Table.of(release.data[rows])
        classes = release.labels[rows] if demand.permuted else released_classes(released, demand)
        inputs = read_inputs(original, plan)
        return guarantee.judge(demand, Evidence(original, released, classes, lambda: steered_points(inputs, plan)))

    straight, shuffled = judged(np.arange(len(order))), judged(order)
    assert (straight.holds, straight.asked) == (shuffled.holds, shuffled.asked)
    assert straight.achieved == pytest.approx(shuffled.achieved)


def test_rules_are_kept_by_unions_of_groups_that_keep_them(guarantee, plan, release):
    """Merging ends because a union falls short by no more than the worse of its parts."""
    for rule in guarantee.rules(plan.demand(), Table.of(people())):
        labels = release.labels
        parts = rule.kernel.judge(labels, int(labels.max()) + 1)[0]
        halves = labels // 2
        unions = rule.kernel.judge(halves, int(halves.max()) + 1)[0]
        worst = [parts[2 * i : 2 * i + 2].max() for i in range(len(unions))]
        assert (unions <= np.array(worst) + 1e-9).all()


def test_it_forecasts_groups_of_at_least_k(guarantee, plan):
    inputs = read_inputs(Table.of(people()), plan)
    assert guarantee.forecast(plan.demand(), inputs.rules[guarantee.name]).group_size >= plan.k


def test_its_words_are_there_and_its_keys_are_described(guarantee):
    assert guarantee.name.isidentifier()
    for words in (guarantee.summary, guarantee.not_promised):
        assert words[0].islower()
        assert not words.endswith(".")
    assert all(field.description for field in guarantee.options.model_fields.values())
    if isinstance(guarantee, ConfidentialGuarantee):
        assert guarantee.key in guarantee.options.model_fields


def test_the_verdict_speaks_of_no_value(guarantee, release):
    said = " ".join(map(str, release.guarantees[guarantee.name].to_dict().values()))
    assert not any(word in said for word in ("person 1", "Vic", "Olot", "flu", "ulcer", "asthma"))
