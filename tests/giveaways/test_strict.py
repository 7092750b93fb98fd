"""A strict run releases nothing that it would warn of."""

import polars as pl
import pytest

import shoal
from people import attributes, people
from people import plan as of_people
from shoal.errors import GuaranteeError
from shoal.giveaways import Giveaway, GiveawayError
from shoal.run import BACKENDS, Backend
from shoal.run.pipeline import anonymize

LABEL = Giveaway("file_label", "the label of the file leaves", (), 203)


def warned():
    return people().with_columns(bed=pl.int_range(pl.len()).reverse()), of_people(
        attributes=attributes() | {"bed": {"role": "other"}}
    )


def test_nothing_to_warn_of_is_released():
    assert shoal.anonymize(people(), of_people(), strict=True).giveaways == ()


def test_warnings_are_an_error_that_lists_them():
    frame, plan = warned()
    (giveaway,) = shoal.anonymize(frame, plan).giveaways
    with pytest.raises(GiveawayError) as caught:
        shoal.anonymize(frame, plan, strict=True)
    assert isinstance(caught.value, GuaranteeError)
    assert caught.value.exit_code == 3
    assert caught.value.giveaways == (giveaway,)
    assert str(caught.value) == f"strict, and 1 warning, so nothing is released: {giveaway.sentence}"


def test_it_is_said_before_the_work():
    frame, plan = warned()
    done = []
    with pytest.raises(GiveawayError):
        anonymize(frame, plan, strict=True, progress=lambda *progress: done.append(progress))
    assert done == []


def test_what_only_the_release_shows_counts_too():
    frame = people(n=8).sample(fraction=1, shuffle=True, seed=1)
    with pytest.raises(GiveawayError, match="one group"):
        anonymize(frame, of_people(diversity={"distinct": 8}), strict=True)


def test_what_the_caller_knows_of_counts_too():
    release = anonymize(people(), of_people(), giveaways=[LABEL])
    assert release.giveaways == (LABEL,)
    assert release.manifest["warnings"] == [LABEL.sentence]
    with pytest.raises(GiveawayError, match="the label of the file"):
        anonymize(people(), of_people(), giveaways=[LABEL], strict=True)


class Pieces(list):
    """A table in pieces."""


def gather(frame, plan, *, progress=None):
    return shoal.anonymize(pl.concat(frame), plan, progress=progress)


def test_a_backend_is_held_to_it():
    frame, plan = warned()
    pieces = Pieces([frame[:100], frame[100:]])
    with BACKENDS.temporarily(Backend("pieces", lambda frame: isinstance(frame, Pieces), gather)):
        release = anonymize(pieces, plan, giveaways=[LABEL])
        assert [giveaway.name for giveaway in release.giveaways] == ["file_label", "single_values"]
        with pytest.raises(GiveawayError, match="2 warnings"):
            anonymize(pieces, plan, giveaways=[LABEL], strict=True)
        clean = Pieces([people()[:100], people()[100:]])
        assert anonymize(clean, of_people(), strict=True).giveaways == ()


def test_the_manifest_has_sentences_and_all_of_it():
    frame, plan = warned()
    release = shoal.anonymize(frame, plan)
    (giveaway,) = release.giveaways
    assert release.manifest["warnings"] == [giveaway.sentence]
    assert release.manifest["giveaways"] == [
        {
            "name": "single_values",
            "sentence": giveaway.sentence,
            "columns": ["bed"],
            "records": 203,
            "remedy": '[attributes]\nbed = { role = "quasi_identifier", kind = "numeric" }',
        }
    ]
    assert Giveaway.from_dict(release.manifest["giveaways"][0]) == giveaway
