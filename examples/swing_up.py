"""A cart that swings a pole up and stops beneath it: differential dynamic programming, and iLQR, which leaves out the curvature of a step.

The unknowns are the forces u_k on the cart. Of a step x' = f(x, u) of the integrator `euler`, x = (q, v), with its acceleration a,

    v' = v + h a(q, v, u),     q' = q + h v',         P = sum_k h/2 (x_k' L x_k + r u_k^2) + 1/2 (x_N - x*)' W (x_N - x*),

f_x and f_u follow from `Dynamics.forward_derivatives`, all steps in one batch. What is still to come costs V(x). From the last step back,

    Q_x = l_x + f_x' V_x      Q_xx = l_xx + f_x' V_xx f_x + [V_x . f_xx]      Q_ux = f_u' V_xx f_x + [V_x . f_ux]
    Q_u = l_u + f_u' V_x      Q_uu = l_uu + f_u' V_xx f_u + [V_x . f_uu]
    k = -Q_uu^-1 Q_u          K = -Q_uu^-1 Q_ux                      u <- u + s k + K (change of x)

(Mayne 1966; Tassa, Erez and Todorov 2012). With what stands in brackets it is DDP, which converges quadratically; without it, iLQR, which
converges linearly. Far from the optimum the brackets may make Q_uu negative, and only a share of them is taken. V_x . f_xx is
(h V_v + h^2 V_q) . a_xx, with a_xx from `Dynamics.forward_hessian`.

At the optimum the gradient of the run by all forces is zero. `redmax.gradient` finds it from the program of the run: that is the check.

    python examples/swing_up.py --method ddp                    or ilqr; both unless given
    python examples/swing_up.py --picture swing-up.png          and a picture
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import redmax as rm

STEPS, DT, NV = 75, 0.02, 2
GOAL = np.array([0.0, np.pi, 0.0, 0.0])  # x, the angle of the pole from below, and their rates
END, STATE, FORCE = np.diag([5000.0, 5000.0, 500.0, 500.0]), np.diag([1.0, 0.0, 0.1, 0.1]), 0.1  # W, L, r
SHARES = 0.5 ** np.arange(12)  # of a step, all tried at once
MOST, ENOUGH, HARDEST = 200, 1e-9, 60.0  # N: no try pushes harder, so that all of them stay finite
METHODS = ("ilqr", "ddp")


def cart_pole(q: Any = (0.0, 0.0), name: str = "", scene: rm.Scene | None = None, **look: Any) -> rm.Scene:
    scene = rm.Scene(title="Swing-up") if scene is None else scene
    cart = scene.add_body(rm.Cuboid((0.16, 0.1, 0.08), mass=1.0), joint=rm.Prismatic("x"), q=q[0], name=f"cart{name}", **look)
    pole = rm.Capsule(0.02, 0.6, mass=0.2)
    scene.add_body(pole, parent=cart, joint=rm.Revolute("y"), com=(0, 0, -0.3), q=q[1], name=f"pole{name}", **look)
    return scene


@cache
def dynamics() -> rm.Dynamics:
    return rm.Dynamics(cart_pole())


def step(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """f: (..., 4) from states (..., 4) and forces (...)."""
    q, v = x[..., :NV], x[..., NV:]
    v = v + DT * dynamics().forward(q, v, forces(u))
    return np.concatenate([q + DT * v, v], axis=-1)


def forces(u: np.ndarray) -> np.ndarray:
    """(..., 2) on the joints: on the cart alone."""
    return np.stack([u, 0 * u], axis=-1)


def slopes(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(N, 4, 5): f_x and f_u."""
    a = dynamics().forward_derivatives(x[:, :NV], x[:, NV:], forces(u))
    by_v = np.concatenate([DT * a.q, np.eye(NV) + DT * a.qdot, DT * a.tau[..., :1]], axis=-1)
    return np.concatenate([np.eye(NV, 5) + DT * by_v, by_v], axis=1)


def curvature(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(N, 2, 5, 5): second derivatives of each acceleration by (x, u)."""
    q, v, tau = (g[:, None] for g in (x[:, :NV], x[:, NV:], forces(u)))
    return dynamics().forward_hessian(q, v, tau, weights=np.eye(NV))[..., :5, :5]


def cost(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(...): P, of states (N + 1, ..., 4) and forces (N, ...)."""
    off = x[-1] - GOAL
    along = np.einsum("k...i,ij,k...j->...", x[:-1], STATE, x[:-1]) + FORCE * (u**2).sum(axis=0)
    return DT / 2 * along + np.einsum("...i,ij,...j->...", off, END, off) / 2


class Policy(NamedTuple):
    """k: (N,);  K: (N, 4);  slope: (N,) Q_u;  gain: the descent of a whole step, to first and second order"""

    k: np.ndarray
    K: np.ndarray
    slope: np.ndarray
    gain: tuple[float, float]


def backwards(x: np.ndarray, u: np.ndarray, f: np.ndarray, a_zz: np.ndarray, mu: float) -> Policy | None:
    """What to do at each step; None where Q_uu + mu is too small. a_zz: the curvature of accelerations, or zero."""
    k, K, slope, first, second = np.zeros(STEPS), np.zeros((STEPS, 4)), np.zeros(STEPS), 0.0, 0.0
    V_x, V_xx = END @ (x[-1] - GOAL), END
    l_zz = DT * np.block([[STATE, np.zeros((4, 1))], [np.zeros((1, 4)), FORCE]])
    for i in reversed(range(STEPS)):
        Q_z = l_zz @ [*x[i], u[i]] + f[i].T @ V_x
        Q_zz = l_zz + f[i].T @ V_xx @ f[i]
        Q_zz = Q_zz + np.tensordot(DT * V_x[NV:] + DT**2 * V_x[:NV], a_zz[i], 1)
        Q_uu, Q_ux, Q_u = Q_zz[4, 4], Q_zz[4, :4], Q_z[4]
        if Q_uu + mu <= DT * FORCE / 10:
            return None
        k[i], K[i], slope[i] = -Q_u / (Q_uu + mu), -Q_ux / (Q_uu + mu), Q_u
        first, second = first + k[i] * Q_u, second + k[i] * Q_uu * k[i] / 2
        V_x = Q_z[:4] + K[i] * (Q_uu * k[i] + Q_u) + Q_ux * k[i]
        V_xx = Q_zz[:4, :4] + Q_uu * np.outer(K[i], K[i]) + np.outer(K[i], Q_ux) + np.outer(Q_ux, K[i])
        V_xx = (V_xx + V_xx.T) / 2
    return Policy(k, K, slope, (first, second))


def forwards(x: np.ndarray, u: np.ndarray, policy: Policy | None, shares: np.ndarray = SHARES) -> tuple[np.ndarray, np.ndarray]:
    """States (N + 1, shares, 4) and forces (N, shares) under a policy, that many worlds side by side."""
    states, taken = [np.tile(x[0], (len(shares), 1))], []
    for i in range(STEPS):
        more = 0.0 if policy is None else shares * policy.k[i] + (states[-1] - x[i]) @ policy.K[i]
        taken.append(np.clip(u[i] + more * np.ones(len(shares)), -HARDEST, HARDEST))
        states.append(step(states[-1], taken[-1]))
    return np.array(states), np.array(taken)


class SwingUp(NamedTuple):
    """x: (N + 1, 4);  u: (N,);  costs, slopes: of each turn, P and the largest |Q_u|"""

    x: np.ndarray
    u: np.ndarray
    costs: list[float]
    slopes: list[float]


@cache
def solve(method: str) -> SwingUp:
    """From no forces at all."""
    u, mu, costs, sizes = np.zeros(STEPS), 1.0, [], []
    x = forwards(np.zeros((STEPS + 1, 4)), u, None, np.zeros(1))[0][:, 0]
    for _ in range(MOST):
        f, share = slopes(x[:-1], u), float(method == "ddp")
        a_zz = curvature(x[:-1], u) if share else np.zeros((STEPS, NV, 5, 5))
        while (policy := backwards(x, u, f, share * a_zz, mu)) is None:
            share = share / 2 if share > 0.1 else 0.0
        costs.append(float(cost(x, u)))
        sizes.append(float(np.abs(policy.slope).max()))
        if sizes[-1] < ENOUGH:
            break
        states, taken = forwards(x, u, policy)
        expected = -(SHARES * policy.gain[0] + SHARES**2 * policy.gain[1])
        good = np.flatnonzero(costs[-1] - cost(states, taken) > 0.01 * expected - 1e-13 * costs[-1])
        if len(good) == 0:
            mu = max(4 * mu, 1e-3)
            continue
        mu = mu / 4 if mu > 1e-5 else 0.0
        x, u = states[:, good[0]], taken[:, good[0]]
    return SwingUp(x, u, costs, sizes)


def of_the_run(u: np.ndarray) -> tuple[float, np.ndarray]:
    """P and its gradient by all forces, as `redmax.gradient` finds them."""

    def along(now: rm.Moment) -> Any:
        x = np.concatenate([now.q, now.qdot])
        return (x @ STATE @ x + FORCE * now.tau[0] ** 2) / 2

    def end(now: rm.Moment) -> Any:
        off = np.concatenate([now.q, now.qdot]) - GOAL
        return off @ END @ off / 2

    found = rm.gradient(cart_pole(), end, STEPS * DT, DT, running=along, by=["tau"], integrator="euler")(tau=forces(u))
    return found.value, found.by["tau"][:, 0]


def picture(path: str, methods: Sequence[str] = METHODS) -> None:
    """The cart and the pole on their way, and how the methods converge."""
    import matplotlib.pyplot as plt

    figure, (way, descent) = plt.subplots(1, 2, figsize=(11, 4), width_ratios=(5, 4), constrained_layout=True)
    shown, found = rm.Scene(title=""), solve(methods[-1])
    for k in range(0, STEPS + 1, 3):
        cart_pole(found.x[k], f" {k}", shown, color=plt.get_cmap("viridis")(k / STEPS)[:3], opacity=1.0 if k == STEPS else 0.6)
    with tempfile.TemporaryDirectory() as folder:
        look = {"camera": (-90, 4, 1.1), "marks": False, "ground": False, "background": "white"}
        drawn = shown.picture(f"{folder}/way.png", size=(900, 640), **look)
        way.imshow(plt.imread(drawn))
    way.set(title=f"{STEPS * DT:g} s, from dark to bright")
    way.axis("off")
    best = min(solve(method).costs[-1] for method in methods)
    for method, dots in zip(methods, ("o-", "s-"), strict=False):
        found = solve(method)
        descent.semilogy(np.maximum(np.array(found.costs) - best, 1e-13), dots, ms=4, label=method)
    descent.set(title="How far P is above the optimum", xlabel="turns", ylim=(1e-13, None))
    descent.legend(frameon=False)
    descent.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--method", choices=METHODS, help="both unless given")
    parser.add_argument("--picture", metavar="FILE", help="write a picture there")
    asked = parser.parse_args()
    methods = METHODS if asked.method is None else (asked.method,)
    for method in methods:
        found = solve(method)
        x, angle = found.x[-1, :NV]
        print(f"{method}: P = {found.costs[-1]:.12f} after {len(found.costs)} turns; ends at x = {x:.4f}, angle {angle:.4f}")
        print(f"   largest slope by a force, last turns: {' '.join(f'{s:.0e}' for s in found.slopes[-6:])}")
        print(f"   as redmax.gradient finds it: {np.abs(of_the_run(found.u)[1]).max():.0e}")
    if asked.picture:
        picture(asked.picture, methods)


if __name__ == "__main__":
    main()
