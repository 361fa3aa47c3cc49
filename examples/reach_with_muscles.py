"""Six muscles that carry a hand to a target and hold it there: the excitation of each in every step, with the least effort.

An arm of two links in a horizontal plane has the muscles that texts on reaching have: flexor and extensor of the shoulder and of the elbow,
and two over both. They are Hill muscles, whose activations follow excitations u from 0 to 1 with a delay T,

    a' = (u - a) / T.

An activation is kept as the rate of a rotor of inertia 1, behind the joints in qdot, so that a torque given for it adds to a'. Muscles
without an excitation of their own, a' = -a / T + tau, take tau = u / T as that of one step: excitations are controls, as torques are.

    P = sum_k dt (1/2 |u_k|^2 + w_k/2 (|hand - target|^2 + s^2 |velocity|^2)),     w_k = 0 on the way, large from ARRIVAL on

is least by L-BFGS-B, with the exact gradient by 6 excitations in 120 steps. What comes out is known from measurements: flexors drive, their
opponents brake, nobody pulls against another, and the hand goes nearly straight, its speed a single bell (Flash and Hogan 1985). Checks are
the conditions of the optimum, and another integrator: `adaptive` comes to the same place, with activations that are in each step those of
the closed form, a + (u - a) (1 - exp(-dt / T)).

    python examples/reach_with_muscles.py                       what is found
    python examples/reach_with_muscles.py --picture reach.png   and a picture
"""

from __future__ import annotations

import argparse
import tempfile
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import redmax as rm

UPPER, LOWER = 0.31, 0.34  # m, the hand included
BEGIN, TARGET = (0.4, 2.0), np.array([0.0, 0.58, 0.0])  # rad; m from the shoulder, x to the right and y to the front
STEPS, DT, ARRIVAL, DELAY = 120, 0.005, 90, 0.03  # steps of s; the step from which the hand is there; s
NEAR, SLOW = 1e4, 0.1  # of the distance (1/m^2), and how long (s) a velocity counts
MIDDLE, FIBRES = (0.75, 1.45), 0.7  # rad, where fibres are at their optimal length; their share of the path there
Place = tuple[str, float, float]  # body, along it and beside it from its joint (m); of the trunk, x and y from the shoulder
MUSCLES: dict[str, tuple[float, list[Place]]] = {  # force (N), path
    "pectoralis": (250, [("trunk", -0.15, 0.08), ("upper", 0.06, 0.015)]),
    "deltoid": (250, [("trunk", -0.1, -0.09), ("trunk", 0.015, -0.045), ("upper", 0.16, -0.02)]),
    "brachialis": (200, [("upper", 0.08, 0.02), ("lower", 0.05, 0.015)]),
    "triceps lateral": (200, [("upper", 0.1, -0.03), ("lower", -0.02, -0.02)]),
    "biceps": (120, [("trunk", -0.02, 0.035), ("upper", 0.06, 0.03), ("upper", 0.2, 0.025), ("lower", 0.05, 0.012)]),
    "triceps long": (120, [("trunk", 0.01, -0.04), ("upper", 0.08, -0.032), ("upper", 0.2, -0.032), ("lower", -0.02, -0.02)]),
}


def place(where: Place, q: Any) -> np.ndarray:
    """(3,): a point of a path, seen from the shoulder."""
    body, x, y = where
    turned = {"trunk": 0.0, "upper": q[0], "lower": q[0] + q[1]}[body]
    elbow = UPPER * np.array([np.cos(q[0]), np.sin(q[0])]) * (body == "lower")
    return np.array([*elbow + [np.cos(turned) * x - np.sin(turned) * y, np.sin(turned) * x + np.cos(turned) * y], 0.0])


def arm(q: Any = BEGIN) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0), title="Reach")
    scene.add_body(rm.Sphere(0.03, mass=1), name="trunk", color="tan")
    bodies: dict[str, rm.BodyHandle] = {}
    for name, length, mass, at, angle in (("upper", UPPER, 2.0, 0.0, q[0]), ("lower", LOWER, 1.4, UPPER, q[1])):
        lying = rm.pose(rm.rotation_about("y", np.pi / 2), (0, 0, 0))  # capsules stand along z
        bone = rm.Composite([(rm.Capsule(0.011, length - 0.03, mass=mass), lying)])
        hinge: dict[str, Any] = {"joint": rm.Revolute("z"), "at": (at, 0, 0), "com": (length / 2, 0, 0), "q": angle, "damping": 0.2}
        bodies[name] = scene.add_body(bone, parent=bodies.get("upper"), **hinge, name=name, color="tan")
    scene.add_frame("hand", bodies["lower"], (LOWER / 2, 0, 0))
    half = {"upper": UPPER / 2, "lower": LOWER / 2}
    for name, (force, path) in MUSCLES.items():
        points = [(x, y, 0.0) if body == "trunk" else bodies[body].point(x - half[body], y, 0.0) for body, x, y in path]
        length = float(np.linalg.norm(np.diff([place(p, MIDDLE) for p in path], axis=0), axis=1).sum())
        fibres: dict[str, Any] = {"force": force, "optimal_length": FIBRES * length, "tendon_length": (1 - FIBRES) * length}
        delay = rm.ActivationDynamics(rise=DELAY, fall=DELAY)
        scene.add_force(rm.Muscle(points, **fibres, excitation=0.0, dynamics=delay, name=name))
    return scene


def running(now: rm.Moment) -> Any:
    u, hand = DELAY * now.tau[2:], now.site("hand")
    off = hand.x - TARGET
    return u @ u / 2 + now.data[0] * NEAR / 2 * (off @ off + SLOW**2 * (hand.v @ hand.v))


class Reach(NamedTuple):
    """u: (STEPS, muscles);  slope: of P by each;  P, calls"""

    u: np.ndarray
    slope: np.ndarray
    P: float
    calls: int


def controls(u: np.ndarray) -> np.ndarray:
    """(STEPS, 2 + muscles): joints are driven by nothing else."""
    return np.concatenate([np.zeros((len(u), 2)), u / DELAY], axis=1)


@cache
def solve() -> Reach:
    """The excitations of least effort."""
    there = (np.arange(STEPS + 1) >= ARRIVAL)[:, None]
    g = rm.gradient(arm(), running=running, data=there, duration=STEPS * DT, dt=DT, by=["tau"], integrator="rk4")

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        found = g(tau=controls(x.reshape(STEPS, -1)))
        return found.value, np.ravel(found.by["tau"][:, 2:]) / DELAY

    n = STEPS * len(MUSCLES)
    how = {"maxiter": 2000, "maxfun": 4000, "maxcor": 30, "ftol": 0.0, "gtol": 1e-6}
    best = minimize(cost, np.full(n, 0.02), jac=True, method="L-BFGS-B", bounds=[(0, 1)] * n, options=how)
    shape = STEPS, len(MUSCLES)
    return Reach(best.x.reshape(shape), best.jac.reshape(shape), float(best.fun), best.nfev)


def motion(u: np.ndarray, **options: Any) -> rm.Trajectory:
    return rm.simulate(arm(), STEPS * DT, DT, controls=controls(u), **options)


def hand(run: rm.Trajectory) -> np.ndarray:
    """(time, 3)."""
    return run.pose("hand")[:, :3, 3]


def followed(u: np.ndarray) -> np.ndarray:
    """(STEPS + 1, muscles): the activations that follow excitations held for a step each, in closed form."""
    a = [np.zeros(u.shape[1])]
    for each in u:
        a.append(a[-1] + (each - a[-1]) * (1 - np.exp(-DT / DELAY)))
    return np.array(a)


def picture(path: str) -> None:
    """The arm at the beginning and at the end, and the excitations."""
    import matplotlib.pyplot as plt

    found = solve()
    run, t = motion(found.u, integrator="rk4"), DT * np.arange(STEPS)
    figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), width_ratios=(2, 2, 2, 4), constrained_layout=True)
    look = {"camera": (-90, 89, 1.0), "marks": False, "ground": False, "background": "white", "trails": [rm.Trail("hand", color="gray")]}
    with tempfile.TemporaryDirectory() as folder:
        for panel, when in zip(axes, (0.05, 0.2, 0.6), strict=False):
            panel.imshow(plt.imread(run.picture(f"{folder}/arm.png", when, size=(480, 640), **look)))
            panel.set_title(f"{when:g} s")
            panel.axis("off")
    for name, u in zip(MUSCLES, found.u.T, strict=True):
        axes[-1].step(t, u, where="post", label=name)
    axes[-1].axvline(ARRIVAL * DT, color="gray", lw=1, ls=":")
    axes[-1].set(title="Excitations", xlabel="s")
    axes[-1].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", metavar="FILE", help="write a picture there")
    asked = parser.parse_args()
    found = solve()
    run = motion(found.u, rtol=1e-8)
    off = np.linalg.norm(hand(run)[ARRIVAL:] - TARGET, axis=1)
    print(f"P = {found.P:.8f} after {found.calls} gradients; u up to {found.u.max():.3f}")
    print(f"the hand is off by {1e3 * off.max():.2f} mm at most from {ARRIVAL * DT:g} s on, as adaptive finds it")
    if asked.picture:
        picture(asked.picture)


if __name__ == "__main__":
    main()
