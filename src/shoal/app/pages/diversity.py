"""Kinds of diversity beyond that of distinct secrets, in plain words."""

from __future__ import annotations

from typing import Any

from shoal.app.html import field, h
from shoal.app.texts import Texts
from shoal.report.markup import Markup

USUAL_C = 2
"""The c of recursive diversity that the page shows before one is chosen."""


def number_input(name: str, value: Any, *, submit: bool = True, **attributes: Any) -> Markup:
    """Return a field for a number; it is sent when it was changed."""
    text = "" if value is None else f"{value}"
    return h("input", type="number", name=name, value=text, id=f"field-{name}", data_submit=submit, **attributes)


def other_diversity(t: Texts, diversity: dict[str, Any]) -> Markup:
    """Return the fields of entropy and recursive diversity, open where one of them is asked for."""
    entropy, recursive = diversity.get("entropy"), diversity.get("recursive") or {}
    # c alone asks for nothing: it is sent along once l is there.
    c = number_input("c", recursive.get("c", USUAL_C), submit=bool(recursive), min="0", step="any")
    return h(
        "details",
        h("summary", t("protect.diversity_more")),
        field(
            t("protect.entropy"),
            number_input("entropy", entropy, min="1", step="any"),
            hint=t("protect.entropy_hint"),
            term=t("protect.entropy_term"),
        ),
        field(
            t("protect.recursive_l"),
            number_input("l", recursive.get("l"), min="1", step="1"),
            hint=t("protect.recursive_l_hint"),
            term=t("protect.recursive_l_term"),
        ),
        field(t("protect.recursive_c"), c, hint=t("protect.recursive_c_hint"), term=t("protect.recursive_c_term")),
        id="more-diversity",
        class_="more",
        open=entropy is not None or bool(recursive),
    )
