"""Steps of `adaptive` with contact: the same pair of orders 5(4), step control and interpolant (adaptive.py), in Python.

Each step that is good is looked at for events in places as far apart as what is open can move before it closes, and at least PROBES of
them; then the first event is found by bisection, and the step ends there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from redmax.dynamics.contact.detect import FEATURES, GAP, KEY
from redmax.dynamics.contact.pair_laws import detected_pairs
from redmax.errors import SimulationError
from redmax.integrators.adaptive import FINEST, FRACTION, GROW, MOST_STEPS, SAFETY, SHRINK, SMALLEST, A, C, E
from redmax.integrators.located.bodies import Points, Seen
from redmax.integrators.located.settle import EDGE, LIGHT, SLIGHT, Struck, put_on, settle
from redmax.integrators.located.step import Step
from redmax.integrators.located.world import Held, Mode, NoNumber, World

PROBES = 5
ADVANCE = 0.02  # of the smallest size, that shapes may move between two looks however near they are
MOVED = 1e-8  # of accelerations: what other forces would have to change for an event
TURNED = 0.7  # the cosine of how far a slip turns in a step that goes elsewhere
CRAWLED = 8  # steps in which something slides next to nothing, after which it no longer does
MANY, SLOW = 1000, 1e-2  # steps, and the part of the time of a fall through the smallest shape, or of its passing, that they are to take
STUCK = 50  # events without time between them
TOO_SMALL = "the adaptive step became too small: the motion is singular there, or not smooth"
EPS = float(np.finfo(float).eps)


def combined(weights: tuple[float, ...], slopes: list[np.ndarray]) -> np.ndarray:
    """The sum of stages, of which there may be more than weights."""
    return np.asarray(weights, float) @ np.array(slopes[: len(weights)])


class Steps:
    """A world on its way, from t to end. strike(t, struck): told of impacts."""

    def __init__(
        self, world: World, q: np.ndarray, v: np.ndarray, t: float, end: float, h: float, rtol: float, floor: np.ndarray,
        strike: Callable[[float, list[Struck]], None],
    ) -> None:  # fmt: skip
        self.world, self.v, self.t, self.end, self.h, self.rtol, self.floor, self.strike = world, v, t, end, h, rtol, floor, strike
        world.q = q.copy()
        self.taken, self.h_wanted, self.standing, self.shift, self.since = 0, h, 0, 1e-4, t
        joints = [link.joint for link in world.model.links]
        starts = world.model.configurations.offsets
        own = [(range(s, s + j.dof) if j.nq == j.dof else [-1] * j.dof) for s, j in zip(starts, joints, strict=False)]
        self.coordinate = np.array([k for part in own for k in part], int)  # of each rate, -1 where it has none
        self.event("")

    def event(self, what: str) -> None:
        """What happens where the world is."""
        self.crawled = 0
        self.v, struck = settle(self.world, self.v, self.t, what)
        if struck:
            self.strike(self.t, struck)
        self.begin()

    def begin(self) -> None:
        """A new step begins here; joints near a singularity of their coordinates change to others."""
        zero, self.world.fine, self.world.lost = np.zeros(self.world.nv), 1.0, False
        held = self.hold(zero, self.v, self.t, min(self.h, self.end - self.t))
        out, shift = held.seen.out, self.world.shift_of(held.seen)
        changed = bool((out["look_q_new"] != out["q"]).any())
        if changed:
            self.world.q, self.v = out["look_q_new"].copy(), out["look_v_new"].copy()
        if changed or not 0.5 * shift < self.shift < 2.0 * shift:
            self.shift = shift
            held = self.hold(zero, self.v, self.t, min(self.h, self.end - self.t))
        while self.world.modes and self.world.finer():
            self.shift = self.world.shift_of(held.seen)
            held = self.hold(zero, self.v, self.t, min(self.h, self.end - self.t))
        self.held = held
        self.world.modes = tuple(self.renewed(k, mode) for k, mode in enumerate(self.world.modes))

    def renewed(self, k: int, mode: Mode) -> Mode:
        """A closed contact as it is at the beginning of a step."""
        return self.world.mode(self.held.points, k, None if mode.along is None else self.going(k, mode.along), mode.begins)

    def going(self, k: int, along: np.ndarray) -> np.ndarray:
        """Where a contact slides at the beginning of a step."""
        slip = self.held.points.slip[k]
        size = float(np.linalg.norm(slip))
        return slip / size if size > self.world.limits.still and float(slip @ along) > 0.0 else along

    def hold(self, delta: np.ndarray, given: np.ndarray, t: float, ahead: float = 0.0, as_rate: bool = False) -> Held:
        return self.world.hold(delta, given, t, ahead, as_rate, self.shift)

    def tried(self, h: float) -> tuple[Step, float, np.ndarray]:
        """A step, its error in units of what is allowed, and v at its end."""
        v, a = [self.v], [self.held.qddot]
        delta, speed, held = np.zeros(self.world.nv), self.v, self.held
        for i in range(1, 7):
            delta, speed = h * combined(A[i], v), self.v + h * combined(A[i], a)
            held = self.hold(delta, speed, self.t + C[i] * h)
            v.append(held.seen.out["look_rate"].copy())
            a.append(held.qddot)
        old, new = self.places(self.world.q), self.places(held.seen.out["q"])
        tolerance = max(FRACTION * self.rtol, FINEST * EPS)
        parts = []
        for slopes, before, after in ((v, old, new), (a, self.v, speed)):
            error = h * combined(E, slopes)
            parts.append(error / (tolerance * (self.floor + np.maximum(np.abs(before), np.abs(after)))))
        ratio = np.concatenate(parts)
        error = float(np.sqrt(max(float(np.mean(ratio**2)) if len(ratio) else 0.0, 1e-20)))
        end, fastest = a[6], max(self.world.fastest(self.held.seen), self.world.fastest(held.seen))
        if (self.coordinate < 0).any():
            end = self.world.look(delta, speed, self.t + h, changing=a[6])[0].out["look_second"].copy()
        return Step(self.t, h, delta, (self.v, v[6]), (a[0], end), fastest), error, speed

    def places(self, q: np.ndarray) -> np.ndarray:
        """(nv,): coordinates of rates, as errors are relative to; zero where there are none."""
        return np.where(self.coordinate >= 0, q[self.coordinate], 0.0) if len(q) else np.zeros(self.world.nv)

    def go(self, samples: list[tuple[float, Callable[[np.ndarray, np.ndarray, Held], None]]]) -> None:
        """To the end; samples: when, and what takes q, qdot and contacts then, in order."""
        rest, t_end = list(samples), self.end
        while t_end - self.t > 2.0 * EPS * max(abs(t_end), 1e-6):
            h = min(self.h, t_end - self.t)
            if self.h < SMALLEST * EPS * max(abs(self.t), 1.0) or self.taken > MOST_STEPS:
                raise self.broken(TOO_SMALL)
            self.taken += 1
            self.look_back()
            try:
                step, error, speed = self.tried(h)
            except NoNumber:
                self.h = h * SHRINK
                continue
            factor = min(max(SAFETY * error**-0.2, SHRINK), GROW) if error < np.inf else SHRINK
            if not error <= 1.0:
                self.h = h * factor
                continue
            self.h_wanted = self.h if h < self.h else h * factor  # a step that ends with the portion says little of the next
            self.h = max(h * factor, self.h_wanted)
            reach, broke = self.first_event(step)
            while rest and rest[0][0] <= self.t + reach * h + 4.0 * EPS * abs(t_end):
                x = min(max((rest[0][0] - self.t) / h, 0.0), reach)
                held = self.hold(*step.place(x), self.t + x * h, as_rate=True)
                rest.pop(0)[1](held.seen.out["q"], held.seen.out["qdot"], held)
            self.arrive(step, speed, reach, broke)
        for _, keep in rest:
            keep(self.world.q, self.v, self.held)

    def look_back(self) -> None:
        """Raise where many steps have come to next to nothing: what is not smooth has no end then that anybody would wait for."""
        if self.taken % MANY:
            return
        way, self.since = self.t - self.since, self.t
        limits, fastest = self.world.limits, self.world.fastest(self.held.seen)
        if way < SLOW * limits.size / max(limits.speed, fastest):
            steps = f"{MANY} steps with contact{self.between()} went on by {way:.2g} s"
            raise self.broken(f"{steps}, as points jump over edges and rims there, or slips turn ever faster")

    def between(self) -> str:
        """Of what, in words: the pairs that touch."""
        pairs = detected_pairs(self.world.model)
        names = dict.fromkeys(f"{a.owner!r} and {b.owner!r}" for a, b in (pairs[int(m.key // FEATURES)] for m in self.world.modes))
        return f" between {', '.join(names)}" if names else ""

    def broken(self, why: str) -> SimulationError:
        return SimulationError(f"The run broke off at t = {self.t:.9g} s: {why}. Take integrator='implicit'.")

    def arrive(self, step: Step, speed: np.ndarray, reach: float, broke: str) -> None:
        """The step ends, at an event or at its end."""
        if not broke:
            (seen,) = self.world.look(step.dq, speed, step.t + step.h)
            self.world.q, self.t = seen.out["q"].copy(), step.t + step.h
            self.v, self.standing = put_on(self.world, speed, self.t), 0
            self.begin()
            self.crawled = self.crawled + 1 if self.crawls() else 0
            return self.event("slip") if self.crawled > CRAWLED else None
        (seen,) = self.world.look(*step.place(reach), step.t + reach * step.h, as_rate=True)
        self.standing = self.standing + 1 if reach * step.h <= 64.0 * EPS * max(abs(step.t), 1e-3) else 0
        if self.standing > STUCK:
            raise self.broken(f"{STUCK} events of contact{self.between()} followed each other without time between them")
        self.world.q, self.v, self.t = seen.out["q"].copy(), seen.out["qdot"].copy(), step.t + reach * step.h
        return self.event(broke)

    def first_event(self, step: Step) -> tuple[float, str]:
        """The fraction of the step at which something happens, and what; 1 and "" if nothing does."""
        before, held = 0.0, self.held
        while before < 1.0:
            behind, low = min(1.0, before + self.far(held, step)), self.low(held)
            held = self.hold(*step.place(behind), step.t + behind * step.h, (1.0 - behind) * step.h, as_rate=True)
            what = self.happens(held, low)
            if what:
                return self.bisected(step, before, behind, what, low)
            before = behind
        return 1.0, ""

    def bisected(self, step: Step, before: float, behind: float, what: str, low: frozenset[float]) -> tuple[float, str]:
        """The first event between two places. That a gap closes is seen without forces, which is sooner done, and looked at first."""
        if what == "gap":
            left, closes = self.halved(step, before, behind, lambda x: "gap" * self.closes(self.world.found(*self.at(step, x)), low))
            found = self.happens(self.hold(*self.at(step, left), as_rate=True), low) if left > before else ""
            if not found:
                return closes, what
            behind, what = left, found
        kinds = {behind: what}

        def happens(x: float) -> str:
            kinds[x] = self.happens(self.hold(*self.at(step, x), as_rate=True), low)
            return kinds[x]

        _, behind = self.halved(step, before, behind, happens)
        return behind, kinds[behind]

    def at(self, step: Step, x: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Where a fraction of a step is, and when."""
        return *step.place(x), step.t + x * step.h

    def halved(self, step: Step, before: float, behind: float, happens: Callable[[float], str]) -> tuple[float, float]:
        """The last place where nothing happens, and the first where something does, next to each other."""
        while (behind - before) * step.h > max(2.0 * EPS * max(abs(step.t), step.h), 1e-16):
            x = 0.5 * (before + behind)
            if not before < x < behind:
                break
            before, behind = (before, x) if happens(x) else (x, behind)
        return before, behind

    def low(self, held: Held) -> frozenset[float]:
        """The names of open points that nearly touch: they may be as deep as gaps drift before they count as closed."""
        return frozenset(held.others[held.others[:, GAP] <= self.world.limits.gap, KEY].tolist())

    def far(self, held: Held, step: Step) -> float:
        """The part of the step until what is open may close, at least a little."""
        speed = 2.0 * max(step.fastest, self.world.fastest(held.seen), 1e-300)
        way = max(float(held.others[:, GAP].min(initial=np.inf)), ADVANCE * self.world.limits.size)
        return min(1.0 / PROBES, way / (speed * step.h))

    def happens(self, held: Held, low: frozenset[float]) -> str:
        """ "gap": something closes or is no longer found; "force": contact would pull, or friction be beyond its cone; "slip": it ends."""
        if self.closes((held.seen, held.others, held.found), low):
            return "gap"
        slip = held.points.slip if self.world.modes else np.zeros((0, 3))
        for k, mode in enumerate(self.world.modes):
            if mode.begins:
                if float(np.linalg.norm(slip[k])) > self.world.limits.begun or self.ends(held, k):
                    return "slip"
            elif mode.along is not None and held.points.friction[k] > 0.0 and self.turns(slip[k], mode.along):
                return "slip"
        if any(mode.begins for mode in self.world.modes):
            return "force" if self.opens(held) else ""
        if held.cones.excess(held.force) > SLIGHT * held.scale and self.moved(held):
            return "force"
        return ""

    def closes(self, found: tuple[Seen, np.ndarray, bool], low: frozenset[float]) -> bool:
        """Whether a gap does, or a closed contact is no longer found. found: of World.found."""
        seen, others, all_of_them = found
        sunk = [-self.world.limits.sunk if key in low else 0.0 for key in others[:, KEY].tolist()]
        deep = others[others[:, GAP] < sunk]
        return not all_of_them or bool(len(deep) and (Points(seen, deep).leaving < 0.0).any())  # a point that is found elsewhere may leave

    def turns(self, slip: np.ndarray, along: np.ndarray) -> bool:
        """Whether slip has come back, or, where it is next to nothing, goes elsewhere."""
        forward, limits = float(slip @ along), self.world.limits
        size = float(np.linalg.norm(slip))
        return forward < -1e-3 * limits.still or (size < limits.ended and forward < TURNED * size)

    def crawls(self) -> bool:
        """Whether a slip is next to nothing, and has not just begun."""
        held, modes = self.held, self.world.modes
        slow = [k for k, mode in enumerate(modes) if mode.along is not None and not mode.begins and held.points.friction[k] > 0.0]
        return bool((np.linalg.norm(held.points.slip[slow], axis=1) < self.world.limits.ended).any())

    def ends(self, held: Held, k: int) -> bool:
        """Whether a contact that begins to slide is no longer accelerated so that it does."""
        f = held.force[3 * k : 3 * k + 3]
        sticks = np.linalg.norm(f[1:]) < (1.0 - EDGE) * held.points.friction[k] * f[0]
        return bool(sticks) and float(np.linalg.norm(held.points.slip[k])) > self.world.limits.still

    def opens(self, held: Held) -> bool:
        """Whether a contact opens, by the law for accelerations."""
        rates = held.points.changes + held.points.W @ held.force
        return bool((rates[::3] > LIGHT * held.points.usual[0]).any())

    def moved(self, held: Held) -> bool:
        """Whether forces that meet the law make another motion. Where rows repeat each other, those of least norm may not meet it."""
        f, _ = held.cones.solve()
        other = held.points.way @ (f - held.force)
        return float(np.abs(other).max()) > MOVED * max(float(np.abs(held.qddot).max()), float(np.abs(held.seen.out["qddot"]).max()))
