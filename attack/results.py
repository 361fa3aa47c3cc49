"""Result files: good ones with bytes changed, cut, swapped or cleared, and ones crafted to reach other files, memory or compiled code.

A hole: a crash, another exception than RedmaxError, more than 2 s or 500 MB, a file opened outside, the secret word of a decoy in an error,
or numbers of a corrupted file that are not those of the run to the last bit (a run that says it is incomplete may end early).
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from attack import crafted
from attack.guard import SECRET
from attack.hole import SOON, Hole, traceback_of, within

COUNT = 2100
CRAFTED = 21  # one of so many is crafted, the others are corrupted
RUN = 10.0  # s of processor time: what is read may have to be compiled


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        self.folder, self.seed, self.path = folder, seed, folder / "input.h5"
        self.good = good_files(Path(os.environ.get("REDMAX_CACHE_DIR") or folder))
        self.runs = [read(path) for path in self.good]
        self.crafted = False

    def prepare(self, index: int) -> None:
        """Write the file of this number."""
        rng = random.Random(f"results {self.seed} {index}")
        for old in self.folder.glob("input*"):
            old.unlink()
        self.number, self.crafted = rng.randrange(len(self.good)), index % CRAFTED == CRAFTED - 1
        if self.crafted:
            shutil.copyfile(self.good[self.number], self.path)
            self.how = crafted.craft(self.path, index // CRAFTED, rng, self.folder.parent / f"{self.folder.name}-outside")
        else:
            self.path.write_bytes(corrupted(self.good[self.number].read_bytes(), rng))

    def attempt(self, index: int) -> str:
        import redmax as rm

        try:
            with within(SOON if self.crafted else RUN, "opening the file"):
                rm.load(self.path)
            with within(RUN, "reading the file"):
                found = read(self.path)
        except rm.RedmaxError as error:
            if SECRET in str(error):
                raise Hole("outside", f"the error quotes the secret word: {str(error)[:200]}") from None
            return "crafted, refused" if self.crafted else "refused"
        except Hole as hole:
            raise Hole(hole.kind, f"{self.how if self.crafted else 'corrupted'}: {hole.what}") from None
        except Exception as error:
            hole = traceback_of(error)
            raise Hole(hole.kind, f"{self.how if self.crafted else 'corrupted'}: {hole.what}") from None
        if self.crafted:
            if SECRET in repr(found):
                raise Hole("outside", f"{self.how}: the secret word was read")
            return "crafted, read"
        return same(self.runs[self.number], found)


def good_files(folder: Path) -> list[Path]:
    """Runs of several kinds, written once."""
    import redmax as rm

    place = folder / "good"
    if not place.exists():
        draft = folder / f"good.{os.getpid()}"
        draft.mkdir()
        for k, (scene, options) in enumerate(runs()):
            rm.simulate(scene, 0.4, 0.01, out=draft / f"{k}.h5", progress=False, **options)
        try:
            draft.rename(place)
        except OSError:  # another child was quicker
            shutil.rmtree(draft)
    return sorted(place.glob("*.h5"))


def runs() -> list[tuple[Any, dict[str, Any]]]:
    import redmax as rm

    arm = rm.Scene(title="arm")
    upper = arm.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Spherical(), com=(0.15, 0, 0), q=(0.1, 0.2, 0.3), name="upper")
    arm.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), parent=upper, at=(0.3, 0, 0), com=(0.15, 0, 0), name="lower")
    top = rm.Scene(title="top")
    top.add_body(rm.Cuboid((0.3, 0.1, 0.2)), joint=rm.SphericalEuler("xyz"), com=(0.1, 0, 0), qdot=(2, 9, 3), name="top")
    flag = rm.Scene(title="flag")
    flag.add_deformable(rm.Cloth((0.2, 0.2), (2, 2), density=0.3, stretch=50.0, name="flag").hold([0, 1]))
    many = rm.State(0.0, np.random.default_rng(3).uniform(-0.5, 0.5, (2, 4)), np.zeros(4))
    return [(arm, {}), (top, {}), (flag, {}), (arm, {"initial": many, "store": ("energy",)})]


def read(path: Path) -> dict[str, Any]:
    """All that a file says of its run, read once more."""
    import redmax as rm

    with np.errstate(all="ignore"):
        run = rm.load(path)
        found: dict[str, Any] = {name: np.array(getattr(run, name)) for name in ("t", "q", "qdot", "charts", "momentum")}
        found |= {"kinetic": run.energy.kinetic, "potential": run.energy.potential}
        for k in range(len(run.model.links)):
            if k < len(run.model.bodies):
                name = run.model.body_names[k]
                found |= {f"pose {name}": run.pose(name), f"twist {name}": run.twist(name), f"reaction {name}": run.reaction(name)}
        for soft in run.model.soft:
            found[f"nodes {soft.name}"] = run.nodes(soft.name)
        facts = {n: getattr(run, n) for n in ("integrator", "dynamics", "dt", "steps", "complete", "ended")}
        names = {"bodies": run.model.body_names, "joints": run.model.joint_names, "title": run.model.title}
        return found | facts | {"settings": dict(run.settings), **names}


def same(run: dict[str, Any], found: dict[str, Any]) -> str:
    """Whether a corrupted file gave the run, or the beginning of it."""
    whole = len(found["t"]) == len(run["t"])
    if not whole and found["complete"]:
        raise Hole("lost", f"{len(found['t'])} of {len(run['t'])} samples, and it says that it is complete")
    for name, was in run.items():
        now = found.get(name)
        if isinstance(was, np.ndarray):
            if not isinstance(now, np.ndarray) or now.dtype != was.dtype or now.tobytes() != was[: len(found["t"])].tobytes():
                raise Hole("wrong", f"{name} is not what it was")
        elif now != was and (whole or name not in ("complete", "ended", "steps")):
            raise Hole("wrong", f"{name} is {str(now)[:60]!r}, was {str(was)[:60]!r}")
    return "as it was" if whole else "its beginning"


def corrupted(data: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut off, cleared, moved or swapped."""
    changed = bytearray(data)
    how = rng.randrange(7)
    if how <= 2:
        for _ in range((1, 1, 8)[how]):
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == 3:
        del changed[rng.randrange(len(data)) :]
    else:
        size = rng.choice((1, 8, 64, 512, 4096))
        a, b = (rng.randrange(max(1, len(data) - size)) for _ in range(2))
        if how == 4:
            changed[a : a + size] = bytes([rng.choice((0, 255))]) * size
        elif how == 5:
            changed[a : a + size], changed[b : b + size] = changed[b : b + size], changed[a : a + size]
        else:
            changed[a : a + size] = rng.randbytes(size)
    return bytes(changed)
