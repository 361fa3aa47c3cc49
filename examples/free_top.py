"""A free symmetric top, against the closed form of Euler's equations.

Without gravity and forces, the angular velocity w of a body with principal moments (A, A, C) obeys, in body axes,

    A w1' = (A - C) w2 w3,    A w2' = (C - A) w3 w1,    C w3' = 0,

so w3 is constant and (w1, w2) turns at the rate W = (C - A) / A w3:

    w(t) = (u cos Wt, u sin Wt, w3).

Seen from outside, nothing turns the angular momentum: it keeps length and direction, and the energy stays. The example compares all
three over ten seconds. The body is free (six coordinates), so this also exercises the change of its rotation vector at 1.5 pi.
"""

import numpy as np

import redmax as rm

DISC = rm.Cylinder(radius=0.3, height=0.1, mass=2)
U, W3 = 1.5, 6.0  # rad/s across the axis and along it


def spin(duration: float = 10.0) -> rm.Trajectory:
    scene = rm.Scene(gravity=(0, 0, 0), title="Free top")
    scene.add_body(DISC, joint=rm.Free3D(), qdot=(0, 0, 0, U, 0, W3), name="disc")
    return rm.simulate(scene, duration, dt=0.01, rtol=1e-10)


def closed_form(t: np.ndarray) -> np.ndarray:
    """(time, 3) angular velocity in body axes."""
    A, _, C = np.diag(DISC.inertia)
    angle = (C - A) / A * W3 * t
    return np.stack([U * np.cos(angle), U * np.sin(angle), np.full_like(t, W3)], axis=1)


def errors(run: rm.Trajectory) -> dict[str, float]:
    """The largest relative error of the angular velocity, and the largest relative change of angular momentum and energy."""
    w = run.twist("disc")[:, :3]
    L = run.momentum[:, :3]
    return {
        "angular velocity": float(np.abs(w - closed_form(run.t)).max() / np.abs(w).max()),
        "angular momentum": float(np.abs(L - L[0]).max() / np.abs(L).max()),
        "energy": float(run.energy.drift.max()),
    }


def main() -> None:
    for what, error in errors(spin()).items():
        print(f"{what:<17} {error:.1e}")


if __name__ == "__main__":
    main()
