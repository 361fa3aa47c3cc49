"""Maximal coordinates: every body moves by itself, and the joints are constraints (RedMax notes Secs. 1.6-1.12).

The state is each body's pose and twist, which integrators advance as that of a body without a joint (joints/body_frame.py). The
joints' coordinates are found from them where they are needed (joints.py): forces and torques in joints, prescribed motions, Baumgarte's
terms, samples. Then the accelerations of all bodies together follow (forces.py, solve.py). All of it is one compiled program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from redmax.dynamics.maximal import coupled
from redmax.dynamics.maximal.forces import explicit_terms, implicit_terms, symplectic_terms
from redmax.dynamics.maximal.joints import BEGIN, CLOSE, PROJECT
from redmax.dynamics.maximal.solve import accelerate, eliminate, eliminate_implicitly
from redmax.dynamics.recursive.system import UP
from redmax.joints.body_frame import BodyFrame
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Part, Recursion, forward, interactions, once, recursion

KNOWN_AS = {"q": "pose", "qdot": "twist", "qddot": "twist_rate", "joint": BodyFrame()}  # to integrators
SIZES = {"q": 12, "v": 6}  # of what they keep for each body
BODY = {"pose": 12, "twist": 6, "twist_rate": 6, "relative": 12, "slip": 6, "gap": 6, "drift": 1}
BODIES_IN, BODIES_OUT = ("pose", "twist", "fresh", "baumgarte"), ("pose", "twist", "drift")  # behind what an integrator takes and gives
SHOWN = {"pose_kept": 12, "twist_kept": 6}  # the state, while a sample within a step is looked at

explicit = recursion(explicit_terms, interactions(Part.WRENCH), eliminate, accelerate, name="maximal explicit")
symplectic = recursion(symplectic_terms, interactions(Part.WRENCH), eliminate, accelerate, name="maximal symplectic")
implicit = recursion(implicit_terms, interactions(Part.IMPLICIT), eliminate_implicitly, accelerate, name="maximal implicit")


def stages(model: Model, implicitly: bool) -> tuple[ProgramStage, ...]:
    """Accelerations of the bodies, from their poses and twists."""
    if implicitly and coupled_beyond_tree(model):
        return *PROJECT, *coupled.stages(model)
    return *PROJECT, implicit if implicitly else explicit


def coupled_beyond_tree(model: Model) -> bool:
    """Whether implicit steps have blocks between bodies, or such as are not symmetric."""
    return any(f.implicit and (len(f.bodies) > 1 or f.on_coordinates or f.stiffness_kind == "exact") for f in model.forces)


def implicit_fields(model: Model, extra: Any = None, clock: Any = None) -> Fields:
    """The record of implicit steps."""
    fields = maximal_fields(model, extra, clock)
    if not coupled_beyond_tree(model):
        return fields
    return replace(fields, down={**fields.down, **coupled.DOWN}, reuse={}, state={**fields.state, **coupled.STATE})


def maximal_fields(model: Model, extra: Any = None, clock: Any = None) -> Fields:
    """A joint's record: its coordinates, and the body that it carries. extra, clock: of an integrator of bodies."""
    kept = {name: SIZES[size] for name, size in (extra or {}).items()}
    shown = SHOWN if "q_sample" in kept else {}
    placed = model.force_fields()
    own = {"own": 36} if model.acting else {}
    opening = {"opening": 1} if model.constraints else {}  # of all joints (upkeep.py)
    return Fields(
        down={"V": 6, "Vdot": 6, "R": 9, "x": 3},
        up=UP,
        reuse={"Vdot": "V"},
        state={"q": "q", "qdot": "v", "tau": "v", "qddot": "v", **BODY, **placed["state"], **own},
        sums=placed["sums"] | own,
        world={"t": 1, "h": 1, "baumgarte": 1, "fresh": 1, "turns": 1, "moved": 1, "closed": 1, "lost": 1} | opening,
        extra=kept | shown,
        clock=clock or {},
        known_as=KNOWN_AS,
    )


@forward
def show_sample(j: JointView) -> None:
    """The body goes to where a sample within the step has it."""
    j.pose_kept, j.twist_kept = j.q, j.qdot
    j.q, j.qdot = j.q_sample, j.v_sample


@once
def show_time(w: WorldView) -> None:
    w.t = w.t_sample


@forward
def go_back(j: JointView) -> None:
    j.q, j.qdot = j.pose_kept, j.twist_kept


show = tuple(recursion(s, name=f"maximal {s.name}", core=False) for s in (show_sample, show_time))
back = recursion(go_back, name="maximal go back", core=False)


def in_coordinates(program: Program, implicit: bool = False, project: bool = False) -> Program:
    """An integrator's program over bodies as one that takes the joints' coordinates, and gives them at each sample.

    It begins with closed joints, or goes on from a pose and twist of each body; these are outputs too, and how far the joints are open.
    project: every step ends with closed joints; implicit: whether steps ask for velocities, and leave slip
    """
    within = "q_sample" in program.fields.extra  # samples lie within steps
    before = (*show, *PROJECT) if within else closed(implicit) if project else PROJECT
    saved = saving(program.stages, before, (back,) if within else ())
    first = next(n for n, stage in enumerate(saved) if not (isinstance(stage, Recursion) and stage.once))
    inputs, outputs = (*program.inputs, *BODIES_IN), ("q", "qdot", *program.outputs[2:], *BODIES_OUT)
    return replace(program, stages=(*saved[:first], BEGIN, *saved[first:]), inputs=inputs, outputs=outputs)


def closed(implicit: bool) -> tuple[ProgramStage, ...]:
    """Joints are closed: by the nearest coordinates and rates of each, or by the least change of all, where there is slip to take out."""
    if not implicit:
        return *PROJECT, *CLOSE
    from redmax.dynamics.maximal.least_change import LEAST_CHANGE

    return *LEAST_CHANGE, CLOSE[1]


def saving(stages: Sequence[ProgramStage], before: tuple[ProgramStage, ...], after: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
    """The same stages, with others before and after each sample."""
    result: list[ProgramStage] = []
    for stage in stages:
        if isinstance(stage, Save):
            result += [*before, stage, *after]
        else:
            result.append(replace(stage, body=saving(stage.body, before, after)) if isinstance(stage, Repeat | Branch) else stage)
    return tuple(result)
