"""The door of the page: who comes in, to the page and to the socket behind it.

Any web page that the user has open can ask this machine for pages and sockets, and any program of other users can too. So a request must
call this machine by a name of its own (Host: a stranger's name that was made to lead here is refused), must not come from another page
(Origin), and must know the token, which stands in the path of the address that is printed: http://127.0.0.1:8080/TOKEN/. viser's page
finds its socket by its own address, so that the token goes with it; nothing is kept in cookies, which go to every port of a machine.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from redmax.view.live.address import Address

if TYPE_CHECKING:
    from websockets.http11 import Request, Response

TICKET = 120.0  # s in which a browser that was opened asks for the page
NAMED = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")  # what stands in Host
STRANGER = "The page is not called so: {0!r} is no name of the machine that serves it. Open the address that redmax printed."
ELSEWHERE = "This was asked by another page ({0!r}), which may not look at this one."
UNKNOWN = "Without its token nobody gets in. Open the whole address that redmax printed where it was started (viewer.url in Python)."
HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
POLICY = (  # nothing is asked of other machines, whatever names in the scene say
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' ws://{0} wss://{0} data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'"
)


class PageDoor:
    """address: where it is; serve: what answers those who came in, by a path without the token."""

    def __init__(self, address: Address) -> None:
        self.address, self.token = address, secrets.token_urlsafe(24)
        self.serve: Callable[[Any, Request], Response | None] | None = None
        self.tickets: dict[str, float] = {}

    @property
    def url(self) -> str:
        return f"{self.address.url}/{self.token}/"

    @property
    def url_outside(self) -> str:
        return f"{self.address.url_outside}/{self.token}/"

    def one_time_url(self) -> str:
        """Leads to the page once: other users of the machine see the command line of a browser, by which they could come in too."""
        ticket = secrets.token_urlsafe(24)
        self.tickets[ticket] = time.monotonic() + TICKET
        return f"{self.address.url}/once/{ticket}"

    def answer(self, connection: Any, request: Request) -> Response | None:
        """The answer to a request, None to go on with a socket."""
        wrong = self.refusal(request)
        if wrong is not None:
            return kept(connection.respond(HTTPStatus.FORBIDDEN, f"{wrong}\n"))
        if self.use_ticket(request.path):
            return kept(moved(f"/{self.token}/"))
        path = self.path_inside(request.path)
        if path is None or self.serve is None:
            return kept(connection.respond(HTTPStatus.FORBIDDEN, f"{UNKNOWN}\n"))
        if is_socket(request) and path == "/":
            return None
        page = self.serve(connection, type(request)(path, request.headers))
        if page is None:
            return kept(connection.respond(HTTPStatus.NOT_FOUND, "There is nothing here.\n"))
        page.headers["Content-Security-Policy"] = POLICY.format(request.headers["Host"])
        return kept(page)

    def refusal(self, request: Request) -> str | None:
        """What is wrong with where a request comes from."""
        hosts, origins = (request.headers.get_all(name) for name in ("Host", "Origin"))
        host = hosts[0].lower() if len(hosts) == 1 else ""
        named = NAMED.fullmatch(host)
        if named is None or not self.address.goes_by(named[1].strip("[]")):
            return STRANGER.format(host[:100])
        if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in origins):
            return ELSEWHERE.format(origins[0][:100])
        return None

    def path_inside(self, path: str) -> str | None:
        """The path behind the token, None if that is not the right one."""
        token, _, rest = path.partition("?")[0].removeprefix("/").partition("/")
        return f"/{rest}" if same(token, self.token) else None

    def use_ticket(self, path: str) -> bool:
        """Whether the path is a ticket, which is then used up."""
        given, now = path.partition("?")[0].removeprefix("/once/"), time.monotonic()
        self.tickets = {ticket: until for ticket, until in self.tickets.items() if until > now}
        found = [ticket for ticket in self.tickets if same(given, ticket)]
        return bool(found) and self.tickets.pop(found[0], 0.0) > now


def same(given: str, secret: str) -> bool:
    """In a time that tells nothing of where they differ."""
    return secrets.compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())


def is_socket(request: Request) -> bool:
    return any(value.strip().lower() == "websocket" for value in request.headers.get_all("Upgrade"))


def moved(path: str) -> Response:
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    return Response(302, "Found", Headers({"Location": path, "Content-Length": "0"}), b"")


def kept(response: Response) -> Response:
    """With what tells the browser to keep the address to itself."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response
