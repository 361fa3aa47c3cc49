"""Laws along the paths of `arm`, each as a force of redmax's and as what MuJoCo has on a tendon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco

import redmax as rm
from benchmarks.arm import Path, with_paths
from benchmarks.engines.mujoco_tendons import Control, Law
from redmax.forces import PathForce

FORCE, DAMPING = 50.0, 0.1  # N; of the force at the largest velocity
TENDON = 0.5  # of the path while the arm hangs; the rest is the optimal length of the fibres


class Spring(PathForce):
    """T = k (l - L) + d ldot; it may push."""

    def __init__(self, path: Path, i: int) -> None:
        self.hold(path.places, f"path {i}")
        self.stiffness, self.damping, self.rest = 100.0 + 10.0 * (i % 7), 5.0 + i % 3, 0.2 + 0.01 * (i % 5)

    def tension(self, length: Any, rate: Any, t: Any) -> Any:
        return self.stiffness * (length - self.rest) + self.damping * rate


def muscle(path: Path, i: int) -> rm.Muscle:
    """At rest at its optimal length, with a constant activation."""
    fibre, tendon = (1 - TENDON) * path.length, TENDON * path.length
    return rm.Muscle(
        path.places,
        force=FORCE,
        optimal_length=fibre,
        tendon_length=tendon,
        damping=DAMPING,
        activation=0.2 + 0.05 * (i % 5),
        name=f"path {i}",
    )


def mujoco_spring(spec: mujoco.MjSpec, tendon: mujoco.MjsTendon, force: PathForce) -> None:
    tendon.stiffness, tendon.damping, tendon.springlength = [force.stiffness, 0, 0], [force.damping, 0, 0], [force.rest, force.rest]


def mujoco_muscle(spec: mujoco.MjSpec, tendon: mujoco.MjsTendon, force: PathForce) -> None:
    """Its own curves; with the operating range 0.5 to 1.5 the difference of the lengths is the optimal length of the fibres."""
    muscle = spec.add_actuator(name=tendon.name, target=tendon.name, trntype=mujoco.mjtTrn.mjTRN_TENDON)
    muscle.set_to_muscle(
        timeconst=[0.01, 0.04], tausmooth=0, range=[0.5, 1.5], force=FORCE, scale=1, lmin=0.4, lmax=1.8, vmax=10, fpmax=1, fvmax=1.4
    )
    muscle.dyntype = mujoco.mjtDyn.mjDYN_NONE
    fibre, rest = force.hill.optimal_length, force.hill.tendon_length
    muscle.lengthrange = [rest + 0.5 * fibre, rest + 1.5 * fibre]


@dataclass(frozen=True)
class Pair:
    """One law in both engines. exact: whether they are the same function."""

    name: str
    scene: rm.Scene
    law: Law
    control: Control | None
    exact: bool


def springs() -> Pair:
    return Pair("springs", with_paths(Spring), mujoco_spring, None, exact=True)


def hills() -> Pair:
    return Pair("muscles", with_paths(muscle), mujoco_muscle, lambda force: force.level(0.0), exact=False)
