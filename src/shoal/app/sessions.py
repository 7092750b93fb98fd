"""Sessions: who was let in by the secret of the printed address. Each browser has its own, and sees no other."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable

from shoal.app.session import Session
from shoal.app.texts import texts_of

_MOST = 16
"""Browsers at once: beyond, the secret does not open any more."""


class Sessions:
    """Secrets, each good for one browser.

    Parameters
    ----------
    make
        Makes the session of a browser that is let in.
    announce
        Told the secret that opens the next session, when one was used up.
    """

    def __init__(self, make: Callable[[], Session], announce: Callable[[str], None] | None = None) -> None:
        self._make, self._announce = make, announce
        self._by_cookie: dict[str, Session] = {}
        self.token = secrets.token_urlsafe(32)

    def open(self, token: str, languages: str = "") -> str | None:
        """Exchange the secret of the address for that of a cookie; None where it is not the current one.

        The pages speak the language that the browser names first, where there is one.
        """
        if not hmac.compare_digest(token.encode(), self.token.encode()) or len(self._by_cookie) >= _MOST:
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
