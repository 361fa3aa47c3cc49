"""Pages: the live page's door and socket, and texts from files in the pages and tables that are written.

Strangers ask without the token, by other names and from other pages, or send what is no request at all; whoever knows the address sends
messages that are mutated or garbage. A hole: a stranger gets anything but a refusal, or a simulation ends, or begins again without being
told to, or does not go on. Names and titles full of markup: a hole is a page with other elements than the same page with plain names, or a
cell of a table that a spreadsheet would compute.
"""

from __future__ import annotations

import csv
import random
import socket
import string
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from attack.hole import Hole
from attack.mutate import WORDS

COUNT = 300
PATIENCE = 20.0  # s on the wall for a simulation to go on, on a busy machine
KINDS = ("stranger", "stranger", "bytes", "messages", "messages", "idle", "names")
VALUES = (
    None, True, 0, -1, 1e308, float("nan"), float("inf"), 2**63, "", "x" * 70_000, b"\xff", [], [0.0, float("nan"), 0.0], {"a": 1}, [[[]]],
)  # fmt: skip
TYPES = (
    "GuiUpdateMessage", "GuiUpdateMessage", "GuiUpdateMessage", "CommandTriggerMessage", "ViewerCameraMessage", "SceneNodeClickMessage",
    "ShareUrlRequest", "ShareUrlDisconnect", "RunJavascriptMessage", "ResetGuiMessage", "GuiRemoveMessage", "FileTransferStart", "x",
)  # fmt: skip
EVIL = (
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><b>", "'-alert(1)-'", "<!--", "]]>", "&lt;", "\u2028alert(1)",
    "=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "a,b", 'a"b', "a\nb", "\x1b[31m", "\x00",
)  # fmt: skip


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        import redmax as rm
        from redmax.view.live import watch

        self.folder, self.seed, self.rm = folder, seed, rm
        out = folder / "watched.h5"
        self.viewer: Any = watch(
            swing, {"length": 0.6}, duration=600.0, dt=0.01, integrator="rk4", out=out, port=0, open_browser=False, block=False
        )
        parts = urlsplit(self.viewer.url)
        self.host, self.port, self.token = parts.hostname, parts.port, parts.path
        self.controls = list(self.viewer.server.gui._gui_input_handle_from_uuid)
        self.plain = elements(named(rm, "plain", folder / "plain.html"))
        self.goes_on()

    def prepare(self, index: int) -> None: ...

    def attempt(self, index: int) -> str:
        rng = random.Random(f"pages {self.seed} {index}")
        kind = rng.choice(KINDS)
        source = self.viewer.source
        getattr(self, kind)(rng)
        if kind in ("stranger", "bytes", "idle") and self.viewer.source is not source:
            raise Hole("wrong", f"{kind}: the simulation began again")
        self.goes_on()
        return kind

    def goes_on(self) -> None:
        """A hole, unless the viewer lives and computes, or would if somebody let it."""
        thread, until = self.viewer.thread, time.monotonic() + PATIENCE
        self.viewer.play()
        count = self.viewer.recording.count
        while thread.is_alive() and self.viewer.error is None and self.viewer.source.grows and self.viewer.recording.count <= count:
            if self.viewer.recording.count < count:  # it began again, as the page asked for
                return
            if time.monotonic() > until:
                raise Hole("hang", "the simulation does not go on")
            time.sleep(0.01)
        if not thread.is_alive() or self.viewer.error is not None:
            raise Hole("crash", f"the viewer ended: {self.viewer.error!r}")

    def connection(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=10)

    def asked(self, path: str, host: str, origin: str | None, upgrade: bool) -> bytes:
        """The first bytes of an answer."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *([f"Origin: {origin}"] if origin else [])]
        if upgrade:
            lines += [
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            ]
        with self.connection() as raw:
            raw.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogatepass"))
            return raw.recv(4096)

    def stranger(self, rng: random.Random) -> None:
        """One thing is wrong with where it comes from; or two."""
        here, token = f"{self.host}:{self.port}", self.token
        other = "/" + "".join(rng.choices(string.ascii_letters, k=32)) + "/"
        paths = (
            "/",
            "/index.html",
            other,
            token[:-2],
            token[:20] + "/",
            token.upper(),
            f"/x{token}",
            f"/{token[:5]}%00/",
            "//",
            f"/..{token[:9]}",
        )
        hosts = (
            "example.org",
            f"example.org:{self.port}",
            f"{self.host}.example.org",
            "",
            "127.0.0.1@example.org",
            "[::ffff:7f00:1]",
            "0x7f.1",
        )
        origins = ("http://example.org", "null", "http://127.0.0.1:1", "file://", f"http://{here}.example.org", "chrome-extension://x")
        wrong = rng.choice(("path", "host", "origin"))
        path, host = (rng.choice(paths) if wrong == "path" else token), (rng.choice(hosts) if wrong == "host" else here)
        answer = self.asked(path, host, rng.choice(origins) if wrong == "origin" else None, rng.random() < 0.7)
        status = answer.split(b" ", 2)[1] if answer.startswith(b"HTTP/") else b""
        if status and not status.startswith(b"4"):
            raise Hole("outside", f"a stranger by its {wrong} was answered {answer[:80]!r}")

    def bytes(self, rng: random.Random) -> None:
        """What is no request, or never ends."""
        garbage = (
            rng.randbytes(rng.choice((1, 100, 5000))),
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500,
            b"GET " + b"a" * 100_000,
            b"\r\n" * 1000,
        )
        with self.connection() as raw:
            raw.sendall(rng.choice(garbage))
            raw.settimeout(0.05)
            try:
                if b" 200 " in raw.recv(100) or b" 101 " in raw.recv(0):
                    raise Hole("outside", "bytes that are no request were answered with a page")
            except (TimeoutError, ConnectionError):
                pass

    def idle(self, rng: random.Random) -> None:
        """Many who never ask; who knows the address is answered all the same."""
        held = [self.connection() for _ in range(rng.choice((10, 60)))]
        try:
            if b" 200 " not in self.asked(self.token, f"{self.host}:{self.port}", None, False):
                raise Hole("hang", "the page is not served while others wait")
        finally:
            for raw in held:
                raw.close()

    def messages(self, rng: random.Random) -> None:
        """Garbage by one who knows the address."""
        from websockets.exceptions import ConnectionClosed

        from view.live.strangers import CAMERA, page

        opened = page(self.viewer.url)
        try:
            for _ in range(rng.choice((1, 5, 30))):
                opened.send(self.message(rng, CAMERA))
        except ConnectionClosed:
            pass
        finally:
            opened.socket.close()

    def message(self, rng: random.Random, camera: dict[str, Any]) -> Any:
        if rng.random() < 0.15:
            return rng.choice((rng.randbytes(50), "text", b"", rng.choice(WORDS).encode("utf-8", "surrogatepass")))
        kind, uuid = rng.choice(TYPES), rng.choice((*self.controls, "nobody", ""))
        name = rng.choice(("value", "value", "value", "min", "__class__", "disabled", "visible"))
        made: dict[str, Any] = (
            {**camera, "type": kind} if "Camera" in kind else {"type": kind, "uuid": uuid, "updates": {name: rng.choice(VALUES)}}
        )
        if rng.random() < 0.4:
            made[rng.choice(list(made))] = rng.choice(VALUES)
        try:
            return msgspec.msgpack.encode(made)
        except OverflowError:
            return b"\x80"

    def names(self, rng: random.Random) -> None:
        """Markup and formulas as names and titles."""
        evil = rng.choice(EVIL) + rng.choice(("", *EVIL))
        try:
            page = named(self.rm, evil, self.folder / "evil.html")
        except self.rm.RedmaxError:
            return  # it may be no name
        if elements(page) != self.plain:
            raise Hole("text", f"the name {evil!r} makes other elements on the page")
        check_table(self.folder / "evil.csv")


def swing(parameters: Any) -> Any:
    import redmax as rm

    length = parameters["length"]
    scene = rm.Scene(title="swing")
    scene.add_body(rm.Cuboid((length, 0.05, 0.05)), joint=rm.Revolute("y"), com=(length / 2, 0, 0), name="arm")
    return scene


def named(rm: Any, name: str, path: Path) -> str:
    """A page of a scene with this name everywhere; and the table of its run beside it."""
    scene = rm.Scene(title=name)
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.1, 0, 0), name=name, joint_name=f"{name} ")
    run = rm.simulate(scene, 0.02, 0.01, integrator="euler", progress=False)
    run.html(path)
    run.to_csv(path.with_suffix(".csv"))
    return path.read_text(encoding="utf-8")


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(f"<{tag} {sorted(name for name, _ in attrs)}>")

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.found.append("<!-->")


def elements(text: str) -> list[str]:
    """Elements of a page with the names of their attributes, in order."""
    parser = Elements()
    parser.feed(text)
    return parser.found


def check_table(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                if cell.lstrip()[:1] in ("=", "+", "-", "@") and not is_number(cell):
                    raise Hole("text", f"the cell {cell!r} is a formula")


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
