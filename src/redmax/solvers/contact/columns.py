"""What a row of the table of contacts holds, by the column where it begins.

Bodies are numbers of rows of the matrices of bodies; the last of these is the world, which never moves. The first body is `a`, the normal
goes from a to b, and u = J_b V_b + J_a V_a is how fast b leaves a: along the normal, then along two tangents. Impulses f act on b, -f on a.

    f = P_K(y),   y = f0 - r (u + bias + slack n)         r = 1 / R, R the compliance of a step (s/kg)
"""

from __future__ import annotations

BODY_A, BODY_B, FRICTION, KEY, GAP = 0, 1, 2, 3, 4
POINT, NORMAL, FIRST, SECOND = 5, 8, 11, 14  # in world axes; NORMAL and the two tangents are the rows of a rotation
IMPULSE, CARRIED = 17, 20  # f; f0, the tangential impulse of the step before, in this step's axes
SLACK, STIFF, MASS = 23, 24, 25  # mu |v_t| of the outer iteration; r; the local mass, 1 / mean of J M^-1 J'
BIAS, FREE, U, DU, Y, SLOPE = 26, 29, 32, 35, 38, 41  # SLOPE: dP/dy, nn n1 n2 11 12 22
STATE = 47  # 0 open, 1 sticking, 2 sliding
J_A, J_B = 48, 72  # three rows of 8, of which the last two are zero
WORK = 96  # three rows of 8
# in their place, of trees of six coordinates (sixes.py): where coordinates and blocks of both trees and between them begin; the island
START_A, START_B, BLOCK_A, BLOCK_B, BLOCK_AB, ISLAND = 112, 113, 114, 115, 116, 117
TREE_A, TREE_B = 120, 121  # the trees that move, -1 where none does; one tree that touches itself is A alone
AGE, STILL = 122, 123  # steps that it has been there; 0, 1 if it neither closes nor opens, 2 if it rested before
BEFORE = 124  # u before the step
ASLEEP = 127  # 1 where slacks of its island are left as they are (islands.py)
COLUMNS = 128  # whole lines of the cache
# where contacts have torsional or rolling friction (moments.py): the other row of a contact, -1 if it has none; what moments add to slack;
# k of both laws; the arm at which impulses are moments; v, q and p of the projection; r q
TWIN, TURNED, LENGTHS, ARM, MANTLE, SHARE = 128, 129, 130, 132, 133, 141
COLUMNS_WITH_MOMENTS = 144
