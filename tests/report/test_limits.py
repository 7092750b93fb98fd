"""What no class can promise stands in every report, once, and speaks of what the plan asks."""

import pytest

import shoal
from people import people, plan
from shoal.report import collect


def limits(chosen, **options):
    frame = people()
    return collect(frame, shoal.anonymize(frame, chosen, **options), chosen)


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_the_section_stands_once_in_both_editions(edition):
    frame = people()
    data = collect(frame, shoal.anonymize(frame, plan()), plan(), edition=edition)
    page = data.to_html()
    assert page.count("What no class can promise") == 2  # the contents, and the section
    for sentence in data.limits:
        assert page.count(sentence.replace("'", "&#39;")) == 1
    assert data.to_dict()["limits"] == data.limits


def test_it_says_with_which_releases_this_one_was_compared():
    assert "compared with no other (shoal anonymize --after does that)" in limits(plan()).limits[0]
    earlier = shoal.anonymize(people(), plan())
    data = limits(plan(), after=[earlier, earlier])
    assert "compared with 2 earlier releases, and with no other" in data.limits[0]
    assert (
        "compared with earlier release 1, contents, SHA-256",
        earlier.manifest["output"]["sha256"],
    ) in data.provenance


def test_merging_is_spoken_of_where_groups_are_merged():
    assert not any("merged" in sentence for sentence in limits(plan()).limits)
    assert any("merged" in sentence for sentence in limits(plan(closeness={"t": 0.4})).limits)
    assert any("merged" in sentence for sentence in limits(plan(dominance=0.2)).limits)


def test_means_are_spoken_of_where_there_are_some():
    assert "computes the last" in limits(plan()).limits[-1]
    assert "computes the last" not in limits(plan(release="permute")).limits[-1]
