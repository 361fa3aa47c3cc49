"""How a wire is bent down which a bead gets as far as it can in a second: a spline joint, shaped by the gradient of the run.

A bead slides without friction from rest. Of all wires, one half of an arch of the cycloid (Bernoulli 1697)

    x = R (theta - sin theta),   z = -R (1 - cos theta),   theta from 0 to pi,   with   T = pi sqrt(R / g),

gets it farthest to the side within T: to pi R = g T^2 / pi, where the wire is level. The joint is a B-spline through the neighbourhood of
control frames that turn nowhere. From one to the next it is as far as the others are, l, so that the unknowns are the slopes phi of these
pieces alone:

    p_k = l sum_{i < k} (cos phi_i, 0, -sin phi_i),     P = x(0) - x(T),     dP/dphi_i = l sum_{k > i} dP/dp_k . (-sin phi_i, 0, -cos phi_i)

with dP/dp_k from the slopes by frames, along E exp(xi), of which the linear half counts. It begins with a straight wire, and knows nothing
of cycloids. No wire may come out as farther than g T^2 / pi: that is the check.

    python examples/fastest_wire.py                       what is found
    python examples/fastest_wire.py --picture wire.png    and a picture
"""

from __future__ import annotations

import argparse
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import redmax as rm

G, T, STEPS = 9.81, 1.0, 100  # m/s^2, s
PIECES, LENGTH = 20, 0.25  # of the control polygon; m
R = G * (T / np.pi) ** 2  # m, of the rolling circle
FARTHEST = np.pi * R
BEGIN = np.array([1, 4, 1]) / 6  # of the first three control frames: where a cubic B-spline begins


def points(phi: np.ndarray) -> np.ndarray:
    """(PIECES + 1, 3): where the control frames are."""
    steps = LENGTH * np.stack([np.cos(phi), 0 * phi, -np.sin(phi)], axis=1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def frames(phi: np.ndarray) -> np.ndarray:
    """(PIECES + 1, 4, 4)"""
    return np.array([rm.pose(np.eye(3), p) for p in points(phi)])


def scene(phi: np.ndarray) -> rm.Scene:
    made = rm.Scene(gravity=(0, 0, -G), title="Wire")
    made.add_body(rm.Sphere(0.06, mass=1.0), joint=rm.SplineCurve(frames(phi)), name="bead")
    return made


STRAIGHT = np.full(PIECES, np.pi / 4)


def short(now: rm.Moment) -> Any:
    """Less where the bead is farther to the side."""
    return -now.point("bead")[0]


@cache
def run() -> rm.Gradient:
    return rm.gradient(scene(STRAIGHT), short, T, T / STEPS, by=["bead.frames"], integrator="rk4")


def cost(phi: np.ndarray) -> tuple[float, np.ndarray]:
    """P and its gradient."""
    found = run()(parameters={"bead.frames": frames(phi)})
    by_points = found.by["bead.frames"][:, 3:]
    by_points[:3, 0] += BEGIN
    beyond = np.cumsum(by_points[::-1], axis=0)[::-1][1:]
    slope = LENGTH * (beyond * np.stack([-np.sin(phi), 0 * phi, -np.cos(phi)], axis=1)).sum(axis=1)
    return float(found.value + BEGIN @ points(phi)[:3, 0]), slope


def far(phi: np.ndarray) -> float:
    """How far the bead gets to the side: -P."""
    return float(-run().value(parameters={"bead.frames": frames(phi)}) - BEGIN @ points(phi)[:3, 0])


class Wire(NamedTuple):
    """phi: (tries, PIECES) slopes of the polygon (rad), from the straight wire to the best; far: (tries,) how far the bead gets (m)"""

    phi: np.ndarray
    far: np.ndarray


@cache
def solve() -> Wire:
    """The wire that is best."""
    way = [STRAIGHT]
    minimize(cost, STRAIGHT, jac=True, method="L-BFGS-B", callback=lambda phi: way.append(np.array(phi)), options={"gtol": 2e-4})
    return Wire(np.array(way), np.array([far(phi) for phi in way]))


def motion(phi: np.ndarray, samples: int = STEPS) -> np.ndarray:
    """(samples + 1, 3): the bead on its way, from where it begins; by another integrator."""
    x = rm.simulate(scene(phi), T, T / samples, rtol=1e-10).pose("bead")[:, :3, 3]
    return x - x[0]


def cycloid(samples: int = STEPS) -> np.ndarray:
    """(samples + 1, 3): what its motion should be; the circle rolls evenly."""
    theta = np.linspace(0.0, np.pi, samples + 1)
    return R * np.stack([theta - np.sin(theta), 0 * theta, np.cos(theta) - 1], axis=1)


def picture(path: str) -> None:
    import matplotlib.pyplot as plt

    figure, (wires, descent) = plt.subplots(1, 2, figsize=(11, 4), width_ratios=(3, 2), constrained_layout=True)
    found = solve()
    tries = [0, 1, 3, len(found.phi) - 1]
    for k, shade in zip(tries, np.linspace(0.85, 0.0, len(tries)), strict=True):
        x, color = motion(found.phi[k], 10), plt.get_cmap("viridis")(float(shade))
        wires.plot(*motion(found.phi[k]).T[[0, 2]], color=color, lw=2)
        wires.plot(*x.T[[0, 2]], "o", color=color, ms=6, label="straight" if k == 0 else f"step {k}")
    wires.plot(*cycloid().T[[0, 2]], "--", color="orange", lw=1.5, label="cycloid", zorder=9)
    wires.axvline(FARTHEST, color="gray", lw=0.8, ls=":")
    wires.set(title="Wires, and the bead every tenth of a second", xlabel="m", ylabel="m", aspect="equal")
    wires.legend(frameon=False)
    descent.semilogy(1 - found.far / FARTHEST, "o-")
    descent.set(title="What is missing to the cycloid, of its distance", xlabel="steps of L-BFGS")
    descent.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", metavar="FILE", help="write a picture there")
    asked = parser.parse_args()
    found = solve()
    end = motion(found.phi[-1])[-1]
    print(f"along a straight wire the bead gets {found.far[0]:.5f} m to the side in {T:g} s")
    print(f"along the best {found.far[-1]:.5f} m, after {len(found.far) - 1} steps; no wire can do more than {FARTHEST:.5f} m")
    off = np.linalg.norm(motion(found.phi[-1]) - cycloid(), axis=1).max()
    print(f"it is {-end[2]:.4f} m deep there, the cycloid {2 * R:.4f} m; on its way the bead is off that by {1e3 * off:.2g} mm at most")
    if asked.picture:
        picture(asked.picture)


if __name__ == "__main__":
    main()
