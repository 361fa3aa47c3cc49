"""What watches an attempt from inside its process: files that are opened elsewhere, programs that are started, decoys that are read.

Python tells of the files that it opens by audit events; libraries in C do not, so decoys lie where an attack would reach for them, and the
system tells when one of these is opened (inotify), or is no longer what it was.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

from attack.hole import Hole

SECRET = "xyzzy-the-secret-word"
STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "socket.connect", "socket.sendto", "pty.spawn")
CHANGED = ("os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.mkdir", "shutil.rmtree")
SYSTEM = (
    "/proc/",
    "/sys/",
    "/dev/null",
    "/dev/urandom",
    "/usr/lib",
    "/lib",
    "/usr/share",
    "/etc/localtime",
    "/etc/ld.so",
    "/etc/mime.types",
)
HELPING = ("uname", "fc-list", "ffmpeg")  # what names the processor, finds fonts for plots, and makes films
NOWHERE = "/nonexistent"  # a folder that is not there, in which calls ask for files
IN_OPEN, IN_NONBLOCK = 0x20, 0o4000
ADDRESSES, FILE_SIZE = 8 * 2**30, 2**29  # bytes: LLVM and BLAS reserve much more than they use


def limit() -> None:
    """Bound what this process and those that it starts can take."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Guard:
    """folder: where the attempts may read and write. Armed while one is made; then `check` says what it did beyond that."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.outside = folder, folder.parent / f"{folder.name}-outside"
        self.outside.mkdir(exist_ok=True)
        self.decoys = {name: content.encode() for name, content in DECOYS.items()}
        for name, content in self.decoys.items():
            (self.outside / name).write_bytes(content)
        self.allowed = tuple(str(p) for p in readable(folder)) + SYSTEM
        self.armed, self.seen = False, list[str]()
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.watch = self.libc.inotify_init1(IN_NONBLOCK)
        self.libc.inotify_add_watch(self.watch, os.fsencode(self.outside), IN_OPEN)
        sys.addaudithook(self.hear)

    def arm(self) -> None:
        """Watch from here on; what happened before does not count."""
        self.seen.clear()
        self.decoys_opened()
        self.armed = True

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.armed:
            return
        if event == "open":
            self.opened(args[0], args[1], args[2])
        elif event == "socket.connect":
            if args[1][:1] != ("127.0.0.1",):
                self.seen.append(f"{event} {str(args)[:200]}")
        elif event == "subprocess.Popen" and Path(os.fsdecode(args[0])).name.startswith(HELPING):
            return
        elif event in STARTED or (event in CHANGED and self.elsewhere(args[0])):
            self.seen.append(f"{event} {str(args)[:200]}")

    def opened(self, path: Any, mode: Any, flags: Any) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if not self.within(path, *(() if writes else self.allowed), str(self.folder), *kept(), "/dev/null", NOWHERE):
            self.seen.append(f"{'wrote' if writes else 'opened'} {os.fsdecode(path)[:200]}")

    def elsewhere(self, path: Any) -> bool:
        return isinstance(path, str | bytes | os.PathLike) and not self.within(path, str(self.folder), *kept())

    def within(self, path: Any, *roots: str) -> bool:
        real = os.path.abspath(os.fsdecode(path))
        return any(real == r or real.startswith(r.rstrip("/") + "/") or (r in SYSTEM and real.startswith(r)) for r in roots)

    def check(self) -> None:
        """Raise what was done outside since the last time."""
        seen, self.seen = dict.fromkeys(self.seen), []
        opened = self.decoys_opened()
        found = {p.name: p.read_bytes() for p in self.outside.iterdir() if p.is_file()}
        changed = sorted(n for n in {*found, *self.decoys} if found.get(n) != self.decoys.get(n))
        for name in changed:  # for the attempts that follow
            (self.outside / name).unlink(missing_ok=True)
            if name in self.decoys:
                (self.outside / name).write_bytes(self.decoys[name])
        done = [*seen, *([f"opened the decoy {opened}"] if opened else []), *(f"changed {name} beside the folder" for name in changed)]
        if done:
            raise Hole("outside", "; ".join(done)[:500])

    def decoys_opened(self) -> str:
        """The name of a decoy that was opened since the last time."""
        try:
            data = os.read(self.watch, 65536)
        except BlockingIOError:
            return ""
        return data[16 : 16 + int.from_bytes(data[12:16], sys.byteorder)].rstrip(b"\0").decode("utf-8", "replace") or "folder"


def readable(folder: Path) -> list[Path]:
    """Where Python, its packages and redmax lie."""
    roots = [Path(sys.prefix), Path(sys.base_prefix), *map(Path, sys.path), Path(__file__).parents[1]]
    return [folder, *(p for root in roots if str(root) not in ("", ".") for p in {root.absolute(), root.resolve()})]


def kept() -> tuple[str, ...]:
    """Where compiled code and drafts may be kept."""
    return tuple(x for x in (os.environ.get("REDMAX_CACHE_DIR"), os.environ.get("MPLCONFIGDIR")) if x) or (tempfile.gettempdir(),)


DECOYS = {
    "secret.txt": f"{SECRET}\n",
    "secret.yaml": f"redmax: 1\ntitle: {SECRET}\nbodies:\n  - {{name: {SECRET}, shape: {{Sphere: {{radius: 1}}}}}}\n",
    "secret.raw": SECRET * 64,
}
