"""A part of the attack whose attempts all find a hole, but the last: what the watching is tried on."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        self.folder, self.outside = folder, folder.parent / f"{folder.name}-outside"

    def prepare(self, index: int) -> None:
        (self.folder / "input.txt").write_text(f"input {index}")

    def attempt(self, index: int) -> str:
        return [self.crash, self.wrong, self.memory, self.read, self.change, self.steer, self.start, self.fine][index]()

    def crash(self) -> str:
        return str(ctypes.string_at(0))

    def wrong(self) -> str:
        return str({}["key"])

    def memory(self) -> str:
        return str(len(bytearray(os.urandom(1)) * (600 * 2**20)))

    def read(self) -> str:
        return (self.outside / "secret.txt").read_text()

    def change(self) -> str:
        os.close(os.open(self.outside / "secret.txt", os.O_WRONLY | os.O_TRUNC))
        return "changed"

    def steer(self) -> str:
        os.write(1, b"\x1b[31m")
        return "said"

    def start(self) -> str:
        os.system("true")
        return "started"

    def fine(self) -> str:
        time.sleep(0.01)
        return "fine"
