"""The addresses of the app: each answers with a page, or changes something and sends back to one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from shoal.app import actions, manual
from shoal.app.browser_session import Session
from shoal.app.editor import parse_typed
from shoal.app.form import Form
from shoal.app.guard import REPORT_POLICY
from shoal.app.pages.compare_page import board_part, compare_page
from shoal.app.pages.data_page import data_page, overview_part
from shoal.app.pages.layout import STEPS, help_page, manual_page, page, show, why_closed
from shoal.app.pages.protect_page import ahead_part, protect_page
from shoal.app.pages.release_page import release_page
from shoal.app.pages.roles_page import roles_page, unique_part, warnings_part
from shoal.app.pages.run_page import run_page, run_part
from shoal.app.uploads import UPLOADS, receive
from shoal.errors import DataError, PlanError, ShoalError
from shoal.plan import Plan
from shoal.report.markup import Markup, style_sheet

_PAGES: dict[str, Callable[[Session], Markup]] = {
    "data": data_page,
    "roles": roles_page,
    "protect": protect_page,
    "compare": compare_page,
    "run": run_page,
    "release": release_page,
}
_PARTS: dict[str, Callable[[Session], Markup]] = {
    "/data/look": overview_part,
    "/roles/unique": unique_part,
    "/roles/warnings": warnings_part,
    "/protect/ahead": ahead_part,
    "/compare/board": board_part,
    "/run/status": run_part,
}
_STATIC = {
    "app.css": "text/css",
    "keep.js": "text/javascript",
    "app.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_MOST_FORM = 2_000_000
"""Bytes of a form: a plan with a large tree is in one."""


def make_app(stop: Callable[[], None]) -> Any:
    """Return the application, before which the guard stands; ``stop`` ends the server when a page asks for it.

    What answers and is no coroutine runs on a thread, and may take a moment.
    """
    routes = [Route("/", lambda request: RedirectResponse("/data", 303)), Route("/help", partial(_part, help_page))]
    routes += [Route("/static/{name}", _static)]
    routes += [Route("/docs/{name}", _manual), Route("/docs/img/{name}", _picture)]
    routes += [Route(f"/{step}", partial(_page, step)) for step in STEPS]
    routes += [
        Route(f"/header/{step}", partial(_part, partial(show, template="header.html", step=step))) for step in STEPS
    ]
    routes += [Route(path, partial(_part, part)) for path, part in _PARTS.items()]
    routes += [Route(path, partial(_act, path), methods=["POST"]) for path in actions.ACTIONS]
    routes += [Route(path, partial(_upload, path), methods=["PUT"]) for path in UPLOADS]
    routes += [
        Route("/protect/check", _check, methods=["POST"]),
        Route("/run/report/{release}/{edition}", _report),
        Route("/release/file/{release}/{place}", _download),
        Route("/data/original", _original),
        Route("/stop", partial(_stop, stop), methods=["POST"]),
    ]
    return Starlette(routes=routes, exception_handlers={Exception: _mistake})


def session_of(request: Request) -> Session:
    """Return the session that the guard found."""
    session: Session = request.scope["session"]
    return session


def html(text: str, status: int = 200) -> HTMLResponse:
    """Return a page; what is no character is replaced."""
    return HTMLResponse(text.encode("utf-8", "replace"), status_code=status)


def _manual(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in manual.names():
        return PlainTextResponse("There is no such page.", 404)
    return html(manual_page(session_of(request), name))


def _picture(request: Request) -> Response:
    path = manual.picture(request.path_params["name"])
    if path is None:
        return PlainTextResponse("There is no such picture.", 404)
    return Response(path.read_bytes(), media_type=manual.PICTURES[path.suffix])


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name == "report.css":  # the style of reports, so that both look the same
        return Response(f"{style_sheet()}\n", media_type="text/css")
    if name not in _STATIC:
        return PlainTextResponse("There is no such file.", 404)
    return Response(files("shoal.app").joinpath("static", name).read_bytes(), media_type=_STATIC[name])


async def _page(step: str, request: Request) -> Response:
    async with session_of(request).turn:
        return await run_in_threadpool(_shown, session_of(request), step)


def _shown(session: Session, step: str) -> Response:
    with session.lock:
        if reason := why_closed(session, step):
            earlier = STEPS[: STEPS.index(step)]
            open_ = next(name for name in reversed(earlier) if not why_closed(session, name))
            session.say(PlanError(session.texts("app.not_yet", reason=reason)))
            return RedirectResponse(f"/{open_}", 303)
        return html(_PAGES[step](session))


def _part(part: Callable[[Session], Markup], request: Request) -> Response:
    session = session_of(request)
    with session.lock:
        try:
            return html(part(session))
        except ShoalError as error:
            return html(show(session, "problem.html", sentence=str(error)))


async def _act(path: str, request: Request) -> Response:
    session = session_of(request)
    async with session.turn:  # in the order in which changes came, and before pages that were asked for after them
        try:
            where = await run_in_threadpool(_done, path, session, await _form(request), _seen(request))
        except ShoalError as error:
            session.say(error)
            where = None
    return RedirectResponse(where or _back(request), 303)


def _done(path: str, session: Session, form: Form, seen: str | None) -> str | None:
    with session.lock:
        if path not in actions.WHATEVER_TABLE:
            session.require_seen(seen)
        return actions.ACTIONS[path](session, form)


def _seen(request: Request) -> str | None:
    """Return which table the page shows that asks: it names columns by their places there."""
    return request.headers.get("shoal-table")


def _back(request: Request) -> str:
    step = request.url.path.split("/")[1]
    if step in STEPS:
        return f"/{step}"
    page_before = request.headers.get("referer", "").rpartition("/")[2]
    return f"/{page_before}" if page_before in (*STEPS, "help") else "/data"


async def _form(request: Request) -> Form:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM:
            raise DataError(f"that is more than the {_MOST_FORM:,} bytes that a form may have: upload a file instead")
    try:
        return Form(parse_qs(body.decode(), keep_blank_values=True, max_num_fields=20_000))
    except ValueError:
        raise DataError("that is no form of this app") from None


async def _upload(path: str, request: Request) -> Response:
    session = session_of(request)
    try:
        where = await receive(session, path, dict(request.query_params), request.stream(), seen=_seen(request))
    except ShoalError as error:
        session.say(error)
        return PlainTextResponse(_back(request), 422)
    return PlainTextResponse(where)


async def _check(request: Request) -> Response:
    """Judge a plan as it is typed."""
    session = session_of(request)
    try:
        Plan.from_mapping(parse_typed((await _form(request)).one("toml")))
    except (PlanError, DataError) as error:
        return PlainTextResponse(str(error), 422)
    return PlainTextResponse(session.texts("protect.expert_good"))


def _report(request: Request) -> Response:
    session, edition = session_of(request), request.path_params["edition"]
    if edition not in ("internal", "external"):
        return PlainTextResponse("There is no such report.", 404)
    policy = {"content-security-policy": REPORT_POLICY}
    try:
        release = session.last_release(request.path_params["release"])
    except DataError as error:  # in the frame of the report, which holds no page of the app
        return HTMLResponse(show(session, "frame.html", sentence=str(error)), 409, headers=policy)
    return HTMLResponse((release.folder / f"report-{edition}.html").read_bytes(), headers=policy)


def _download(request: Request) -> Response:
    session, place = session_of(request), request.path_params["place"]
    try:
        release = session.last_release(request.path_params["release"])
    except DataError as error:
        return html(page(session, "release", "notice.html", sentence=str(error)), 409)
    files = {str(number): name for number, name in enumerate(release.file_names)}
    if place not in files:
        return PlainTextResponse("There is no such file.", 404)
    headers = {"content-disposition": "attachment"}  # the link says the name
    return FileResponse(release.folder / files[place], media_type="application/octet-stream", headers=headers)


def _original(request: Request) -> Response:
    """Hand out the bundled table, to compare with and to repeat a release; nobody's own data are copied around."""
    path = session_of(request).demo
    if path is None:
        return PlainTextResponse("There is no such file.", 404)
    return FileResponse(path, media_type="text/csv", headers={"content-disposition": "attachment"})


def _stop(stop: Callable[[], None], request: Request) -> Response:
    session = session_of(request)
    text = page(session, "help", "notice.html", sentence=session.texts("app.stopped"))
    stop()
    return html(text)


async def _mistake(request: Request, error: Exception) -> Response:
    session = session_of(request)
    return html(page(session, "help", "notice.html", sentence=session.texts("app.mistake")), 500)
