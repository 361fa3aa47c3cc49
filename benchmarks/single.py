"""One evaluation of forward dynamics as scalar code, within a compiled loop over states, against the loops of the other engines."""

from __future__ import annotations

from collections.abc import Iterator

import redmax as rm
from benchmarks.agreement import agree, within
from benchmarks.cases import CASES, States, draw
from benchmarks.engines.mujoco import MuJoCo
from benchmarks.engines.pinocchio import LARGEST, Pinocchio
from benchmarks.engines.redmax import Redmax
from benchmarks.report import Row, Target
from benchmarks.timing import Effort, compete

FIGURE = "one evaluation"
NUMBERS = 50_000  # in each array of states: enough to hide the call, few enough for the cache
MUJOCO_WORLDS = 2  # at n = 1000, where it takes 30 ms for one
TARGETS = {"RC20": 0.25, "RC50": 0.25, "RC100": 0.25, "tree30": 0.4, "humanoid, quaternions": 0.22}
GROWTH = 11.0  # RC1000 over RC100
NOTES = {
    "tree30": "random axes, frames, inertias, branching",
    "humanoid": "exponential coordinates; Pinocchio: quaternions",
    "humanoid, quaternions": "both",
}


def measure(effort: Effort) -> Iterator[Row]:
    for case in ("RC20", "RC50", "RC100", "tree30"):
        yield from against(case, (Pinocchio, MuJoCo), effort)
    for case in ("humanoid", "humanoid, quaternions"):
        yield from against(case, (Pinocchio,), effort)
    yield from large(effort)


def some_states(scene: rm.Scene) -> States:
    return draw(scene, NUMBERS // sum(link.joint.dof for link in scene.links))


def against(case: str, engines: tuple[type, ...], effort: Effort) -> Iterator[Row]:
    scene = CASES[case]()
    states = some_states(scene)
    redmax = Redmax(scene).contestant(states, lanes=1)
    peers = [engine(scene).contestant(states) for engine in engines]
    for c in (redmax, *peers):
        c.call()
    errors = [agree(f"{case}: redmax against {p.name}", redmax.accelerations(), p.accelerations()) for p in peers]
    own, *others = compete([redmax, *peers], effort)
    for peer, times, error in zip(peers, others, errors):
        target = Target(ratio=TARGETS[case]) if case in TARGETS and peer.name == Pinocchio.name else None
        yield Row(FIGURE, case, own.best, peer.name, times.best, own.ratio(times), target, error, NOTES.get(case, ""))


def large(effort: Effort) -> Iterator[Row]:
    """RC1000: MuJoCo can hold it, and judges it by the torques that are missing (its own accelerations have fewer digits)."""
    scene, small = CASES["RC1000"](), CASES["RC100"]()
    states = some_states(scene)
    mujoco = MuJoCo(scene)
    redmax = Redmax(scene).contestant(states, lanes=1)
    shorter = Redmax(small).contestant(some_states(small), lanes=1, name="redmax RC100")
    peer = mujoco.contestant(states[:MUJOCO_WORLDS])
    for c in (redmax, shorter, peer):
        c.call()
    error = within("RC1000: torques missing in MuJoCo", *mujoco.missing_torque(states, redmax.accelerations()))
    own, hundred, other = compete([redmax, shorter, peer], effort)
    note = f"Pinocchio's memory grows with n^3: n <= {LARGEST}"
    yield Row(FIGURE, "RC1000", own.best, peer.name, other.best, own.ratio(other), None, error, note)
    yield Row(FIGURE, "RC1000", own.best, shorter.name, hundred.best, own.ratio(hundred), Target(ratio=GROWTH), error, "growth with n")
