"""Random calls of the public interface: sensible ones with some arguments spoiled, which the tests of the interface make too.

A hole: another exception than RedmaxError, or a TypeError or ValueError that the library does not raise itself; a call that takes more than
2 s or 500 MB, touches other files, or is accepted and cannot be used.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from attack.hole import Hole

COUNT = 10_000


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        from api.specimens import parts
        from api.specimens_of_design import of_design
        from api.specimens_of_runs import of_runs, of_scenes
        from api.worlds import Fixture

        self.seed, self.place = seed, folder / "calls"
        self.place.mkdir()
        self.known = parts() | of_design() | of_scenes() | of_runs(Fixture(folder))

    def prepare(self, index: int) -> None:
        os.chdir(self.place.parent)
        shutil.rmtree(self.place)
        self.place.mkdir()
        os.chdir(self.place)  # for names of files that are drawn by chance

    def attempt(self, index: int) -> str:
        from api.calls import judged

        verdict = judged(self.seed * 1_000_000 + index, self.place, self.known)
        if verdict.wrong is not None:
            raise Hole("hang" if verdict.wrong.startswith("took") else "traceback", f"{verdict.name}({verdict.spoiled}): {verdict.wrong}")
        return "accepted" if verdict.accepted else "refused"
