"""The web server of the viewer: viser, listening on this machine only, on the port asked for or the next one that is free."""

from __future__ import annotations

import contextlib
import socket
import webbrowser
from collections.abc import Iterator
from typing import TYPE_CHECKING

from redmax.errors import RedmaxError

if TYPE_CHECKING:
    import viser

HOST = "127.0.0.1"
TRIES = 200


def start(port: int, title: str) -> viser.ViserServer:
    """A server that says nothing by itself."""
    try:
        import viser
    except ImportError as error:
        raise RedmaxError("The live viewer needs the package viser: pip install 'redmax[view]'.") from error
    free = free_port(port)
    with quiet():
        server = viser.ViserServer(host=HOST, port=free, label=title, verbose=False)
    server.request_share_url = lambda verbose=True: None  # any page could ask for a tunnel to the outside: there is none
    return server


def stop(server: viser.ViserServer) -> None:
    with quiet():
        server.stop()


def free_port(port: int) -> int:
    """The first port from this one on that nobody uses; 0 leaves the choice to the system."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise RedmaxError(f"port must be a whole number from 0 (any that is free) to 65535. Got {port!r}.")
    if port == 0:
        return 0
    for candidate in range(port, min(port + TRIES, 65536)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: one just closed is free
            try:
                probe.bind((HOST, candidate))
            except OSError:
                continue
            return candidate
    raise RedmaxError(
        f"The ports {port} to {min(port + TRIES, 65536) - 1} are all in use or not allowed. Choose another one, or 0 for any."
    )


def url_of(server: viser.ViserServer) -> str:
    return f"http://{HOST}:{server.get_port()}"


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
