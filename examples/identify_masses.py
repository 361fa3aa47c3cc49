"""What the links of a chain weigh, and where the last has its centre, from a recording of how it swings: Gauss-Newton.

A known torque shakes a chain of three links; a camera measures the angles y_k of its hinges forty times a second, with noise of deviation
sigma. Unknown are p, three masses and a centre. The run says which angles they would give, z_k(p), and the least squares

    min_p |y - z(p)|^2,     (J^T J) dp = J^T (y - z),     J = dz/dp

need its derivatives. Each measured number has a world of its own, whose objective is that number: one call gives all z and all rows of J.

Without noise all come out as far as rk4 is exact, and the last steps converge quadratically. With noise no unbiased estimate is better than
the bound of Cramer and Rao, C = sigma^2 (J^T J)^-1: (p - p*)^T C^-1 (p - p*) is chi^2 of four degrees, and what is left of the misfit is
sigma^2 times chi^2 of N - 4. The recording is of another integrator, `adaptive` at a tolerance of 1e-11.

    python examples/identify_masses.py                          what is found
    python examples/identify_masses.py --picture masses.png     and a picture
"""

from __future__ import annotations

import argparse
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import redmax as rm

NAMES = ("first.mass", "second.mass", "third.mass", "third.com.x")
LINK = 0.3  # m
TRUE = np.array([1.2, 0.7, 0.5, 0.14])  # kg, m
GUESS = np.array([1.0, 1.0, 1.0, LINK / 2])
STEPS, DT, EVERY = 400, 0.0025, 10  # s; steps between two pictures of the camera
NOISE = 0.01  # rad


def chain(p: np.ndarray = GUESS) -> rm.Scene:
    scene, parent = rm.Scene(title="Chain"), None
    for k, name in enumerate(("first", "second", "third")):
        bar = rm.Cuboid((LINK, 0.04, 0.04), mass=p[k])
        hinge: dict[str, Any] = {"joint": rm.Revolute("y"), "at": (LINK * (k > 0), 0, 0), "damping": 0.01}
        parent = scene.add_body(bar, parent=parent, **hinge, com=(p[3] if k == 2 else LINK / 2, 0, 0), q=(1.2, 0.4, -0.3)[k], name=name)
    return scene


def shaking() -> np.ndarray:
    """(STEPS, 3): torques (N m), on the first hinge. Without a known one, masses were known only up to a common factor."""
    t = DT * np.arange(STEPS)
    return np.outer(2.0 * np.sin(7.0 * t) + 1.5 * np.cos(3.0 * t), [1, 0, 0])


def measured() -> np.ndarray:
    """The samples that the camera sees, without the first and the last."""
    return np.arange(EVERY, STEPS, EVERY)


@cache
def exact() -> np.ndarray:
    """(pictures, 3): the angles of the chain as it is."""
    return rm.simulate(chain(TRUE), STEPS * DT, DT, controls=shaking(), rtol=1e-11).q[measured()]


@cache
def seen() -> rm.Gradient:
    """A run in many worlds: the objective of each is one of the numbers that are measured."""
    count = len(measured())
    pick = np.zeros((STEPS + 1, count, 3, 3))
    pick[measured(), np.arange(count)] = np.eye(3) / DT  # what is running is summed times dt
    pick = pick.reshape(STEPS + 1, 3 * count, 3)
    return rm.gradient(
        chain(), running=lambda now: now.data @ now.q, data=pick, duration=STEPS * DT, dt=DT, by=NAMES, controls=shaking(), integrator="rk4"
    )


def predicted(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """z (N,) and J (N, 4)."""
    worlds = 3 * len(measured())
    found = seen()(parameters={name: np.full(worlds, x) for name, x in zip(NAMES, p, strict=True)})
    return found.value, np.stack([found.by[name] for name in NAMES], axis=1)


class Fit(NamedTuple):
    """p: (steps + 1, 4), from the guess to what is found;  left: (N,) misfit (rad);  J: there"""

    p: np.ndarray
    left: np.ndarray
    J: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        """The largest of each step, relative."""
        return np.abs(self.p / TRUE - 1).max(axis=1)


@cache
def identify(noise: float = NOISE, seed: int = 0) -> Fit:
    """Gauss-Newton, halved where it does not descend."""
    y = (exact() + noise * np.random.default_rng(seed).normal(size=exact().shape)).ravel()
    way, p = [GUESS], GUESS
    z, J = predicted(p)
    for _ in range(20):
        step = np.linalg.lstsq(J, y - z, rcond=None)[0]
        while np.any(p + step <= 0) or np.linalg.norm(y - (there := predicted(p + step))[0]) > np.linalg.norm(y - z) * (1 + 1e-12):
            step = step / 2
        p, (z, J) = p + step, there
        way.append(p)
        if np.abs(step / p).max() < 1e-8:
            break
    return Fit(np.array(way), y - z, J)


def bound(fit: Fit) -> np.ndarray:
    """(4, 4): the least covariance of what is found."""
    return NOISE**2 * np.linalg.inv(fit.J.T @ fit.J)


def picture(path: str) -> None:
    import matplotlib.pyplot as plt

    figure, (motion, descent) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
    noisy, clean, t = identify(), identify(0.0), DT * measured()
    for k, color in enumerate(("tab:blue", "tab:orange", "tab:green")):
        z = predicted(noisy.p[-1])[0].reshape(-1, 3)[:, k]
        motion.plot(t, z, color=color, label=("first", "second", "third")[k])
        motion.plot(t, z + noisy.left.reshape(-1, 3)[:, k], ".", color=color)
        motion.plot(t, predicted(GUESS)[0].reshape(-1, 3)[:, k], ":", color=color, lw=1)
    motion.set(title="Recorded (dots), found (lines), guessed (dotted)", xlabel="s", ylabel="rad")
    motion.legend(frameon=False)
    descent.semilogy(clean.errors, "o-", label="without noise")
    descent.semilogy(noisy.errors, "s-", label=f"noise of {NOISE:g} rad")
    descent.axhline(float(np.sqrt((np.diag(bound(noisy)) / TRUE**2).max())), color="gray", ls="--", label="bound of Cramer and Rao")
    descent.set(title="Largest relative error of masses and centre", xlabel="steps of Gauss-Newton")
    descent.legend(frameon=False)
    descent.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", metavar="FILE", help="write a picture there")
    asked = parser.parse_args()
    clean, noisy = identify(0.0), identify()
    print(f"without noise: {len(clean.p) - 1} steps, relative errors {' '.join(f'{e:.1e}' for e in clean.errors)}")
    for name, p, true, deviation in zip(NAMES, noisy.p[-1], TRUE, np.sqrt(np.diag(bound(noisy))), strict=True):
        print(f"{name:<12} {p:.4f}   off by {p - true:+.4f}; the bound is {deviation:.4f}")
    if asked.picture:
        picture(asked.picture)


if __name__ == "__main__":
    main()
