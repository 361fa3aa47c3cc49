"""Two torques that carry the tip of a double pendulum to a target in one second: gradients of runs, and what an optimiser makes of them.

The tasks 100 and 101 of the published differentiable RedMax code (cm, g, s). A chain of two cuboids on hinges with springs and dampers
begins bent and moving; constant torques 1e5 p act for 1 s. To be least:

    P(p) = 1/2 1e2 |x_tip(1) - x*|^2 + 1/2 1e-2 |p|^2

Task 100 takes backward Euler, bdf1; task 101 takes bdf2, whose first step is one of SDIRK2. The gradient is that of the discrete run,
with this step; the published adjoint of bdf2 leaves it out, and is about 1 % off at p = 0.

    python examples/adjoint_task.py 100             what is found, in words
    python examples/adjoint_task.py 101 --json -    one object: P0, tip, gradient at p = 0, and the optimal p and P
    python examples/adjoint_task.py --picture adjoint-task.png    how both tasks move, without torques and with the best
"""

import argparse
import json
from math import pi
from typing import Any

import numpy as np
from scipy.optimize import minimize

import redmax as rm

TASKS = {100: ("bdf1", (10.0, 0.0, -10.0)), 101: ("bdf2", (-10.0, 0.0, -10.0))}  # integrator, target (cm)
TORQUE, DISTANCE, EFFORT = 1e5, 1e2, 1e-2  # of p (g cm^2/s^2), and the weights
STEPS, DT, TIP = 100, 0.01, (5.0, 0.0, 0.0)


def scene() -> rm.Scene:
    made = rm.Scene(gravity=(0, 0, -980), title="Adjoint task")
    link = rm.Cuboid((10, 1, 1), density=1)
    hinge: dict[str, Any] = {"qdot": 1.0, "stiffness": 1e4, "damping": 1e4, "com": (5, 0, 0)}
    upper = made.add_body(link, joint=rm.Revolute("y"), q=pi / 2, rest=pi / 2, name="upper", **hinge)
    made.add_body(link, parent=upper, joint=rm.Revolute("y"), at=(10, 0, 0), q=pi / 4, rest=pi / 4, name="lower", **hinge)
    return made


class Task:
    """P of one task, and its gradient."""

    def __init__(self, number: int) -> None:
        integrator, target = TASKS[number]
        self.target = np.array(target)
        self.gradient = rm.gradient(scene(), self.missed, STEPS * DT, DT, by=["tau"], integrator=integrator)
        self.dynamics, self.tip = rm.Dynamics(self.gradient.model), np.zeros(3)

    def missed(self, now: rm.Moment) -> Any:
        """What the end of the run costs."""
        off = now.point("lower", TIP) - self.target
        return DISTANCE / 2 * (off @ off)

    def __call__(self, p: np.ndarray) -> tuple[float, np.ndarray]:
        """P, and its gradient by p: torques of all steps are the same."""
        found = self.gradient(tau=np.tile(TORQUE * p, (STEPS, 1)))
        self.tip = (self.dynamics.pose(found.end.q, "lower") @ [*TIP, 1.0])[:3]
        return found.value + EFFORT / 2 * (p @ p), TORQUE * found.by["tau"].sum(axis=0) + EFFORT * p


def solve(number: int) -> dict[str, Any]:
    """What the task asks for."""
    task = Task(number)
    P0, slope = task(np.zeros(2))
    tip = task.tip.tolist()
    best = minimize(task, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-9})
    return {"task": number, "P0": P0, "tip": tip, "gradient": slope.tolist(), "p": best.x.tolist(), "P": float(best.fun)}


def places(number: int, p: Any) -> np.ndarray:
    """(STEPS + 1, 3, 2): where the two hinges and the tip are, x and z (cm)."""
    run = rm.simulate(scene(), STEPS * DT, DT, controls=np.tile(TORQUE * np.asarray(p), (STEPS, 1)), integrator=TASKS[number][0])
    ends = [run.pose(name) @ [x, 0.0, 0.0, 1.0] for name, x in (("upper", -5.0), ("lower", -5.0), ("lower", 5.0))]
    return np.stack(ends, axis=1)[..., [0, 2]]


def picture(path: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 5), constrained_layout=True)
    for axis, (number, (integrator, target)) in zip(axes, TASKS.items(), strict=True):
        p = solve(number)["p"]
        for torques, color, label in ((np.zeros(2), "0.6", "without torques"), (p, "tab:blue", f"p = {np.round(p, 3).tolist()}")):
            way = places(number, torques)
            axis.plot(*way[:, 2].T, color=color, lw=1)
            for k in (0, 25, 50, 75, STEPS):
                axis.plot(*way[k].T, "o-", color=color, lw=5, ms=4, alpha=0.25 + 0.75 * k / STEPS, label=label if k == STEPS else None)
        axis.plot(target[0], target[2], "x", color="tab:red", ms=12, mew=3, label="target")
        axis.set(title=f"Task {number}, by {integrator}", xlabel="cm", ylabel="cm", aspect="equal", xlim=(-16, 16), ylim=(-22, 9))
        axis.legend(frameon=False, loc="upper right")
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", type=int, choices=TASKS, nargs="?", default=100)
    parser.add_argument("--json", metavar="FILE", help="write one object there; - is standard output")
    parser.add_argument("--picture", metavar="FILE", help="write a picture there")
    asked = parser.parse_args()
    found = solve(asked.task)
    if asked.json == "-":
        print(json.dumps(found))
    elif asked.json:
        with open(asked.json, "w") as file:
            json.dump(found, file)
    else:
        print(f"P(0) = {found['P0']:.10g}, the tip ends at {np.round(found['tip'], 8).tolist()}, the gradient is {found['gradient']}")
        print(f"least at p = {found['p']}, where P = {found['P']:.8g}")
    if asked.picture:
        picture(asked.picture)


if __name__ == "__main__":
    main()
