"""Sentences of the library in another language: as a whole, by their pieces, or not at all."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest

from shoal.app.texts.library import translated
from shoal.attack import ATTACKS
from shoal.partition import METHODS
from shoal.protect import GUARANTEES
from shoal.report.wording import spoken

PLACES = re.compile(r"\{(\w+)\}")


def pairs() -> dict[str, str]:
    return tomllib.loads(files("shoal.app.texts").joinpath("library_de.toml").read_text(encoding="utf-8"))["sentences"]


def test_no_sentence_invents_a_value() -> None:
    for english, german in pairs().items():
        assert set(PLACES.findall(german)) <= set(PLACES.findall(english)), english
        assert german.strip() == german != ""


def test_every_attack_method_and_guarantee_has_a_name() -> None:
    titles = [attack.title for attack in ATTACKS.values()] + [method.summary for method in METHODS.values()]
    titles += [spoken(name) for name in GUARANTEES]
    assert [title for title in titles if translated("de", title) is None] == []


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("4 distinct: dates; others may know when it was", "4 verschiedene: Daten; andere können wissen, wann es war"),
        ("mean of the group, rounded, missing: keep", "Mittelwert der Gruppe, gerundet, fehlende Werte: keep"),
        ("Not protected: a, b and c.", "Nicht geschützt: a, b und c."),
        (
            "16\N{NO-BREAK SPACE}% of the records have another category than before.",
            "16 % der Datensätze haben einen anderen Wert als zuvor.",
        ),
        ("a (x, y) and linkage by rank", None),
        ("order of rows (x, y) and linkage by rank", "Reihenfolge der Zeilen (x, y) und Verknüpfung nach Rang"),
        ("Nobody wrote this. age lost most, 3 %.", None),
    ],
)
def test_values_stay_as_they_are_and_pieces_are_put_together(english: str, german: str | None) -> None:
    assert translated("de", english) == german


def test_english_needs_none() -> None:
    assert translated("en", "order of rows") is None
