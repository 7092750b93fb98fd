"""A registry: names that are given once, in their order, for as long as they are wanted."""

from dataclasses import dataclass

import pytest

from shoal.errors import PlanError
from shoal.registry import Registry


@dataclass(frozen=True)
class Colour:
    name: str
    warm: bool = True


def refuse_grey(colour):
    if colour.name == "grey":
        raise PlanError("grey is no colour")


@pytest.fixture
def colours():
    return Registry("colour", [Colour("red"), Colour("blue", warm=False)], check=refuse_grey)


def test_entries_stand_in_their_order_by_name(colours):
    assert list(colours) == ["red", "blue"]
    assert len(colours) == 2
    assert "red" in colours
    assert colours["blue"] == Colour("blue", warm=False)
    assert repr(colours) == "Registry(colour: red, blue)"


def test_an_entry_is_added_and_taken_out(colours):
    assert colours.register(Colour("ochre")) is colours["ochre"]
    assert list(colours)[-1] == "ochre"
    assert colours.unregister("ochre") == Colour("ochre")
    assert "ochre" not in colours


def test_what_is_taken_unknown_or_wrong_is_refused(colours):
    with pytest.raises(PlanError, match="there is a colour 'red' already"):
        colours.register(Colour("red", warm=False))
    with pytest.raises(PlanError, match="colour must be one of red, blue, not 'rad'; did you mean 'red'"):
        colours.unregister("rad")
    with pytest.raises(PlanError, match="grey is no colour"):
        colours.register(Colour("grey"))
    assert list(colours) == ["red", "blue"]
    assert colours["red"].warm


def test_an_entry_for_a_while_even_if_something_goes_wrong(colours):
    with colours.temporarily(Colour("red", warm=False)):
        assert not colours["red"].warm
    with pytest.raises(KeyError), colours.temporarily(Colour("ochre")):
        colours["ocher"]
    assert list(colours) == ["red", "blue"]
    assert colours["red"].warm
    with pytest.raises(PlanError, match="grey is no colour"), colours.temporarily(Colour("grey")):
        pass
    assert list(colours) == ["red", "blue"]


def test_names_by_another_word():
    keyed = Registry("thing", [Colour("a")], name=lambda colour: colour.name.upper())
    assert list(keyed) == ["A"]
