"""What steps of the first order lose of what bodies by themselves have, which contacts that last hold for a while, and give back.

In a step from V0 to V1 of momenta, impulses and weight change the energy of a body by f . u, u at its end, less

    S = (V1 - V0)' M (V1 - V0) / 2

On a body that rolls and rocks without slipping, f . u > 0 as points run ahead of those they are points of, and that is what S takes, but at
other times: a quarter of a period later. So contacts that have lasted hold S, in proportion to what they bear, and lifts are paid from it;
what is beyond what their overlap can hold (overlaps.py) fades within a second or so. Without that a rattleback would sink into the ground
by a millimetre instead of turning back. Energy of bodies and contacts together does not grow by it, as it has been lost before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.dynamics.contact.rows import R_HELD, R_SPARE, SETTLED
from redmax.program.routines.call import Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact.columns import AGE, BODY_A, BODY_B, IMPULSE

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem


@routine
def keep_lost(
    raw: Matrix, C: Matrix, counts: Vector, limits: Vector, V: Matrix, M: Matrix, free: Matrix, now: Matrix, lost: Vector, change: Vector,
    alone: Wholes, bodies: Whole,
) -> None:  # fmt: skip
    """What contacts held before the step, and what they may hold beyond their overlaps. lost: room for a number of each body"""
    for b in range(bodies + 1):
        lost[b] = 0.0
    for c in range(whole(counts[0])):
        row = C[c]
        if row[AGE] > SETTLED:
            lost[whole(row[BODY_A])] += max(row[IMPULSE], 0.0)
            lost[whole(row[BODY_B])] += max(row[IMPULSE], 0.0)
    lost[bodies] = 0.0
    for b in range(bodies):
        borne = lost[b]
        lost[b] = 0.0
        if alone[b] > 0:
            if borne > 0.0:
                change[0:6] = free[b, 0:6] + V[b, 0:6] - now[b, 0:6]
                total = 0.0
                for i in range(6):
                    total += change[i] * dot(M[6 * b + i, 0:6], change[0:6])
                lost[b] = 0.5 * total / borne
    for c in range(whole(counts[0])):
        row = C[c]
        if row[AGE] > SETTLED and row[IMPULSE] > 0.0:
            raw[c, R_HELD] += row[IMPULSE] * (lost[whole(row[BODY_A])] + lost[whole(row[BODY_B])])
            raw[c, R_SPARE] = row[IMPULSE] * limits[6]


def by_themselves(system: ContactSystem) -> list[int]:
    """1 of bodies whose momenta nothing changes but weight and contact: what flies is carried with its energy (flown.py)."""
    model = system.model
    free = not (model.forces or model.joint_forces or model.constraints or model.rubbing)
    return [int(free and model.flying[j] and j not in model.tree.parent) for j in system.order]


def lost(system: ContactSystem) -> tuple[Call, ...]:
    """Behind the solver."""
    alone = by_themselves(system)
    if not any(alone):
        return ()
    raw, C, *some = data = tuple(system.data[name] for name in ("raw", "contacts", "V", "M", "free", "now", "lost", "change"))
    given = lambda at: [(raw, C, at.world(COUNTS), at.world(LIMITS), *some, alone, system.n)]  # noqa: E731
    return (Call(keep_lost, given, data),)
