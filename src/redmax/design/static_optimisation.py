"""Muscle activations that meet the torques of a motion, frame by frame: `redmax.static_optimisation`.

    min  sum_i a_i^p + sum_j (r_j / s_j)^2     so that     sum_i R_i (T_i0 + a_i T_i1) + r + G' lambda = tau,   0 <= a_i <= 1

(Crowninshield and Brand 1981.) R are moment arms, T_i0 the passive tension and T_i1 the active one at full activation, both at the length
and velocity that the motion gives the fibres: tension is linear in activation (docs: Muscles). r are reserves, what muscles do not give.
Constraints G of loops take what acts across them: with P, the projection on what moves, the equations are P (...) = P tau.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_float, brief
from redmax.design.inverse_motion import checked_motion, inverse_dynamics
from redmax.design.least_effort import least_effort
from redmax.design.motion import Motion, model_of
from redmax.dynamics.common.path_states import MuscleStates
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.run.coordinate_units import units_of_torques
from redmax.run.trajectory import Trajectory

OWNER = "static_optimisation"
USUAL, FAINTEST = 0.01, 1e-4  # of the largest torque of a coordinate, and of all: strength of a reserve unless given
NONE = 1e-5  # the same of one that is to be none
MISSED = 0.05  # of the largest torque of a coordinate: a reserve that is said
AT_BOUND = 1 - 1e-9
Reserves = float | Mapping[str, float] | None


@dataclass(frozen=True, eq=False, repr=False)
class Activations:
    """names: of the muscles;  activation: (frames, muscles), from 0 to 1

    torques: (frames, nv), what the motion takes;  reserves: (frames, nv), what of that the muscles do not give
    effort: (frames,), the sum of powers of activations;  exact: (frames,), whether the optimum was found to rounding
    """

    motion: Motion
    names: tuple[str, ...]
    activation: np.ndarray
    torques: np.ndarray
    reserves: np.ndarray
    effort: np.ndarray
    exact: np.ndarray
    at_rest: MuscleStates = field(repr=False)

    def __repr__(self) -> str:
        return f"Activations({len(self.motion)} frames, {len(self.names)} muscles, largest {self.activation.max(initial=0.0):.3g})"

    def of(self, muscle: str) -> np.ndarray:
        """(frames,): the activation of one muscle."""
        return self.activation[:, self.at_rest.names.index(self.at_rest[muscle].names[0])]

    @cached_property
    def muscles(self) -> MuscleStates:
        """Tension, power, fibres, moment arms of the muscles at these activations, as `Dynamics.muscles` has them."""
        motion = self.motion
        return Dynamics(motion.model).muscles(motion.q, motion.qdot, self.activation, motion.t)

    @property
    def unmet(self) -> tuple[str, ...]:
        """Sentences: of each coordinate that muscles cannot move as the motion asks, when, by how much, and which are at their bound."""
        return unmet(self)

    def run(self) -> Trajectory:
        """The motion as a run that the reserves drive, with the activations of those muscles that follow an excitation."""
        run, model = self.motion.run(self.reserves), self.motion.model
        for name, links in model.states.items():
            if name in self.names:
                run.qdot[:, int(model.offsets[links[0]])] = self.of(name)
        return run


def static_optimisation(
    scene: Scene | Model,
    motion: Motion | Trajectory,
    exponent: float = 2.0,
    reserves: Reserves = None,
    wrenches: Mapping[str, ArrayLike] | None = None,
) -> Activations:
    """The activations of a scene's muscles that meet the torques of a motion with the least effort, frame by frame.

    exponent: p of the sum of a^p, from 1.5 to 5: with larger ones muscles share more evenly
    reserves: torques (N m, N along lengths), of motors that help where muscles cannot, that cost as much as one fully active muscle; a
        number for all joints, or by the names of some. 0: none, and an error where muscles alone cannot do it. Unless given, a hundredth
        of the largest torque of each coordinate
    wrenches: on bodies from outside, as of `inverse_dynamics`
    """
    model, p = model_of(scene, OWNER), as_float(exponent)
    if p is None or not 1.5 <= p <= 5:
        raise SceneError(f"{OWNER}: exponent is {brief(exponent)}, expected a number from 1.5 to 5.", owner=OWNER, argument="exponent")
    given = checked_motion(scene, motion)
    dynamics = Dynamics(model)
    active = dynamics.muscles(given.q, given.qdot, 1.0, given.t)
    if not active.names:
        raise SceneError(f"{OWNER}: the scene has no muscles. Add some with add_force(redmax.Muscle(...)).", owner=OWNER)
    torques = inverse_dynamics(model, given, wrenches).torques
    moved = moved_rates(model)
    passive = ((active.passive_force + active.damping_force)[..., None] * active.moment_arms).sum(axis=1)
    A = np.swapaxes(active.moment_arms * active.active_force[..., None], 1, 2)[:, moved]
    b = (torques - passive)[:, moved]
    strength, none = strengths(model, reserves, np.abs(b).max(axis=0, initial=0.0), moved)
    S = np.diag(strength**2)
    if model.constraints:
        P = projections(dynamics, given, moved)
        A, b, S = P @ A, (P @ b[..., None])[..., 0], P @ S @ P + np.eye(len(moved)) - P
    found = least_effort(A, b, S, p)
    left = np.zeros_like(torques)
    left[:, moved] = b - (A @ found.activations[..., None])[..., 0]
    effort = (found.activations**p).sum(axis=1)
    result = Activations(given, active.names, found.activations, torques, left, effort, found.converged, active)
    check_without(result, moved[none])
    return result


def moved_rates(model: Model) -> np.ndarray:
    """The rates of joints that forces move: not those of prescribed joints, which follow their motion."""
    joints = [i for i in range(len(model.bodies)) if not model.prescribed[i]]
    return np.array([k for i in joints for k in range(model.offsets[i], model.offsets[i + 1])], int)


def strengths(model: Model, reserves: Reserves, largest: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the reserves of these rates, (rates,), and which are to be none."""
    usual = np.maximum(USUAL * largest, FAINTEST * largest.max(initial=0.0))
    usual = np.where(usual > 0, usual, 1.0)
    found = np.full(model.nv, np.nan)
    by_name = reserves if isinstance(reserves, Mapping) else {} if reserves is None else {"": reserves}
    for name, value in by_name.items():
        number = as_float(value)
        if number is None or not 0 <= number < np.inf:
            valid = "a finite number of at least 0 (N m, N along lengths)"
            raise SceneError(f"{OWNER}: reserves are {brief(value)}, expected {valid}.", owner=OWNER, argument="reserves", expected=valid)
        found[model.v_slice(name) if name else slice(None)] = number
    given = found[moved]
    none = given == 0
    least = NONE * np.maximum(largest, FAINTEST * largest.max(initial=0.0))
    return np.where(np.isnan(given), usual, np.where(none, np.where(least > 0, least, NONE), given)), none


def projections(dynamics: Dynamics, motion: Motion, moved: np.ndarray) -> np.ndarray:
    """(frames, rates, rates): 1 - G+ G, of what constraints leave free."""
    G = dynamics.constraint_jacobian(motion.q, None, motion.t)[..., moved]
    return np.eye(len(moved)) - np.linalg.pinv(G, rcond=1e-9) @ G


def missed(found: Activations) -> np.ndarray:
    """(frames, nv): which reserves are too large to be overlooked."""
    largest = np.abs(found.torques).max(axis=0, initial=0.0)
    return np.abs(found.reserves) > np.maximum(MISSED * largest, 1e-6 * largest.max(initial=0.0))


def unmet(found: Activations) -> tuple[str, ...]:
    """See `Activations.unmet`."""
    model, sentences = found.motion.model, []
    for k in np.flatnonzero(missed(found).any(axis=0)):
        sentences.append(sentence(found, int(k), coordinate_name(model, int(k))))
    return tuple(sentences)


def sentence(found: Activations, k: int, name: str) -> str:
    """On one rate, at the frame where most is left."""
    n, unit = int(np.abs(found.reserves[:, k]).argmax()), units_of_torques(found.motion.model)[k]
    share = f"{found.reserves[n, k]:.4g} of {found.torques[n, k]:.4g} {unit} are left to the reserve"
    arms = found.at_rest.moment_arms[n, :, k]
    pulling = arms * found.reserves[n, k] > 1e-9
    if not np.abs(found.at_rest.moment_arms[..., k]).max(initial=0.0) > 1e-9:
        why = "no muscle has a moment arm there"
    elif not pulling.any():
        why = "no muscle pulls that way"
    else:
        full = [m for m, on, a in zip(found.names, pulling, found.activation[n], strict=True) if on and a > AT_BOUND]
        why = f"fully active: {', '.join(full)}" if full else "what else its muscles would move stands against it"
    frames = int(missed(found)[:, k].sum())
    return f"{name}: at t = {found.motion.t[n]:g} s, {share}; {why}. So in {frames} of {len(found.motion)} frames."


def coordinate_name(model: Model, k: int) -> str:
    """Of a rate: its joint, with a number if that has several."""
    i = int(np.searchsorted(model.offsets, k, "right")) - 1
    return model.joint_names[i] if model.links[i].joint.dof == 1 else f"{model.joint_names[i]}.{k - int(model.offsets[i])}"


def check_without(found: Activations, none: np.ndarray) -> None:
    """Raise where muscles alone cannot do what was asked of them."""
    for k in none:
        if missed(found)[:, k].any():
            said = sentence(found, int(k), coordinate_name(found.motion.model, int(k))).replace("are left to the reserve", "are not met")
            raise SceneError(f"{OWNER}: without reserves the muscles cannot meet the motion. {said}", owner=OWNER, argument="reserves")
