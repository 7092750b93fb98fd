"""Page one: the same words in text, Markdown and HTML; verdicts with signs; what external readers see."""

import json
import pickle
import re

import polars as pl
import pytest

import shoal
from report.tables import people, plan
from shoal.attacks import ATTACKS, Attempt
from shoal.errors import DataError, PlanError
from shoal.report import collect
from shoal.report.attempts import QUICK, chosen_attacks, verdict_of
from shoal.report.summary import Verdict, words
from shoal.republish.intersection import NAME as INTERSECTION

ABOUT = {"title": "Pay <b>", "purpose": "a *study*", "contact": "x|y"}


@pytest.fixture(scope="module")
def frame():
    return people(n=200)


@pytest.fixture(scope="module")
def release(frame):
    return shoal.anonymize(frame, plan(about=ABOUT))


@pytest.fixture(scope="module", params=["internal", "external"])
def summary(request, release):
    return release.summary(edition=request.param)


def spoken(text):
    """Words without marks, escapes and line breaks."""
    plain = re.sub(r"<[^>]+>", " ", text)
    plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'").replace("&amp;", "&")
    return re.sub(r" (?=[,.])", "", " ".join(re.sub(r"\\(.)", r"\1", plain).split()))


def test_all_three_say_the_same(summary):
    shapes = {"text": summary.text, "markdown": summary.markdown, "html": summary.html}
    sentences = [
        summary.title,
        summary.answer,
        summary.what,
        summary.who,
        *([words.READING] if summary.tried else [summary.untried]),
        *(promise.sentence for promise in summary.promises),
        *(words.measured(promise) for promise in summary.promises),
        *(tried.name for tried in summary.tried),
        *(kept.sentence for kept in summary.kept),
        *summary.decide,
        *(text for _, text in summary.about),
    ]
    for name, shape in shapes.items():
        said = spoken(shape)
        for sentence in sentences:
            ways = (" ".join(sentence.split()), spoken(sentence))
            assert any(way in said for way in ways), name
    for kept in summary.kept:
        if kept.value is not None:
            assert all(words.figure_of(kept) in shape for shape in shapes.values())


def test_marks_in_texts_stay_text(summary):
    assert "<b>" not in summary.html
    assert r"a \*study\*" in summary.markdown
    assert r"x\|y" in summary.markdown
    table = {line for line in summary.text.splitlines() if any(line.startswith(t.name) for t in summary.tried)}
    assert all(len(line) <= 100 for line in summary.text.splitlines() if line not in table)


def test_numbers_lead_to_what_they_rest_on(release, frame):
    html = collect(frame, release, plan(about=ABOUT)).to_html()
    first = html[html.index('class="page-one"') : html.index('class="signature"')]
    assert {"#attempts", "#measures", "#distributions", "#correlations"} == set(re.findall(r'href="([^"]+)"', first))
    assert 'href="' not in release.summary().html


def test_it_shows_itself(release, frame):
    summary = release.summary()
    assert str(summary) == summary.text
    assert summary.html in summary._repr_html_()
    assert summary._repr_markdown_() == summary.markdown
    assert collect(frame, release, plan(about=ABOUT)).summary == summary


def test_the_original_may_be_left_out_while_it_is_there(frame):
    release = shoal.anonymize(frame.clone(), plan())
    with pytest.raises(DataError, match=r"release.summary\(frame\)"):
        release.summary()
    assert release.summary(frame).safe
    kept = shoal.anonymize(frame, plan())
    assert pickle.loads(pickle.dumps(kept)).origin is None


def test_outside_nothing_compares_with_the_original(release):
    summary = release.summary(edition="external")
    assert (summary.tried, summary.kept) == ((), ())
    assert "compares with the original" in summary.untried
    assert collect(None, release, plan(about=ABOUT), edition="external").attempts == ()
    assert summary.decide, "before you sign stands in both editions"


@pytest.mark.parametrize(
    ("rate", "interval", "allowed", "exposed", "verdict"),
    [
        (0.1, (-0.01, 0.1), 0.2, 0, Verdict.GUESSING),
        (0.1, (0.01, 0.1), 0.2, 0, Verdict.WITHIN),
        (0.1, (0.01, 0.1), None, None, Verdict.LEARNS),
        (0.1, (-0.01, 0.1), 0.2, 1, Verdict.BEYOND),
    ],
)
def test_verdicts(rate, interval, allowed, exposed, verdict):
    attempt = Attempt(
        *("linkage", "linkage", "…", "…"),
        tried=100,
        successes=100 * rate,
        baseline=0.01,
        interval=interval,
        total=100,
        allowed=allowed,
        exposed=exposed,
    )
    assert verdict_of(attempt) is verdict


def test_every_verdict_has_a_sign_of_its_own():
    attacks = [Verdict.GUESSING, Verdict.WITHIN, Verdict.LEARNS, Verdict.BEYOND]
    assert len({verdict.sign for verdict in attacks}) == len(attacks)
    assert Verdict.HOLDS.sign != Verdict.BROKEN.sign


def test_an_identity_left_in_is_not_safe():
    frame = people(n=120)
    released = shoal.anonymize(frame, plan()).data.with_columns(frame["name"])
    summary = shoal.report.assess(frame, released, plan()).summary(frame)
    assert not summary.safe
    assert "identifiers left in" in summary.answer
    assert summary.decide[0].startswith("Identifiers left in found somebody")
    assert summary.text.count("✗") >= 2


def test_a_promise_that_is_broken_heads_the_page():
    frame = people(n=60)
    kept = frame.drop("name")
    summary = shoal.report.assess(frame, kept, plan()).summary(frame)
    assert summary.answer.startswith("k-anonymity does not hold")
    assert not summary.safe


def test_a_permutation_says_why_nothing_was_linked():
    frame = people(n=60)
    summary = shoal.anonymize(frame, plan(release="permute")).summary(frame, attacks=["linkage"])
    assert summary.tried == ()
    assert summary.untried.startswith("No attack could be tried: ")


def test_attacks_are_chosen(release):
    assert set(QUICK) <= set(ATTACKS)
    assert chosen_attacks(["all"]) == tuple(ATTACKS)
    assert {tried.key for tried in release.summary(attacks=["linkage", "linkage_rank"]).tried} == {
        "linkage",
        "linkage_rank",
    }
    nothing = release.summary(attacks=["none"])
    assert nothing.tried == ()
    assert nothing.untried == "No attack was tried on this release."
    with pytest.raises(PlanError, match="by themselves"):
        chosen_attacks(["none", "linkage"])
    with pytest.raises(PlanError, match="linkige"):
        chosen_attacks(["linkige"])


def test_what_lacks_in_about_is_asked_for(frame):
    asked = shoal.anonymize(frame, plan(about=ABOUT)).summary(attacks=["none"]).decide
    assert any("does not say its recipient ([about])" in text for text in asked)
    told = shoal.anonymize(frame, plan(about={**ABOUT, "recipient": "you"})).summary(attacks=["none"]).decide
    assert not any("[about]" in text for text in told)


def test_subjects_are_counted(frame):
    several = frame.with_columns(person=pl.Series([f"p{i // 2}" for i in range(len(frame))]))
    attributes = {**plan().to_dict()["attributes"], "person": {"role": "identifier"}}
    chosen = plan(attributes=attributes, subject="person")
    release = shoal.anonymize(several, chosen)
    assert release.summary(attacks=["none"]).who == "200 records about 100 subjects (person)."
    outside = release.summary(edition="external", attacks=["none"]).who
    assert "100" not in outside


def test_it_stands_in_the_json(release, frame):
    told = json.loads(collect(frame, release, plan(about=ABOUT)).to_json())
    assert told["summary"]["title"] == told["title"] == "Pay <b>"
    assert [each["key"] for each in told["summary"]["tried"]] == [
        each["attack"] if "attribute" not in each else f"{each['attack']}[{each['attribute']}]"
        for each in told["attempts"]
    ]


def test_what_several_releases_leave_of_a_person_is_not_counted_outside(frame):
    first = shoal.anonymize(frame, plan())
    second = shoal.anonymize(frame, plan(k=7), after=[first], after_anyway=True)
    notes = {
        edition: next(
            promise.note
            for promise, judged in zip(
                second.summary(edition=edition, attacks=["none"]).promises, second.guarantees.values(), strict=True
            )
            if judged.name == INTERSECTION
        )
        for edition in ("internal", "external")
    }
    assert notes["internal"]
    assert not notes["external"]
