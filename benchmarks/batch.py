"""A batch of 4096 states given as plain (batch, dof) arrays, in lanes on one thread; the times are per state,
with packing and unpacking."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.agreement import agree, within
from benchmarks.cases import CASES, draw
from benchmarks.engines.mujoco import MuJoCo
from benchmarks.engines.pinocchio import Pinocchio
from benchmarks.engines.redmax import Redmax
from benchmarks.report import Row, Target
from benchmarks.timing import Effort, compete
from redmax.backends.llvm.target import host

FIGURE = "batch of 4096"
WORLDS = 4096
CHECKED, MUJOCO_WORLDS = 16, 2  # at n = 1000
FASTER = {  # by lanes of doubles: AVX-512, AVX2
    8: {"RC20": 24.0, "RC50": 24.0, "RC100": 20.0, "humanoid, quaternions": 18.0},
    4: {"RC20": 8.0, "RC50": 8.0, "RC100": 8.0},
}
GROWTH = 14.0  # RC1000 over RC100


def measure(effort: Effort) -> Iterator[Row]:
    for case in ("RC20", "RC50", "RC100", "tree30", "humanoid", "humanoid, quaternions"):
        yield against_pinocchio(case, effort)
    yield from large(effort)


def against_pinocchio(case: str, effort: Effort) -> Row:
    scene = CASES[case]()
    states = draw(scene, WORLDS)
    redmax, peer = Redmax(scene).contestant(states, lanes=None), Pinocchio(scene).contestant(states)
    for c in (redmax, peer):
        c.call()
    error = agree(f"{case} in lanes", redmax.accelerations(), peer.accelerations())
    own, other = compete([redmax, peer], effort)
    limit = FASTER.get(host().doubles, {}).get(case)
    return Row(FIGURE, case, own.best, peer.name, other.best, own.ratio(other), Target(faster=limit) if limit else None, error)


def large(effort: Effort) -> Iterator[Row]:
    scene, small = CASES["RC1000"](), CASES["RC100"]()
    states = draw(scene, WORLDS)
    mujoco = MuJoCo(scene)
    redmax = Redmax(scene).contestant(states, lanes=None)
    shorter = Redmax(small).contestant(draw(small, WORLDS), lanes=None, name="redmax RC100")
    peer = mujoco.contestant(states[:MUJOCO_WORLDS])
    for c in (redmax, shorter, peer):
        c.call()
    some = slice(None, None, WORLDS // CHECKED)
    error = within("RC1000 in lanes: torques missing in MuJoCo", *mujoco.missing_torque(states[some], redmax.accelerations()[some]))
    own, hundred, other = compete([redmax, shorter, peer], effort)
    yield Row(FIGURE, "RC1000", own.best, peer.name, other.best, own.ratio(other), None, error)
    yield Row(FIGURE, "RC1000", own.best, shorter.name, hundred.best, own.ratio(hundred), Target(ratio=GROWTH), error, "growth with n")
