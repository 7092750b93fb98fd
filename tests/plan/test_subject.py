"""The key ``subject`` of a plan."""

import pytest

from shoal import Plan
from shoal.errors import PlanError

ATTRIBUTES = {
    "who": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "pay": {"role": "confidential", "kind": "numeric"},
    "ward": {"role": "other"},
}


def plan(**options):
    return Plan(k=2, attributes=ATTRIBUTES, **options)


def test_a_column_or_the_word_record():
    assert plan().subject_column() is None
    assert plan(subject="record").subject_column() is None
    assert plan(subject="who").subject_column() == "who"
    assert plan(subject="who").demand().subject == "who"
    named = Plan(k=2, subject="record", attributes={**ATTRIBUTES, "record": {"role": "identifier"}})
    assert named.subject_column() == "record"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subject": "whom"}, r"subject names 'whom', which attributes do not declare.*'who'"),
        ({"subject": "age"}, r"subject names 'age', which is quasi_identifier and would be masked"),
        ({"subject": "pay"}, r"subject names 'pay', which is confidential and would leave as it is"),
        ({"subject": "ward"}, r'subject names .ward., which is other and would leave as it is.*role = "identifier"'),
        ({"stream": {"subject": "who"}}, r"stream\.subject is now a key of the plan itself"),
    ],
)
def test_what_cannot_be_a_subject_is_refused_in_one_sentence(options, message):
    with pytest.raises(PlanError, match=message) as found:
        plan(**options)
    assert "\n" not in str(found.value)


def test_it_is_written_and_read():
    assert Plan.parse(plan(subject="who").to_toml()) == plan(subject="who")
