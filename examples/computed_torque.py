"""A double pendulum that a controller carries to a pose, against the closed form of its error.

The controller is Python, asked once per step (`rm.Simulation` calls it with time, coordinates and rates). It computes the torques
that give the accelerations

    q'' = b^2 (q* - q) - 2 b q',

with the inverse dynamics of the same model, gravity included. If it acted without delay, the error e = q* - q would die out as

    e(t) = (1 + b t) exp(-b t) e(0).

Torques are held for a step dt, so the simulated error follows this up to a deviation proportional to dt, which the example shows.
"""

import numpy as np

import redmax as rm

TARGET = np.array([2.0, -1.0])  # rad
B = 4.0  # 1/s
DURATION = 2.0


def arm() -> rm.Scene:
    scene = rm.Scene(title="Computed torque")
    link = rm.Capsule(0.04, 0.5, density=800)
    upper = scene.add_body(link, joint=rm.Revolute("y"), com=(0, 0, -0.25), name="upper")
    scene.add_body(link, parent=upper, joint=rm.Revolute("y"), at=(0, 0, -0.5), com=(0, 0, -0.25), name="lower")
    return scene


def controlled(dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Times (s), and the error (time, 2) (rad) at them."""
    model = arm().model()
    dynamics = rm.Dynamics(model)

    def controller(t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        return dynamics.inverse(q, qdot, B**2 * (TARGET - q) - 2 * B * qdot)

    sim = rm.Simulation(model, dt=dt, integrator="rk4", controller=controller)
    states = [sim.state, *[sim.step() for _ in range(round(DURATION / dt))]]
    return np.array([s.t for s in states]), TARGET - np.array([s.q for s in states])


def deviation(dt: float) -> float:
    """The largest difference (rad) between the error and its closed form."""
    t, error = controlled(dt)
    return float(np.abs(error - ((1 + B * t) * np.exp(-B * t))[:, None] * error[0]).max())


def main() -> None:
    print("step (ms)   deviation (rad)")
    for dt in (8e-3, 4e-3, 2e-3, 1e-3):
        print(f"{1e3 * dt:9g}   {deviation(dt):.2e}")


if __name__ == "__main__":
    main()
