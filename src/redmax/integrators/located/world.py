"""One world between events: where it is, which contacts are closed and how, and what accelerations come of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from redmax.dynamics.contact.detect import BODY_A, BODY_B, FEATURES, GAP, KEY, NORMAL, POINT
from redmax.errors import SimulationError
from redmax.integrators.located.bodies import Points, Seen, cross, turned
from redmax.integrators.located.cone import Cones
from redmax.integrators.located.seen import Looking
from redmax.model.model import Model

SHIFTS = np.array([0.0, 1.0, -1.0, 2.0, -2.0])  # where points are looked for, to see how they move
SHIFTED = 1e-3  # of the smallest size, which the fastest shape moves by
BENT = 1e-4  # of the smallest size, and of normals: by more, a point that moves as far has jumped
FINER, FINEST = 0.1, 1e-4  # a shift that is so much shorter is tried where points go too far in one; the shortest, of the first
SAME, JUMP = 1e-3, 1e-2  # of the smallest size: how near a point of another name is the same one, and how far one does not move in a shift
MOST = 32  # contacts that are closed at a time


@dataclass(frozen=True, eq=False)
class Mode:
    """A contact that is closed. along: (3,) where it slides, a unit vector; None where it sticks. row: as it was seen last.

    place, normal: in the frames of the second and of the first body, for a state in which the point is not found
    begins: whether it is so slow that it slides to where it is accelerated, which the law of contact for accelerations says: the direction
    of slip follows that ever faster the slower it is, and explicit steps would have to
    """

    row: np.ndarray
    along: np.ndarray | None
    place: np.ndarray
    normal: np.ndarray
    begins: bool = False

    @property
    def key(self) -> float:
        return float(self.row[KEY])


@dataclass(frozen=True, eq=False)
class Tolerances:
    """size: of the smallest shape (m); speed: of a fall through it (m/s); drift: of gaps within a step, of the size."""

    size: float
    speed: float
    drift: float
    begun: float  # how fast something slides that has begun to (m/s)

    @property
    def gap(self) -> float:
        """That counts as closed."""
        return max(1e-9, 10.0 * self.drift) * self.size

    @property
    def sunk(self) -> float:
        """That an open contact may not go below."""
        return self.drift * self.size

    @property
    def still(self) -> float:
        """A speed that is none."""
        return 1e-9 * self.speed

    @property
    def ended(self) -> float:
        """A slip that has ended where it turns (m/s): it need not pass zero, but nearly, and turns the faster the nearer it does."""
        return max(self.still, 1e-2 * self.begun)

    @property
    def hop(self) -> float:
        """A bounce that is none: how high."""
        return 1e-9 * self.size


def tolerances(model: Model, rtol: float) -> Tolerances:
    sizes = [float(s.size[s.size > 0.0].min()) for s in model.contact_shapes if s.radius > 0.0]
    g, size = float(np.linalg.norm(model.gravity)), min(sizes, default=1.0)
    speed = float(np.sqrt(g * size)) if g > 0.0 else size
    return Tolerances(size, speed, min(max(1e-2 * rtol, 1e-11), 1e-8), min(max(0.1 * np.sqrt(rtol), 1e-7), 1e-4) * speed)


@dataclass(frozen=True, eq=False)
class Held:
    """What contact does at a state: accelerations, contacts, the force on the second body of each along n, t, t; whether all points
    that are closed were found there, and the other points (n, RAW) that were."""

    seen: Seen
    qddot: np.ndarray
    points: Points
    cones: Cones
    force: np.ndarray
    found: bool
    others: np.ndarray

    @property
    def scale(self) -> float:
        """Of forces."""
        return max(float(np.abs(self.force).max(initial=0.0)), self.points.usual[1])


class World:
    """q: its configuration, from which `delta` counts; reach: a radius around the shapes of each link, for speeds."""

    def __init__(self, model: Model, looking: Looking, given: Mapping[str, np.ndarray], rtol: float) -> None:
        self.model, self.looking, self.given = model, looking, dict(given)
        self.q, self.nv = np.zeros(model.configurations.size), model.nv
        self.limits = tolerances(model, rtol)
        self.modes: tuple[Mode, ...] = ()
        radius = np.zeros(len(model.links) + 1)
        for s in model.contact_shapes:
            if s.body >= 0:
                radius[s.body] = max(radius[s.body], s.radius + float(np.linalg.norm(s.pose[:3, 3])))
        self.radius, self.moves = radius, np.flatnonzero(radius)
        self.looked = 0
        self.fine, self.lost = 1.0, False  # how much shorter shifts are than usual; whether a closed point went too far in the last ones

    def look(
        self, delta: np.ndarray, given: np.ndarray, t: float, ahead: float = 0.0, as_rate: bool = False, shift: float = 0.0,
        changing: np.ndarray | None = None,
    ) -> list[Seen]:  # fmt: skip
        """The state, and for a shift those shortly before and after. ahead: for how long points must be known before they close (s)."""
        shifts = shift * SHIFTS if shift else np.zeros(1)
        one = lambda x: np.full(1, float(x))  # noqa: E731
        inputs = {
            "look_q": self.q, "look_delta": delta, "look_v": given, "look_a": np.zeros(self.nv) if changing is None else changing,
            "t": one(t), "h": one(ahead), "look_shift": shifts[:, None].copy(), "look_as_rate": one(as_rate), **self.given,
        }  # fmt: skip
        self.looked += len(shifts)
        found = self.looking.at(inputs, len(shifts))
        if not np.isfinite(found[0].out["qddot"]).all():
            raise NoNumber
        if found[0].lost:
            why = "there is no room for all points of contact. Use fewer shapes, or integrator='implicit'"
            raise SimulationError(f"The run broke off at t = {t:.6g} s: {why}.")
        return found

    def fastest(self, seen: Seen) -> float:
        """How fast anything that touches moves (m/s)."""
        moves = self.moves
        speeds = np.sqrt((seen.speed[moves] ** 2).sum(axis=1)) + np.sqrt((seen.spin[moves] ** 2).sum(axis=1)) * self.radius[moves]
        return float(speeds.max(initial=0.0))

    def shift_of(self, seen: Seen) -> float:
        """How long it takes to move a little (s). Points may be far faster than bodies: that where a coin touches goes round its rim."""
        return self.fine * min(SHIFTED * self.limits.size / max(self.fastest(seen), 1e-300), 1e-3)

    def finer(self) -> bool:
        """Whether shifts are to be tried again, shorter, as points were lost in the last ones."""
        again = self.lost and self.fine > 2.0 * FINEST
        self.fine *= FINER if again else 1.0
        return again

    def matched(self, seen: Seen, rows: np.ndarray, within: float) -> np.ndarray:
        """(m,): which point of a state each of these is, by its name or place; -1 where there is none."""
        keys = seen.points[:, KEY].tolist()
        place = {key: k for k, key in enumerate(keys)}
        found = [place.get(key, -1) for key in rows[:, KEY].tolist()]
        for k in [k for k, at in enumerate(found) if at < 0]:
            left = [i for i, key in enumerate(keys) if key // FEATURES == rows[k, KEY] // FEATURES and i not in found]
            apart = [float(np.linalg.norm(seen.points[i, POINT : POINT + 3] - rows[k, POINT : POINT + 3])) for i in left]
            if left and min(apart) < within:
                found[k] = left[int(np.argmin(apart))]
        return np.array(found, int)

    def carried(self, seen: Seen) -> np.ndarray:
        """(m, RAW): the closed contacts as they are where their bodies are now."""
        rows = np.array([mode.row for mode in self.modes])
        of = seen.skeleton.body_of_row
        for row, mode in zip(rows, self.modes, strict=True):
            a, b = of[int(row[BODY_A])], of[int(row[BODY_B])]
            row[POINT : POINT + 3] = seen.x[b] + seen.R[b] @ mode.place
            row[NORMAL : NORMAL + 3] = seen.R[a] @ mode.normal
            row[GAP] = 0.0
        return rows

    def found(self, delta: np.ndarray, given: np.ndarray, t: float) -> tuple[Seen, np.ndarray, bool]:
        """What is seen there, the points that are not closed, and whether those that are were found. given: rates of coordinates."""
        (seen,) = self.look(delta, given, t, as_rate=True)
        if not self.modes:
            return seen, seen.points, True
        at = self.matched(seen, self.carried(seen), SAME * self.limits.size)
        return seen, np.delete(seen.points, at[at >= 0], axis=0), bool((at >= 0).all())

    def closed(self, seen: Seen, shifted: list[Seen], shift: float) -> tuple[Points, np.ndarray]:
        """The closed contacts at a state, and which of all points they are, -1 where they were not found."""
        rows = self.carried(seen)
        at = self.matched(seen, rows, SAME * self.limits.size)
        rows[at >= 0] = seen.points[at[at >= 0]]
        return self.moving(seen, rows, shifted, shift), at

    def moving(self, seen: Seen, rows: np.ndarray, shifted: list[Seen], shift: float) -> Points:
        """Points with how they move over the surfaces; where that is not seen they stay on the second body, and normals on the first."""
        found = Points(seen, rows)
        a, b = found.bodies
        moves, turns = found.velocity(b), cross(seen.spin[a], found.normal)
        if shifted:
            size = self.limits.size
            columns = np.r_[POINT : POINT + 3, NORMAL : NORMAL + 3]
            here, near, places = rows[:, columns], np.repeat([JUMP * size, JUMP], 3), []
            for other in shifted:
                at = self.matched(other, rows, JUMP * size)
                there = other.points[at][:, columns] if len(other.points) else np.full_like(here, np.inf)
                lost = (at < 0) | (np.abs(there - here) > near).any(axis=1)
                places.append(np.where(lost[:, None], np.nan, there))
            rate = smooth_rate(here, places, BENT * near / JUMP) / shift
            self.lost = bool(np.isnan(rate).any())
            moves, turns = (np.where(np.isfinite(r), r, else_) for r, else_ in ((rate[:, :3], moves), (rate[:, 3:], turns)))
        return replace(found, moves=moves, turns=turns)

    def hold(self, delta: np.ndarray, given: np.ndarray, t: float, ahead: float = 0.0, as_rate: bool = False, shift: float = 0.0) -> Held:
        """What the closed contacts do. shift: as of `shift_of`."""
        if not self.modes:
            (seen,) = self.look(delta, given, t, ahead, as_rate)
            none = Points(seen, np.zeros((0, seen.points.shape[1])))
            return Held(seen, seen.out["qddot"], none, none_of(), np.zeros(0), True, seen.points)
        seen, *shifted = self.look(delta, given, t, ahead, as_rate, shift)
        points, at = self.closed(seen, shifted, shift)
        cones = Cones(points.W, points.changes, points.friction, self.directions(points))
        force = cones.solve()[0] if any(mode.begins for mode in self.modes) else cones.held()
        others = np.delete(seen.points, at[at >= 0], axis=0)
        return Held(seen, seen.out["qddot"] + points.way @ force, points, cones, force, bool((at >= 0).all()), others)

    def directions(self, points: Points) -> np.ndarray:
        """(m, 2) along t, t: where contacts slide, or nan. Beyond the place where slip ends it goes on as before, until that is found."""
        slides = [mode.along is not None and not mode.begins for mode in self.modes]
        if not any(slides):
            return np.full((len(points), 2), np.nan)
        along = np.array([np.zeros(3) if mode.along is None else mode.along for mode in self.modes])
        forward = np.where((points.slip * along).sum(axis=1) >= 0.0, 1.0, -1.0)[:, None]
        local = turned(points.axes[:, 1:], forward * points.slip + 0.1 * self.limits.still * along)
        size = np.sqrt((local**2).sum(axis=1))
        return np.where(np.array(slides)[:, None], local / np.maximum(size, 1e-300)[:, None], np.nan)

    def mode(self, points: Points, k: int, along: np.ndarray | None, begins: bool = False) -> Mode:
        """A contact of a state, closed."""
        s, (a, b) = points.seen, points.bodies
        place = s.R[b[k]].T @ (points.x[k] - s.x[b[k]])
        return Mode(points.rows[k].copy(), along, place, s.R[a[k]].T @ points.normal[k], begins)


def smooth_rate(here: np.ndarray, places: list[np.ndarray], bent: np.ndarray) -> np.ndarray:
    """How fast something changes, in units of a shift, from where it is after 1, -1, 2 and -2 of these; nan where that is not known.

    Where it bends by more than `bent`, it has jumped on one side, and the other says it.
    """
    after, before, later, earlier = places
    with np.errstate(invalid="ignore"):
        whole = (np.abs(after + before - 2.0 * here) < bent).all(axis=1, keepdims=True)
        ahead = (np.abs(here + later - 2.0 * after) < bent).all(axis=1, keepdims=True)
        behind = (np.abs(here + earlier - 2.0 * before) < bent).all(axis=1, keepdims=True)
    both = 2.0 / 3.0 * (after - before) - (later - earlier) / 12.0
    onward, back = 2.0 * after - 1.5 * here - 0.5 * later, 1.5 * here - 2.0 * before + 0.5 * earlier
    choices = [np.asarray(x) for x in (whole & ahead & behind, ahead, behind)]
    return np.select(choices, [both, onward, back], np.nan)


class NoNumber(Exception):
    """Accelerations are no numbers there."""


def none_of() -> Cones:
    return Cones(np.zeros((0, 0)), np.zeros(0), np.zeros(0), np.zeros((0, 2)))
