"""A column on the step Roles: its sketch, its role and kind, and the order or the tree of its categories."""

from __future__ import annotations

from typing import Any

from shoal.app.from_library import localized
from shoal.app.html import button, field, form, h, hidden, select
from shoal.app.pages.layout import texts
from shoal.app.pages.tables import table
from shoal.app.role_actions import DIRECTIONS
from shoal.app.session import Session
from shoal.app.tasks.overview import ColumnOverview, Sketch
from shoal.kinds.taxonomy import Taxonomy
from shoal.options import UNDECIDED
from shoal.report.markup import Markup
from shoal.report.wording import number

ROLES = ("identifier", "quasi_identifier", "confidential", "other")
KINDS = ("numeric", "ordinal", "nominal", "date", "place", "cyclic")


def column_row(session: Session, place: int) -> Markup:
    """Return a column with what can be chosen of it."""
    t = texts(session)
    seen: ColumnOverview = session.overview.columns[place]
    about = session.require_editor().values["attributes"].get(seen.name, {})
    role, kind = about.get("role", UNDECIDED), about.get("kind", "")
    counts = [t("roles.distinct", count=number(seen.distinct))]
    if seen.gaps:
        counts.append(t("roles.gaps", count=number(seen.gaps)))
    roles = [(name, t(f"roles.{name}")) for name in ROLES]
    if role == UNDECIDED:
        roles = [(UNDECIDED, t("roles.undecided")), *roles]
    kinds = [("", t("roles.no_kind")), *((name, t(f"roles.{name}")) for name in KINDS)]
    choices = form(
        "/roles/column",
        hidden("column", str(place)),
        h(
            "label",
            h("span", t("roles.role"), class_="label"),
            select("role", roles, role, data_submit=True, id=f"role-{place}"),
        ),
        h(
            "label",
            h("span", t("roles.kind"), class_="label"),
            select("kind", kinds, kind, data_submit=True, id=f"kind-{place}"),
        ),
        h("noscript", button(t("app.apply"))),
        class_="choices",
        aria_label=seen.name,
    )
    return h(
        "li",
        h("div", h("h2", seen.name), h("p", ", ".join(counts), class_="note"), class_="name"),
        _sketch(session, seen.sketch, seen.name),
        choices,
        h("p", localized(session, seen.reason), class_="reason note"),
        _details(session, place, about, seen),
        class_=f"column {'undecided' if role == UNDECIDED else role}",
    )


def _sketch(session: Session, sketch: Sketch, name: str) -> Markup:
    t = texts(session)
    if not sketch.counts:
        return h("div", class_="sketch")
    top = max(sketch.counts) or 1
    numbers = h(
        "details",
        h("summary", t("app.numbers")),
        table(session, ("", ""), list(zip(sketch.labels, sketch.counts, strict=True))),
    )
    if sketch.intervals:
        width = 120 / len(sketch.counts)
        bars = [
            h(
                "rect",
                x=f"{i * width:.1f}",
                y=f"{32 - 30 * count / top:.1f}",
                width=f"{width - 1:.1f}",
                height=f"{30 * count / top:.1f}",
            )
            for i, count in enumerate(sketch.counts)
        ]
        drawn = h("svg", *bars, viewBox="0 0 120 32", role="img", aria_label=f"{t('roles.values')}: {name}")
    else:
        rows = [
            h(
                "div",
                h("span", label, class_="category"),
                h(
                    "svg",
                    h("rect", x="0", y="0", width=f"{100 * count / top:.1f}", height="8"),
                    viewBox="0 0 100 8",
                    preserveAspectRatio="none",
                    aria_hidden="true",
                ),
            )
            for label, count in zip(sketch.labels[:4], sketch.counts[:4], strict=True)
        ]
        drawn = h("div", *rows, class_="categories")
    return h("div", drawn, numbers, class_="sketch")


def _details(session: Session, place: int, about: dict[str, Any], seen: ColumnOverview) -> Markup:
    t = texts(session)
    parts = []
    if about.get("kind") == "ordinal" and (about.get("order") or seen.categories):
        parts.append(_order(session, place, [str(value) for value in about.get("order") or seen.categories]))
    if about.get("kind") == "nominal" and about.get("role") == "quasi_identifier":
        parts.append(_tree(session, place, about))
    directed = about.get("kind") in DIRECTIONS
    if about.get("latitude"):
        return h("p", t("roles.latitude", name=about["latitude"]), class_="reason note")
    if directed:
        parts.append(_direction(session, place, about))
    if not parts:
        return Markup()
    title = h("summary", t(f"roles.more_{about['kind']}"))
    return h("details", title, *parts, class_="more", id=f"more-{place}", open=directed)


def _direction(session: Session, place: int, about: dict[str, Any]) -> Markup:
    """Return the field of what a place or a cycle needs."""
    t, names = texts(session), [column.name for column in session.overview.columns]
    if about["kind"] == "cyclic":
        period = h(
            "input",
            type="number",
            name="period",
            value=f"{about['period']:g}" if about.get("period") else "",
            min="0",
            step="any",
            data_submit=True,
            id=f"period-{place}",
        )
        control = field(t("roles.period"), period, hint=t("roles.period_hint"), term="period")
    else:
        others = [("", t("roles.choose")), *((str(i), name) for i, name in enumerate(names) if i != place)]
        chosen = str(names.index(about["longitude"])) if about.get("longitude") in names else ""
        longitude = select("longitude", others, chosen, data_submit=True, id=f"longitude-{place}")
        control = field(t("roles.longitude"), longitude, hint=t("roles.longitude_hint"), term="longitude")
    return form("/roles/direction", hidden("column", str(place)), control, h("noscript", button(t("app.apply"))))


def _order(session: Session, place: int, order: list[str]) -> Markup:
    t = texts(session)
    entries = [
        h(
            "li",
            hidden("order", value),
            h("span", value),
            h("button", "↑", type="button", data_move="up", aria_label=t("roles.up", name=value)),
            h("button", "↓", type="button", data_move="down", aria_label=t("roles.down", name=value)),
            draggable="true",
        )
        for value in order
    ]
    return form(
        "/roles/order",
        hidden("column", str(place)),
        h("p", h("strong", t("roles.order")), " ", h("span", t("roles.order_hint"), class_="note")),
        h("ol", *entries, class_="order", data_sort=True, id=f"order-{place}"),
        button(t("app.save")),
    )


def _tree(session: Session, place: int, about: dict[str, Any]) -> Markup:
    t = texts(session)
    tree = about.get("hierarchy")
    known: list[Markup] = []
    if tree is not None:
        known = [
            h("p", t("roles.has_tree", levels=Taxonomy.of(tree).height)),
            form(
                "/roles/hierarchy",
                hidden("column", str(place)),
                button(t("roles.remove_tree"), name="remove", value="1"),
            ),
        ]
    return h(
        "div",
        *known,
        form(
            "/roles/hierarchy",
            hidden("column", str(place)),
            field(
                t("roles.hierarchy"),
                h("textarea", name="paths", rows="4", spellcheck="false"),
                hint=t("roles.hierarchy_hint"),
            ),
            field(t("roles.prefix"), h("input", name="prefix", autocomplete="off", inputmode="numeric")),
            button(t("app.save")),
        ),
        field(
            t("roles.upload_tree"),
            h("input", type="file", accept=".csv", data_upload=f"/roles/tree?column={place}"),
        ),
    )
