"""What rests is tried with the impulses of the step before, as forces among others: then there is nothing to solve.

    a of H a = ... + J' f / h  |  place bodies and shapes | find points | are they the same, and Coulomb's law met?  |  f -= what moves on
                                                                          else the step begins anew, without f

Wrenches of impulses go on in the axes of their joints, which turn by less than rounding shows while all rests. Nothing touches, nothing
is held: a step in the air is one of these too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.dynamics.common.flown import SLOW
from redmax.dynamics.common.flown_trees import step_of_still_trees, step_trees, turns
from redmax.dynamics.common.row_terms import place_body
from redmax.dynamics.contact.detect import FINDERS
from redmax.dynamics.contact.fields import AWAKE, COUNTS, HELD, LIMITS, PRESSED, RESTS, TABLE, TREES_MOVE, TREES_STAY
from redmax.dynamics.contact.overlaps import PAID, RETURNED, held_by, paid_back, spring
from redmax.dynamics.contact.pair_laws import given_laws
from redmax.dynamics.contact.pressed import keep_pressed, press, release
from redmax.dynamics.contact.rows import (
    R_A,
    R_B,
    R_COMPLIANCE,
    R_DAMPING,
    R_EASE_A,
    R_EASE_B,
    R_FRICTION,
    R_GAP,
    R_KEY,
    R_NORMAL,
    R_POINT,
    R_SOFTNESS,
    SETTLED,
    T_AGE,
    T_GAP,
    T_IMPULSE,
    T_KEY,
    T_LEAVING,
    T_NORMAL,
    T_POINT,
    T_SLIP,
    T_STATE,
    T_STORED,
    TOLD,
    WOKEN,
    rate_of_point,
)
from redmax.dynamics.recursive.forces import turned
from redmax.dynamics.recursive.joints import implicit_dynamics
from redmax.dynamics.recursive.system import hybrid_dynamics, stepped_dynamics
from redmax.math import sqrt, where
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, whole
from redmax.program.sweep import Part, forward, interactions, once, recursion
from redmax.solvers.contact.newton import REST
from redmax.solvers.contact.terms import RETURNING, SETTLING

if TYPE_CHECKING:
    from redmax.dynamics.choose import System
    from redmax.dynamics.contact.stages import ContactSystem

R_U, R_MASS, R_STIFF = 10, 13, 14  # what is found of a point takes the place of what it was found from
NEVER = -1.0  # HELD[1] of a step in which the impulses of the step before have been tried, and did not do


@once
def choose(w: WorldView) -> None:
    rests = where(w.contact_held[1] > 0.5, 1.0, 0.0)
    w.contact_rests = rests
    w.contact_awake = 1.0 - rests
    w.trees_move = 0.0


@forward
def place(j: JointView, p: ParentView, w: WorldView) -> None:
    """Where bodies and shapes are, and how they move at the end of the step."""
    place_body(j, p, w, Part.VELOCITY_ROWS)
    R, arm = np.asarray(j.row_R, object).reshape(3, 3), j.row_x - j.row_o
    j.touch_V = turned(R, arm, (j.row_V + w.h * j.row_A)[:, None])
    j.touch_o = j.row_o
    if j.linked:
        w.gather("trees_move", turns(j.row_V + w.h * j.row_A, w))


@once
def decide(w: WorldView) -> None:
    """Whether trees turn: where all rests, there is nothing to look after."""
    moves = where(w.contact_awake > 0.5, 1.0, where(w.trees_move < SLOW, 0.0, 1.0))
    w.trees_move, w.trees_stay = moves, 1.0 - moves


@routine
def gather_ends(
    free: Matrix, origin: Matrix, of: Vector, counts: Vector, after: Places, place: Places, tree: Wholes, bodies: Whole
) -> None:
    """What `gather` does of it."""
    for b in range(bodies):
        free[b, 0:6] = after[b][0:6]
        origin[b, 0:3] = place[b][0:3]
        of[b] = float(tree[b])
    free[bodies, 0:6] = 0.0
    origin[bodies, 0:3] = 0.0
    of[bodies] = -1.0
    for k in range(5):
        counts[k] = 0.0


@routine
def leaves(p: Vector, b: Whole, free: Matrix, origin: Matrix) -> Any:
    """How fast body b moves at a point."""
    return rate_of_point(free[b], p[0] - origin[b, 0], p[1] - origin[b, 1], p[2] - origin[b, 2])


@routine
def look_at(
    p: Vector, seen: Vector, limits: Vector, h: Vector, free: Matrix, origin: Matrix, moves_a: Number, moves_b: Number, world: Whole
) -> Any:
    """The square of the residual of a contact that sticks with the impulse that it had, as solvers/contact/terms.py has it; -1 of others.

    Of the point are left: u, local mass, 1 / R, and the normal on the second body. What contact does not move may move all the same, as
    it is told to: only the world stands still.
    """
    sign = where(moves_b > 0.5, 1.0, -1.0)
    a = where(moves_b > 0.5, p[R_A], p[R_B])
    ux, uy, uz = leaves(p, whole(where(moves_b > 0.5, p[R_B], p[R_A])), free, origin)
    if a < float(world) - 0.5:
        ax, ay, az = leaves(p, whole(a), free, origin)
        ux, uy, uz = ux - ax, uy - ay, uz - az
    nx, ny, nz = sign * p[R_NORMAL], sign * p[R_NORMAL + 1], sign * p[R_NORMAL + 2]
    fx, fy, fz = seen[T_IMPULSE], seen[T_IMPULSE + 1], seen[T_IMPULSE + 2]
    mass = 1.0 / (moves_a * p[R_EASE_A] + moves_b * p[R_EASE_B])
    soft = where(p[R_COMPLIANCE] > 0.0, 1.0, 0.0)
    period = h[0] + p[R_DAMPING]
    stiff = where(soft > 0.0, h[0] * period / where(soft > 0.0, p[R_COMPLIANCE], 1.0), mass / p[R_SOFTNESS])
    f = fx * nx + fy * ny + fz * nz
    gap = p[R_GAP]
    back = where(soft > 0.0, gap / period, max(RETURNED * gap / h[0], -f / stiff - limits[5]))
    u = ux * nx + uy * ny + uz * nz
    sx, sy, sz = ux - u * nx, uy - u * ny, uz - u * nz
    slip, mu = sx * sx + sy * sy + sz * sz, p[R_FRICTION]
    beside = max(fx * fx + fy * fy + fz * fz - f * f, 0.0)
    if PAID * (seen[T_STORED] * stiff - 0.5 * beside) < back * back * stiff * stiff:
        back = max(back, -paid_back(seen[T_STORED], beside, stiff, f, limits[5]))
    v = u + where(gap > 0.0, gap / h[0], back) + f / stiff + limits[3] * mu * sqrt(slip)
    y = f - mass * v
    x, s, t = fx - f * nx - mass * sx, fy - f * ny - mass * sy, fz - f * nz - mass * sz
    p[R_U] = ux
    p[R_U + 1] = uy
    p[R_U + 2] = uz
    p[R_MASS] = mass
    p[R_STIFF] = stiff
    p[R_NORMAL] = nx
    p[R_NORMAL + 1] = ny
    p[R_NORMAL + 2] = nz
    sticks = where(x * x + s * s + t * t <= mu * mu * y * y, where(y > 0.0, where(f > 0.0, 1.0, 0.0), 0.0), 0.0)
    lasts = where(seen[T_AGE] + 1.0 > SETTLED, where(seen[T_STATE] < 1.5, 1.0, 0.0), 0.0)
    calm = where(abs(seen[T_LEAVING]) < 0.5 * WOKEN * limits[4], 1.0, 0.0)
    return where(sticks * lasts * calm > 0.5, slip + v * v, -1.0)


@routine
def tell(p: Vector, told: Vector, limits: Vector, h: Vector) -> None:
    """Of a contact that rests. What its impulse leaves of motion is taken off the one that the next step tries: else it would add up."""
    u = p[R_U] * p[R_NORMAL] + p[R_U + 1] * p[R_NORMAL + 1] + p[R_U + 2] * p[R_NORMAL + 2]
    square, pressed = 0.0, 0.0
    for k in range(3):
        changed = p[R_U + k] - told[T_SLIP + k] - told[T_LEAVING] * told[T_NORMAL + k]
        told[T_IMPULSE + k] -= SETTLING * p[R_MASS] * (changed + RETURNING * p[R_U + k])
        square += told[T_IMPULSE + k] * told[T_IMPULSE + k]
        pressed += told[T_IMPULSE + k] * p[R_NORMAL + k]
    for k in range(3):
        told[T_SLIP + k] = p[R_U + k] - u * p[R_NORMAL + k]
        told[T_NORMAL + k] = p[R_NORMAL + k]
        told[T_POINT + k] = p[R_POINT + k]
    told[T_GAP] = p[R_GAP]
    told[T_AGE] += 1.0
    told[T_LEAVING] = u
    holds = spring(p[R_STIFF], where(p[R_COMPLIANCE] > 0.0, 1.0, 0.0), h[0] + p[R_DAMPING], h[0])
    beside, spare = square - pressed * pressed, max(pressed, 0.0) * limits[6]
    told[T_STORED] = held_by(told[T_STORED], pressed * u, holds, p[R_GAP], u, h[0], beside, p[R_STIFF], spare)


@routine
def try_rest(
    raw: Matrix, counts: Vector, limits: Vector, h: Vector, old: Matrix, olds: Vector, awake: Vector, origin: Matrix, free: Matrix,
    of: Vector, world: Whole,
) -> None:  # fmt: skip
    """awake: 0 if all contacts are those of the step before, stick, and leave next to no motion."""
    n, most, between, ok = 0.0, 0.0, 0.0, 1.0
    points = whole(counts[0])
    for c in range(points):
        p = raw[c]
        moves_a, moves_b = where(of[whole(p[R_A])] > -0.5, 1.0, 0.0), where(of[whole(p[R_B])] > -0.5, 1.0, 0.0)
        if moves_a + moves_b > 0.5 and ok > 0.5:
            seen = old[whole(n)]
            square = -1.0
            if n < olds[0] - 0.5 and abs(seen[T_KEY] - p[R_KEY]) < 0.5:
                square = look_at(p, seen, limits, h, free, origin, moves_a, moves_b, world)
            ok = where(square >= 0.0, 1.0, 0.0)
            most = max(most, square)
            between += where(moves_a + moves_b > 1.5, 1.0, 0.0)
            n += 1.0
    most = sqrt(most)
    awake[0] = where(ok > 0.5, where(abs(n - olds[0]) < 0.5, where(most < REST * limits[0], 0.0, 1.0), 1.0), 1.0)
    if awake[0] > 0.5:
        olds[1] = NEVER
    else:
        n = 0.0
        for c in range(points):
            p = raw[c]
            if of[whole(p[R_A])] > -0.5 or of[whole(p[R_B])] > -0.5:
                tell(p, old[whole(n)], limits, h)
                n += 1.0
        counts[0] = n
        counts[1] = between
        counts[2] = most


def tried_at_rest(system: ContactSystem, free: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
    """A step that tries what rests first. free: accelerations by all but contact, and by what joints are pressed with."""
    data = system.data

    def joints(at: Addresses, field: str) -> list[int]:
        return [at.field(j, field) for j in system.order]

    def ends(at: Addresses) -> tuple[Any, ...]:
        return at.world(COUNTS), joints(at, "touch_V"), joints(at, "touch_o"), system.tree, system.n

    def tried(at: Addresses) -> list[tuple[Any, ...]]:
        given = data["raw"], at.world(COUNTS), at.world(LIMITS), at.world("h"), (at.world(TABLE), TOLD), at.world(HELD), at.world(AWAKE)
        return [(*given, data["origin"], data["free"], data["of"], system.n)]

    def kept(at: Addresses) -> list[tuple[Any, ...]]:
        given = (at.world(TABLE), TOLD), at.world(HELD), data["w"], data["origin"], at.world(PRESSED), at.world("h")
        return [(*given, joints(at, "row_R"), joints(at, "row_x"), system.n)]

    calm = (
        Call(press, lambda at: [(at.world(PRESSED), joints(at, "pressed"), system.n)], ()),
        *free,
        contact_ends,
        system.call(gather_ends, ("free", "origin", "of"), ends),
        *system.found(),
        *given_laws(system),
        Call(try_rest, tried, tuple(data[n] for n in ("raw", "origin", "free", "of"))),
    )
    awake = Call(release, lambda at: [(joints(at, "pressed"), system.n)], ()), *free, *system.stages()
    return (
        recursion(choose, name="whether contacts rest"),
        Branch(RESTS, calm),
        Branch(AWAKE, awake),
        Call(keep_pressed, kept, (data["w"], data["origin"])),
    )


def rests_alone(found: System, model: Model) -> bool:
    """Whether contacts are all that a solver is asked for, and accelerations without them go joint by joint, by forces on bodies."""
    others = model.soft or model.turning or model.constraints or model.rubbing or model.map is not None
    explicit = (found.symplectic or found.accelerations) in ((hybrid_dynamics,), (stepped_dynamics,))
    by_joints = found.implicit == (implicit_dynamics,) and explicit
    return by_joints and not others and all((a.kind, b.kind) in FINDERS for a, b in model.contact_pairs)


step_where_needed = (
    recursion(decide, name="whether trees move"),
    Branch(TREES_MOVE, (step_trees,)),
    Branch(TREES_STAY, (step_of_still_trees,)),
)
contact_ends = recursion(place, interactions(Part.SHAPES), name="contact terms at rest")
