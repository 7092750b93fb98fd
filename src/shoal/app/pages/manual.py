"""A page of the documentation, with the app's own head: it is in English, whatever language the app speaks."""

from __future__ import annotations

from shoal.app.html import h
from shoal.app.manual import body, names
from shoal.app.pages.layout import page, texts
from shoal.app.session import Session


def manual_page(session: Session, name: str) -> str:
    """Return a page of the documentation, and the way to the others."""
    t = texts(session)
    links = [
        h("li", h("a", title, href=f"/docs/{other}", aria_current="page" if other == name else None))
        for other, title in names().items()
    ]
    hint = h("p", t("help.docs_language"), class_="note")
    others = h("aside", h("h2", t("help.docs")), h("ul", *links, lang="en"), hint)
    article = h("article", body(name), lang="en", class_="manual")
    return page(session, "help", h("div", article, others, class_="beside"))
