"""What is left together with earlier releases: how many, only the original knows."""

import pytest

import shoal
from shoal.report.external import published_judgement
from shoal.republish.intersection import Intersection

PLAN = shoal.Plan(k=3, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})


@pytest.mark.parametrize(("smallest", "told"), [(3, 3), (7, 3), (2, 1), (1, 1)])
def test_of_intersections_it_is_told_whether_they_hold(smallest, told):
    judgement = Intersection("records", 90, smallest, 4, 0, 0, {"ill": 2}, {"ill": 0}).judge(3, 1)
    outside = published_judgement(judgement, PLAN)
    assert (outside.achieved, outside.note, dict(outside.detail)) == (told, "", {})
    assert outside.holds == judgement.holds
