"""Joints between surfaces beside hinges: the six examples of Si & Guenter, Table 1, as scalar code on one core.

Chains of 20, 50 and 100 hinges (RC), of 10 and 20 rings that slide on each other (TC, 38 and 78 degrees of freedom), and a windmill of
rings, balls and ellipsoids (WM, 73). Their times are of a Core 2 Quad at 2.67 GHz, so what compares is each example over the chain of
100 hinges. Rings must also take less time than Pinocchio does for as many hinges, and their kernels must not take long to compile.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.agreement import agree
from benchmarks.cases import CASES, draw
from benchmarks.compile import cold_and_cached, once
from benchmarks.engines.pinocchio import Pinocchio
from benchmarks.engines.redmax import Redmax, by_jacobians
from benchmarks.processes import processes
from benchmarks.report import Row, Target
from benchmarks.single import some_states
from benchmarks.timing import Contestant, Effort, Times, compete

FIGURE = "Si & Guenter, Table 1"
UNIT = "RC100"
PUBLISHED = {  # ms: their symbolic recursion (Method I), Featherstone's algorithm, SD/FAST, and their numeric recursion (Method II)
    "RC20": (0.020, 0.025, 0.016, 1.0),
    "RC50": (0.050, 0.064, 0.136, 2.4),
    "RC100": (0.112, 0.127, None, 4.9),
    "TC10": (0.055, None, None, 1.05),
    "TC20": (0.115, None, None, 2.2),
    "WM": (0.108, None, None, 2.4),
}
HINGES = 78  # as many as TC20 has degrees of freedom
TARGETS = {"TC20": 1.25}  # over RC100
COMPILED = ("TC20", "WM")
COLD, CACHED = 3.0, 0.1
CHECKED = 16  # states of which the accelerations are computed another way


def measure(effort: Effort) -> Iterator[Row]:
    yield from published(effort)
    yield from compiling(effort)


def published(effort: Effort) -> Iterator[Row]:
    entries = {case: checked(case) for case in PUBLISHED}
    peer = pinocchio_hinges()
    *own, other = compete([*[contestant for contestant, _ in entries.values()], peer], effort)
    times = dict(zip(entries, own))
    for case, (_, error) in entries.items():
        yield row(case, times, error)
    limit, note = Target(ratio=1.0), f"Pinocchio: {HINGES} hinges, as many degrees of freedom"
    yield Row(FIGURE, "TC20", times["TC20"].best, peer.name, other.best, times["TC20"].ratio(other), limit, entries["TC20"][1], note)


def checked(case: str) -> tuple[Contestant, float]:
    """The example with its states, and how much its accelerations differ from those of another engine, or another algorithm."""
    scene = CASES[case]()
    states = some_states(scene)
    own = Redmax(scene).contestant(states, lanes=1, name=f"redmax {case}")
    own.call()
    if case.startswith("RC"):
        peer = Pinocchio(scene).contestant(states)
        peer.call()
        return own, agree(f"{case}: redmax against Pinocchio", own.accelerations(), peer.accelerations())
    return own, agree(f"{case}: recursion against J^T M J", own.accelerations()[:CHECKED], by_jacobians(scene, states[:CHECKED]))


def pinocchio_hinges() -> Contestant:
    case = f"RC{HINGES}"
    scene = CASES[case]()
    states = some_states(scene)
    own, peer = Redmax(scene).contestant(states, lanes=1), Pinocchio(scene).contestant(states)
    for c in (own, peer):
        c.call()
    agree(f"{case}: redmax against Pinocchio", own.accelerations(), peer.accelerations())
    return peer


def row(case: str, times: dict[str, Times], error: float) -> Row:
    symbolic, *others = PUBLISHED[case]
    whole = PUBLISHED[UNIT][0]
    rest = [f"{name} {ms:g}" for name, ms in zip(("Featherstone", "SD/FAST", "Method II"), others) if ms is not None]
    note = f"theirs {symbolic:g} ms, {symbolic / whole:.2f} of {UNIT} ({', '.join(rest)})"
    target = Target(ratio=TARGETS[case]) if case in TARGETS else None
    return Row(FIGURE, case, times[case].best, f"redmax {UNIT}", times[UNIT].best, times[case].ratio(times[UNIT]), target, error, note)


def compiling(effort: Effort) -> Iterator[Row]:
    cached: list[Row] = []
    with processes() as python:
        once(python, COMPILED[0], 1, "")  # leaves the byte code
        for case in COMPILED:
            scene = CASES[case]()
            expected = by_jacobians(scene, draw(scene, 1))
            cold, again = cold_and_cached(python, case, expected, (COLD, CACHED), effort.processes)
            cached.append(again)
            yield cold
    yield from cached
