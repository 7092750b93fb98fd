"""Sentences of the library in another language: as a whole, by their pieces, or not at all."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest

from app.served import PLAN
from shoal.app.figures import bin_words
from shoal.app.texts import texts_of, translated
from shoal.attacks import ATTACKS
from shoal.auditor import audit
from shoal.examples import discharges
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.toml import parse_toml
from shoal.protect import GUARANTEES
from shoal.report import collect
from shoal.report.categorical import KEPT, STILL_THERE
from shoal.report.report_data import Bin
from shoal.report.wording import spoken
from shoal.run.pipeline import anonymize

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


def test_the_numbers_behind_a_chart_are_said() -> None:
    assert [name for name in (KEPT, STILL_THERE) if translated("de", name) is None] == []
    frame = discharges(300, patients=150, seed=3)
    plan = Plan.from_mapping(parse_toml(PLAN))
    spread = {each.name: each for each in collect(frame, anonymize(frame, plan), plan, attacks=["none"]).distributions}
    for name in ("age", "charge"):
        for each in spread[name].bins:
            assert bin_words(texts_of("en"), each) == each.label
            assert re.search(r"\b(to|and over|under)\b", bin_words(texts_of("de"), each)) is None
    category = Bin("1 to 2", None, None, 5, 5)
    assert bin_words(texts_of("de"), category) == "1 to 2"


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


ASKED = """
suppress = 0.5
totals = [{ total = "pay", parts = ["wage", "rent"] }]
[risk]
prosecutor = 0.5
[closeness]
t = 1
[diversity]
distinct = 1
recursive = { c = 9, l = 1 }
[attributes]
who = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric", clip = { low = 0, high = 9 } }
ill = { role = "confidential", kind = "nominal", rare = { below = 2 } }
pay = { role = "other", kind = "numeric" }
wage = { role = "other", kind = "numeric", round_to = 1 }
rent = { role = "other", kind = "numeric" }
"""


def test_what_the_auditor_finds_is_said(tmp_path) -> None:
    """Its own sentences, not those that it once had."""
    plan, release, data, rows = (tmp_path / name for name in ("plan.toml", "out.csv", "data.csv", "rows.csv"))
    data.write_text("who,age,ill,pay,wage,rent\na,1,x,3,1,2\nb,1,x,3,1,2\nc,9,x,3,1,2\n")
    rows.write_text("released_row,original_row\n1,1\n2,2\n")
    release.write_text(f"who,age,ill,pay,wage,rent\n{'a' * 13},1,x,3,1,2\n{'b' * 13},1,x,3,1,2\n")
    plan.write_text(f'k = 2\nsubject = "who"\nkeep_subject = "pseudonym"{ASKED}')
    found = [*audit(str(release), str(plan), str(data), str(rows)), *audit(str(release), str(plan))]
    plan.write_text(f"k = 2{ASKED}")
    release.write_text("age,ill,pay,wage,rent\n1,x,3,1,2\n1,x,3,1,2\n")
    found += audit(str(release), str(plan))
    names = {"columns", "suppress", "clip", "round_to", "rare", "totals", "history_k_anonymity", "prosecutor_risk"}
    assert names < {finding.name for finding in found if finding.holds}
    assert [finding.words for finding in found if finding.holds and translated("de", finding.words) is None] == []
    assert [finding.name for finding in found if translated("de", spoken(finding.name)) is None] == []


def test_one_is_not_many(tmp_path) -> None:
    """Of whatever the auditor counts there is one here: a class, a record, a value, a category, a pseudonym."""
    plan, release, data, rows = (tmp_path / name for name in ("plan.toml", "out.csv", "data.csv", "rows.csv"))
    data.write_text("who,age,ill,pay,wage,rent\na,1,x,3,1,2\nb,1,y,3,1,2\nc,9,x,3,1,2\n")
    rows.write_text("released_row,original_row\n1,1\n2,2\n")
    release.write_text(f"who,age,ill,pay,wage,rent\n{'a' * 13},1,x,3,1,2\n{'b' * 13},99,y,3,1.5,2\n")
    plan.write_text(f'k = 2\nsubject = "who"\nkeep_subject = "pseudonym"{ASKED}')
    found = audit(str(release), str(plan), str(data), str(rows))
    plan.write_text(f"k = 2{ASKED}")
    for records in ("1,x,3,1,2\n", "1,x,3,1,2\n9,x,3,1,2\n"):
        release.write_text(f"age,ill,pay,wage,rent\n{records}")
        found += audit(str(release), str(plan))
    said = [finding.words for finding in found if finding.name != "kept"]  # which is not in the app's table
    for words in ("only class has 1 record,", "of 2 classes has 1 record,", "1 value beyond", "1 value that is no"):
        assert any(words in each for each in said), words
    for words in ("in 1 record", "1 category that", "1 of 3 records was", "1 pseudonym has"):
        assert any(words in each for each in said), words
    assert [each for each in said if re.search(r"\b1 (records |values|categories|classes|pseudonyms)", each)] == []
    assert [each for each in said if "1 " in each and translated("de", each) is None] == []


def test_english_needs_none() -> None:
    assert translated("en", "order of rows") is None
