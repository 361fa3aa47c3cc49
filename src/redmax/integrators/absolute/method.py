"""Generalized-alpha on Lie groups, of order 2, for bodies in absolute coordinates with joints and loops as constraints.

    q1 = q0 exp(h Dq),   Dq = v0 + (1/2 - beta) h a0 + beta h a1,   v1 = v0 + (1 - gamma) h a0 + gamma h a1
    (1 - am) a1 + am a0 = (1 - af) v1' + af v0'
    M v1' + (what twists and weight do) + B(q1)' lambda1 = f,     Phi(q1) = 0                                     index 3
    Dq also - B(q0)' eta,  and B(q1) v1 = 0                                                                       index 2, stabilised
    am = (2 rho - 1)/(rho + 1),  af = rho/(rho + 1),  gamma = 1/2 + af - am,  beta = (gamma + 1/2)^2 / 4

(Brüls, Cardona, Arnold, Mech. Mach. Theory 48, 2012; index 2 after Arnold, Brüls, Cardona, Numer. Math. 129, 2015.) rho, the spectral
radius where frequencies are infinite, says how much of what is fast is left by a step. group: of each body, with the frame
of the body or of its joint: "SE3", v the body twist, or "SO3xR3", v = (Omega, xdot) (group.py).

Index 3 keeps positions and leaves velocities off the hidden constraints by O(h^2); in the direct product its multipliers have order 1 in
the first steps. On SE(3) what a body does on a lower pair to the ground is a subgroup, along which steps go: the hidden constraint is kept.
Index 2 keeps both, and has order 2 from the first step in both groups.

Index 1 has rows of accelerations (index_1.py), B v1' = -Bdot v1 - 2 b B v1 - b^2 Phi(q1), with Baumgarte's b = 5/s in joints unless
told otherwise: stabilisation="none" is b = 0, the textbook's form, in which bodies drift off their joints; "project" ends steps on them.

Start: v0, v0' of qdot and of the accelerations of the joints. a0 = v0' of index 3 and 1. Of index 2 a0 = v0' + (am - af) h v0'', v0''
by central differences: a is v' at t + (am - af) h, and with a0 = v0' multipliers would have order 1 in the first steps unless rho is 1.
Newton's method begins where qdot and qddot lead, and ends when what is left is below 1e-14 of the way of the step, or where roundings
let it come no nearer. Bodies are placed by the joints, so that positions hold to roundings; what joints transmit is told as reactions
(place.py). A step turns no body by more than half a turn.
"""

from __future__ import annotations

from redmax.backends.base import Runner
from redmax.integrators.base import Method
from redmax.model.model import Model

RHO = 0.9


def absolute(model: Model, backend: str, group: str, index: int, rho: float, frame: str) -> Runner:
    from redmax.integrators.absolute.program import Form
    from redmax.integrators.absolute.runner import AbsoluteRunner

    return AbsoluteRunner(model, backend, Form(group, index, frame), rho)


GENERALIZED_ALPHA = Method("generalized-alpha", 2, False, None, reads_rows=True, implicit=True, only_on="maximal", absolute=absolute)
