"""What leaves along with the cells, and cells that nobody can look into."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import listed
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.remedy import dropping
from shoal.giveaways.survey import Survey


def index(survey: Survey) -> Iterator[Giveaway]:
    """Find row labels of a pandas frame."""
    if (survey.released or survey.original).has_index:
        sentence = "the frame's index leaves with it: reset it if its labels could name people"
        yield Giveaway("index", sentence, (), len(survey))


def metadata(survey: Survey) -> Iterator[Giveaway]:
    """Find notes of a pandas frame, or of an Arrow schema."""
    leaving = survey.released or survey.original.select(survey.leaving)
    if leaving.has_metadata:
        sentence = "the frame's own metadata (attrs, Arrow schema) leave with it: remove what could name people"
        yield Giveaway("metadata", sentence, (), len(survey))


def nested_columns(survey: Survey) -> Iterator[Giveaway]:
    """Find columns of lists, structures and other values that cannot be compared."""
    names = tuple(name for name in survey.leaving if name in survey.original.names and name not in survey.comparable)
    if names:
        one = len(names) == 1
        yield Giveaway(
            "nested_columns",
            f"{listed(names)} {'holds' if one else 'hold'} lists, structures or other values that cannot be compared, "
            f"and {'is' if one else 'are'} released as {'it is' if one else 'they are'}: what "
            f"{'it gives' if one else 'they give'} away, nothing here can see",
            names,
            len(survey),
            dropping(survey, names),
        )
