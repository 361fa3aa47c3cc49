"""What a slot holds, by the column where it begins.

All worlds have the same slots, of the same bodies, so that lanes go through them together. In a world in which nothing touches there, HELD
is 0 and the slot stays open and adds nothing: its axes are zero, and it leaves at 1 m/s.

    u = R (v + omega x r),   y = f0 - (u + offset + slack n) / soft,   f = P_K(y)
"""

from __future__ import annotations

HELD, FRICTION, SHARE = 0, 1, 2  # SHARE: 1 / (1 + mu^2)
STIFF, SOFT, SLACK = 3, 4, 5  # r, 1 / r, mu |v_t| of the outer iteration
AXES, ARM = 6, 15  # normal and two tangents; from the origin of the tree to the point
OFFSET, CARRIED = 18, 21  # what u has without changes of velocities, and what is asked for; tangential impulse of the step before
JV, Y, IMPULSE, DU = 23, 26, 29, 32
STATE, EASE, MASS = 35, 36, 37  # 0 open, 1 sticking, 2 sliding; the local mean of J M^-1 J', and 1 / it
KEY, GAP, POINT, AGE, FREE = 38, 39, 40, 43, 44
COLUMNS = 47
