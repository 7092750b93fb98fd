"""The guard at the door: who may ask, from which page, and what a page may do.

The server listens on loopback alone. A request must name it by a loopback address (a name that was made to point here
would be another Host), come from a page of its own (Origin), and carry the cookie of a session, which the secret in the
printed address was exchanged for once.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.app.browser_session import Session
from shoal.app.texts import texts_of

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What pages may load and where they may send: this server alone, and no script or style inside a page."""

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
"""What a report inside the page may: nothing but its own style."""

_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "content-security-policy": CONTENT_POLICY,
}

# Not a redirect: after a click in a mail or a file, a strict cookie would not be sent along with that.
_ENTRANCE = (
    '<!doctype html><html lang="en"><title>shoal</title><link rel="icon" href="data:,">'
    '<meta http-equiv="refresh" content="0;url=/data">'
    '<p><a href="/data">shoal</a></p></html>'
)

_READING = ("GET", "HEAD")
_WRITING = ("POST", "PUT")


_MOST_SESSIONS = 16
"""Browsers at once: beyond, the secret does not open any more."""


class Sessions:
    """Secrets, each good for one browser; when one was used up, ``announce`` is told the next."""

    def __init__(self, make: Callable[[], Session], announce: Callable[[str], None] | None = None) -> None:
        self._make, self._announce = make, announce
        self._by_cookie: dict[str, Session] = {}
        self.token = secrets.token_urlsafe(32)

    def open(self, token: str, languages: str = "") -> str | None:
        """Exchange the secret of the address for that of a cookie; None where it is not the current one.

        The pages speak the language that the browser names first, where there is one.
        """
        if not hmac.compare_digest(token.encode(), self.token.encode()) or len(self._by_cookie) >= _MOST_SESSIONS:
            return None
        self.token = secrets.token_urlsafe(32)
        cookie = secrets.token_urlsafe(32)
        session = self._by_cookie[cookie] = self._make()
        session.language = texts_of(languages[:2].lower()).language
        if self._announce is not None:
            self._announce(self.token)
        return cookie

    def find(self, *cookies: str) -> Session | None:
        """Return the session of the first cookie that has one."""
        return next((self._by_cookie[cookie] for cookie in cookies if cookie in self._by_cookie), None)

    def close(self) -> None:
        """End whatever the sessions have under way."""
        for session in self._by_cookie.values():
            session.close()
        self._by_cookie.clear()


class Guard:
    """Wraps an application: what is refused here never reaches it."""

    def __init__(self, app: ASGIApp, sessions: Sessions, *, port: int) -> None:
        self.app, self.sessions, self.cookie = app, sessions, f"shoal-{port}"
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let in."""
        if scope["type"] == "websocket":  # no page opens one
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        session = self.sessions.find(*_cookies(headers.get("cookie", ""), self.cookie))
        app = self._refusal(scope, headers) or self._entrance(scope, headers, session)
        if app is None and session is None:
            app = PlainTextResponse("Open the address that shoal app printed in the terminal: it holds the key.", 403)
        scope["session"] = session
        await (app or self.app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> ASGIApp | None:
        """Answer whoever asks by another name, in another way or from another page."""
        method, host, origin = scope["method"], headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            return PlainTextResponse("This server answers to its own loopback address alone.", 421)
        if method not in _READING + _WRITING:
            return PlainTextResponse("There is nothing here that is asked for like this.", 405)
        if origin != f"http://{host}" and (method in _WRITING or origin is not None):
            return PlainTextResponse("This was asked for by another page, and is refused.", 403)
        return None

    def _entrance(self, scope: Scope, headers: dict[str, str], session: Session | None) -> ASGIApp | None:
        """Answer whoever asks with a secret."""
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] != "/" or scope["method"] not in _READING or not token:
            return None
        if session is not None:
            return HTMLResponse(_ENTRANCE)
        cookie = self.sessions.open(token, headers.get("accept-language", ""))
        if cookie is None:
            return PlainTextResponse("This address was used before, or is not of this app: see the terminal.", 403)
        value = f"{self.cookie}={cookie}; HttpOnly; SameSite=Strict; Path=/"
        return HTMLResponse(_ENTRANCE, headers={"set-cookie": value})


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in present]
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return sending


def _cookies(header: str, name: str) -> list[str]:
    """Return what cookies of a name say.

    Cookies do not know ports: other servers of this machine write theirs beside ours, in forms that the parser of the
    standard library stops at, and under our name, too.
    """
    pairs = (part.partition("=") for part in header.split(";"))
    return [value.strip() for cookie, _, value in pairs if cookie.strip() == name]
