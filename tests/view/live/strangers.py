"""Somebody at the socket of a live page who is no browser: asks for it as they like, and packs messages as viser does."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec
import viser
import zstandard
from websockets.sync.client import ClientConnection, connect

CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0], "position": [3, 3, 3], "fov": 0.6, "near": 0.1, "far": 100.0,
    "image_height": 300, "image_width": 400, "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
}  # fmt: skip


def knock(url: str, path: str | None = None, host: str | None = None, origin: str | None = None) -> ClientConnection:
    """A socket at the page, by another path, name or from another page where these are given."""
    parts = urlsplit(url)
    raw = socket.create_connection((parts.hostname, parts.port), timeout=5)
    address = f"ws://{host or parts.netloc}{parts.path if path is None else path}"
    try:
        spoken: Any = [f"viser-v{viser.__version__}"]
        return connect(address, sock=raw, origin=origin, subprotocols=spoken, open_timeout=5, close_timeout=0.2)  # type: ignore[arg-type]
    except BaseException:
        raw.close()
        raise


def page(url: str) -> ClientConnection:
    """One that the viewer knows as a page: it has said where its camera is."""
    opened = knock(url, origin=f"http://{urlsplit(url).netloc}")
    say(opened, CAMERA)
    return opened


def say(opened: ClientConnection, message: Any) -> None:
    opened.send(message if isinstance(message, bytes | str) else msgspec.msgpack.encode(message))


def change(uuid: str, value: Any, name: str = "value") -> dict[str, Any]:
    """What a page says when a control is used."""
    return {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {name: value}}


def heard(opened: ClientConnection, text: str = "", seconds: float = 30.0) -> list[dict[str, Any]]:
    """The messages that come, until one of them is a notification with this text in it; without a text, the first that come."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(TimeoutError):
            found += unpacked(opened.recv(timeout=0.1))
        if any((text in told(message)) if text else message for message in found):
            return found
    raise AssertionError(f"nobody said {text!r}, but {[told(message) for message in found if told(message)]}")


def unpacked(frame: Any) -> list[dict[str, Any]]:
    size, packed = (int.from_bytes(frame[i : i + 8], "little") for i in (0, 8))
    return msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(frame[16 : 16 + packed], size))["messages"]


def told(message: dict[str, Any]) -> str:
    return message["props"]["body"] if message["type"] == "NotificationShowMessage" else ""
