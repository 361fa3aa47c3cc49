"""The web server of the viewer: viser, behind a door and with an ear of ours."""

from __future__ import annotations

import contextlib
import logging
import threading
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from redmax.errors import RedmaxError
from redmax.view.live.address import HOST, bound
from redmax.view.live.door import PageDoor

if TYPE_CHECKING:
    import viser

    from redmax.view.live.messages import Listener

PATIENCE = 2.0  # s for a request or a farewell to come: who never says it does not hold up the end for longer
STARTING = threading.Lock()
LOGGER = logging.getLogger("redmax.view.live")  # what strangers send is not for the terminal, unless a program asks for it
LOGGER.addHandler(logging.NullHandler())


@dataclass(frozen=True, eq=False)
class Site:
    """server: what draws the page; door: which lets in who knows its address; listener: to what pages say."""

    server: viser.ViserServer
    door: PageDoor
    listener: Listener

    @property
    def url(self) -> str:
        return self.door.url

    def stop(self) -> None:
        """Take it from the network; what pages still say is not heard."""
        self.listener.server = None
        with quiet():
            self.server.stop()


class Guarded(str):
    """The host by which viser listens, so that of all who start servers at a time ours is known."""


def start(port: int, title: str, host: str = HOST) -> Site:
    """A server that says nothing by itself, and nothing to those who do not know its address."""
    try:
        import viser
    except ImportError as error:
        raise RedmaxError("The live viewer needs the package viser: pip install 'redmax[view]'.") from error
    from redmax.view.live.messages import Listener

    address = bound(host, port)
    door, listener = PageDoor(address), Listener()
    try:
        with STARTING, quiet(), guarding(door, listener):
            server = viser.ViserServer(host=Guarded(host), port=address.port, label=title, verbose=False)
    except BaseException:
        address.socket.close()
        raise
    server.request_share_url = lambda verbose=True: None  # a page could ask for a tunnel to the outside: there is none
    site = Site(server, door, listener)
    if door.serve is None:  # a viser that starts otherwise than those we know
        site.stop()
        address.socket.close()
        raise RedmaxError(f"The live viewer cannot be kept to its user with viser {viser.__version__}. Install viser 1.1.1.")
    listener.server = server
    return site


@contextlib.contextmanager
def guarding(door: PageDoor, listener: Listener) -> Iterator[None]:
    """What viser starts meanwhile at a guarded host listens at the door's address, and hears only what door and listener let through."""
    from websockets.asyncio import server as sockets

    from redmax.view.live.messages import LARGEST, PageConnection

    plain = sockets.serve

    def serve(handler: Any, host: Any = None, port: Any = None, **options: Any) -> Any:
        if not isinstance(host, Guarded):
            return plain(handler, host, port, **options)
        door.serve = options["process_request"]
        ours = {"process_request": door.answer, "create_connection": partial(PageConnection, listener), "max_size": LARGEST}
        ours |= {"open_timeout": PATIENCE, "close_timeout": PATIENCE, "logger": LOGGER, "sock": door.address.socket}
        return plain(handler, **options | ours)

    sockets.serve = serve  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        sockets.serve = plain  # type: ignore[misc]


def open_page(url: str) -> None:
    """Show the page in the user's browser, where there is one."""
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(url)


@contextlib.contextmanager
def preparing(server: viser.ViserServer) -> Iterator[None]:
    """The pages say meanwhile that something is being made ready."""
    notes = [page.add_notification("Preparing", "The scene is being compiled.", loading=True) for page in server.get_clients().values()]
    try:
        yield
    finally:
        for note in notes:
            note.remove()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """viser announces itself through rich, from its own threads too; not here: the page's address is printed in one line of ours."""
    import rich

    said = rich.print
    rich.print = lambda *args, **options: None
    try:
        yield
    finally:
        rich.print = said
