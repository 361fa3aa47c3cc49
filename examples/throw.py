"""A free throw: the torques of an arm whose ball goes through the hoop, with the least effort.

An arm of two links swings a ball and lets go of it at the end of the run, at the place p with the velocity v. From there on gravity alone
acts, so that the flight needs no steps. Of all throws from p to a hoop X away and Z above it, the slowest leaves with

    v_least^2 = g (Z + d),     d = sqrt(X^2 + Z^2),     half way between the line of sight and the vertical,

and takes the time T = sqrt(2 d / g). Where the ball is after this time is what counts:

    miss = p + T v + T^2 g / 2 - hoop,        P = W/2 |miss|^2 + sum_k dt 1/2 |tau_k / tau_max|^2.

The unknowns are the torques of all steps: L-BFGS with the exact gradient of the run by each of them. It begins with none, and finds that
the arm first swings back. It is not told v_least, but what leaves with another velocity is not at the hoop at T: that is the check.

    python examples/throw.py                        what is found
    python examples/throw.py --picture throw.png    and a picture
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import minimize

import redmax as rm

G, HOOP = 9.81, np.array([4.19, 0.0, 3.05])  # m: its centre, from the free-throw line
SHOULDER, UPPER, LOWER, BALL = np.array([0.0, 0.0, 1.55]), 0.32, 0.38, 0.12  # m
BEGIN, STRONGEST = (0.2, 0.4), np.array([60.0, 40.0])  # rad, of the shoulder and of the elbow; N m
STEPS, DT, WEIGHT = 80, 0.01, 1e3


def arm(scene: rm.Scene, q: Any = BEGIN, name: str = "", **look: Any) -> None:
    """An arm with a ball in its hand."""
    up = rm.Revolute((0, -1, 0))
    upper, lower, half = rm.Capsule(0.045, UPPER, mass=2.0), rm.Capsule(0.035, LOWER - 0.08, mass=1.4), 0.04 - LOWER / 2
    shoulder: dict[str, Any] = {"at": SHOULDER, "com": (0, 0, -UPPER / 2), "q": q[0], "damping": 1.0}
    elbow: dict[str, Any] = {"at": (0, 0, -UPPER), "com": (0, 0, half), "q": q[1], "damping": 1.0, "stiffness": 10.0, "rest": 0.4}
    humerus = scene.add_body(upper, joint=up, **shoulder, name=f"upper{name}", **look)
    forearm = scene.add_body(lower, joint=up, parent=humerus, **elbow, name=f"lower{name}", **look)
    scene.add_body(rm.Sphere(BALL, mass=0.62), parent=forearm, at=(0, 0, -LOWER - half), color="darkorange", name=f"ball{name}")


def miss(x: Any, v: Any) -> Any:
    """(3,): how far off the centre of the hoop (m) a ball is that left x with v, after the time of the slowest throw."""
    way = HOOP - x
    T = (4 / G**2 * (way @ way)) ** 0.25
    return x + T * v - [0.0, 0.0, G / 2 * T * T] - HOOP


def thrown(now: rm.Moment) -> Any:
    ball = now.site("ball")
    off = miss(ball.x, ball.v)
    return WEIGHT / 2 * (off @ off)


def effort(now: rm.Moment) -> Any:
    u = now.tau / STRONGEST
    return u @ u / 2


@dataclass(frozen=True)
class Throw:
    """tau: (STEPS, 2) N m;  x, v: where the ball is let go of, and how fast;  effort: the integral of 1/2 |tau / tau_max|^2"""

    tau: np.ndarray
    x: np.ndarray
    v: np.ndarray
    effort: float
    calls: int

    @property
    def speed(self) -> float:
        return float(np.linalg.norm(self.v))

    @property
    def least_speed(self) -> float:
        """The least with which anything comes from there to the hoop."""
        X, _, Z = HOOP - self.x
        return float(np.sqrt(G * (Z + np.hypot(X, Z))))


def scene() -> rm.Scene:
    made = rm.Scene(gravity=(0, 0, -G), title="Free throw")
    arm(made)
    return made


@cache
def solve() -> Throw:
    """The torques that cost least."""
    g = rm.gradient(scene(), thrown, STEPS * DT, DT, running=effort, by=["tau"], integrator="rk4")
    scale = np.tile(STRONGEST, STEPS)  # an optimiser wants unknowns of the size of 1

    def cost(u: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = g.flat(scale * u)
        return value, scale * slope

    how = {"maxiter": 2000, "maxcor": 40, "ftol": 1e-14, "gtol": 1e-7}
    best = minimize(cost, 0 * scale, jac=True, method="L-BFGS-B", bounds=[(-1, 1)] * len(scale), options=how)
    tau = (scale * best.x).reshape(STEPS, 2)
    x, v = let_go(tau)
    return Throw(tau, x, v, DT / 2 * float(((tau / STRONGEST) ** 2).sum()), best.nfev)


def motion(tau: np.ndarray) -> rm.Trajectory:
    return rm.simulate(scene(), STEPS * DT, DT, controls=tau, integrator="rk4")


def let_go(tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the ball is at the end, and its velocity."""
    run = motion(tau)
    return run.pose("ball")[-1, :3, 3], run.twist("ball", kind="mixed")[-1, 3:]


def flight(throw: Throw) -> rm.Trajectory:
    """The ball by itself, simulated until it is over the hoop."""
    free = rm.Scene(gravity=(0, 0, -G))
    free.add_body(rm.Sphere(BALL, mass=0.62), joint=rm.Translational(), q=throw.x, qdot=throw.v, name="ball")
    T = np.sqrt(2 / G * np.linalg.norm(HOOP - throw.x))
    return rm.simulate(free, T, T / 12, rtol=1e-10)


def picture(path: str) -> None:
    """The arm at four moments, and the ball on its way."""
    throw = solve()
    shown, run = rm.Scene(title=""), motion(throw.tau)
    for k in (0, 35, 60, STEPS):
        arm(shown, run.q[k], f" {k}", color="steelblue", opacity=1.0 if k == STEPS else 0.45)
    for k, x in enumerate(flight(throw).pose("ball")[1:, :3, 3]):
        shown.add_body(rm.Sphere(BALL), at=x, color="darkorange", name=f"flight {k}")
    shown.add_body(rm.Torus(0.23, 0.012), at=HOOP, color="firebrick", name="hoop")
    shown.add_body(rm.Cuboid((0.03, 1.1, 0.8)), at=HOOP + [0.4, 0, 0.37], color="white", name="board")
    shown.picture(path, size=(960, 540), camera=(-78, 5, 1.02), marks=False, ground_height=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", metavar="FILE", help="write a picture there, PNG, JPEG or WebP")
    asked = parser.parse_args()
    throw = solve()
    off = 1e3 * np.linalg.norm(miss(throw.x, throw.v))
    print(f"let go at x = {throw.x[0]:.3f} m, z = {throw.x[2]:.3f} m with {throw.speed:.4f} m/s")
    print(f"the slowest that comes from there to the hoop has {throw.least_speed:.4f} m/s")
    print(f"off its centre by {off:.2g} mm, effort {throw.effort:.5f}, {throw.calls} gradients")
    if asked.picture:
        picture(asked.picture)


if __name__ == "__main__":
    main()
