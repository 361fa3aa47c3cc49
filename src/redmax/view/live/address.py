"""Where the page is served: on this machine alone unless another host is asked for, on the port asked for or the next one that is free.

The socket is bound here, before anything listens on it, so that no port is chosen that another program takes in the meantime.
"""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from redmax.errors import RedmaxError

HOST = "127.0.0.1"
OWN_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})  # of this machine, for itself
ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # all addresses of this machine, and where it reaches itself then
TRIES = 200


@dataclass(frozen=True, eq=False)
class Address:
    """host: as it was asked for; socket: bound to it, and listening."""

    host: str
    socket: socket.socket

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]

    @property
    def is_open(self) -> bool:
        """Whether other machines can reach it."""
        return not ip_address(self.socket.getsockname()[0].partition("%")[0]).is_loopback

    @property
    def url(self) -> str:
        """Of this machine's own browsers."""
        return self.url_by(ANY.get(self.host, self.host))

    @property
    def url_outside(self) -> str:
        """Of browsers on other machines."""
        return self.url_by(socket.gethostname() if self.host in ANY else self.host)

    def url_by(self, name: str) -> str:
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}"

    def goes_by(self, name: str) -> bool:
        """Whether a browser may call this machine so. A name that somebody else's server resolves to this machine is none of its own;
        a number cannot be made to mean something else, so that all are good where several may lead here."""
        machine = socket.gethostname().lower()
        if name in OWN_NAMES or name == self.host.lower():
            return True
        return self.is_open and (name in (machine, f"{machine}.local") or (self.host in ANY and is_number(name)))


def bound(host: str, port: int) -> Address:
    """The first port from this one on that nobody uses; 0 leaves the choice to the system."""
    check_port(port)
    family, place = resolved(host)
    last = min(port + TRIES, 65536) - 1 if port else 0
    for candidate in range(port, last + 1):
        made = listening(family, (place[0], candidate, *place[2:]), host)
        if made is not None:
            return Address(host, made)
    raise RedmaxError(f"The ports {port} to {last} are all in use or not allowed. Choose another one, or 0 for any.")


def check_port(port: Any) -> None:
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise RedmaxError(f"port must be a whole number from 0 (any that is free) to 65535. Got {port!r}.")


def resolved(host: Any) -> tuple[int, tuple[Any, ...]]:
    """Family and address of a host, version 4 first: names such as localhost have both."""
    if not isinstance(host, str) or not host.strip():
        raise wrong_host(host, "it is no name")
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise wrong_host(host, error.strerror or "it is not known") from None
    except ValueError:  # what cannot be in a name: control characters, a label that is too long
        raise wrong_host(host, "it is no name") from None
    family, _, _, _, place = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    return family, place


def listening(family: int, place: tuple[Any, ...], host: str) -> socket.socket | None:
    """A socket there, None where the port is taken or not allowed."""
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: a port just closed is free
        if host == "::":
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        made.bind(place)
        made.listen()
    except OSError as error:
        made.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES, errno.EPERM):
            return None
        raise wrong_host(host, error.strerror or "it cannot be listened at") from None
    return made


def wrong_host(host: Any, why: str) -> RedmaxError:
    valid = f"an address or a name of this machine: {HOST!r} for this machine alone, '0.0.0.0' for all that can reach it"
    return RedmaxError(f"host must be {valid}. Got {str(host)[:100]!r}: {why}.")


def is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def meaning(url: str, port: int) -> str:
    """What it means that other machines can reach the page at this address."""
    return (
        f"redmax: the page can be reached from other machines, at {url}\n"
        "redmax: whoever has this address can watch and steer: restart, which replaces the result file, and stop. Nothing is encrypted on "
        f"its way. Left at {HOST}, only this machine reaches it, and others through ssh -L {port}:127.0.0.1:{port}."
    )
