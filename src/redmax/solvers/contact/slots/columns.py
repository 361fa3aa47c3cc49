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
STATE, MADE = 35, 36  # 0 open, 1 sticking, 2 sliding; what slack should be by what is AHEAD
STUCK, SLID, ACROSS, ALONG = 37, 38, 39, 40  # dP/dy r: of what sticks; along (1, mu c, mu s) and across; c and s, where it slides
EASE, MASS = 42, 43  # the local mean of J M^-1 J', and 1 / it
KEY, GAP, POINT, AGE, STILL, FREE = 44, 45, 46, 49, 50, 51  # STILL: 0, 1 if it neither closes nor opens, 2 if it rested before
ENDED, U, REST = 54, 57, 60  # J V by momentum balance; what it is in the end; impulse and state of what rests, for the next step
ACTIVE = 64  # whether it is held, in worlds that are not done
AHEAD = 65  # impulse and state where the whole way along DU leads
HOLDS, SPARE = 69, 70  # the energy that it held before; what it may hold beyond its overlap
COLUMNS = 71
