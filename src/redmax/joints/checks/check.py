"""Checks when a joint is made: the motion is rigid, twice continuously differentiable, and S has full rank.

These are the requirements of Lee & Terzopoulos Sec. 5 for any joint. A motion is looked at over its domain at points that fill it evenly,
and at the places that its trace makes suspect; so what is found is there, and what is not found may still be. Each motion is checked
once: joints that differ in nothing share the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.from_function import check_call
from redmax.errors import About, SceneError, called, warn
from redmax.joints.base import OF_TIME, Joint
from redmax.joints.checks.box import box_of, points
from redmax.joints.checks.charts import charts
from redmax.joints.checks.corners import corners
from redmax.joints.checks.finding import Finding
from redmax.joints.checks.rank import rank
from redmax.joints.checks.rigid import closed_form, differences, finite, rigid
from redmax.joints.checks.scale import scale_of
from redmax.joints.checks.subject import Subject, subject_of
from redmax.joints.checks.switches import suspects
from redmax.joints.compound import Compound
from redmax.trace import listing

SAMPLES = 128


def check_joint(joint: Joint, name: str) -> None:
    """Raise SceneError, or warn with RedmaxWarning, about what is wrong with the motion of a joint that is not proven.

    name: what messages call it. The warning comes once for each motion, the error every time.
    """
    if joint.nq != joint.dof:  # velocities that are not rates of coordinates have no S to differentiate; their parts may
        for part in joint.parts if isinstance(joint, Compound) else ():
            check_joint(part, name)
        return
    if not joint.needs_check():
        return
    who = called("Joint", name)
    with About(who):
        check_written(joint, who)
        for finding in verdict(Question(key_of(joint), joint, name)):
            raise SceneError(f"{who}: {finding.text}")


def check_written(joint: Joint, who: str) -> None:
    """Whether a class says what it must, in a form that can be called."""
    if not isinstance(joint.dof, int | np.integer) or isinstance(joint.dof, bool) or joint.dof < 0:
        raise SceneError(f"{who}: dof of {type(joint).__name__} is {brief(joint.dof)}, expected a whole number from 0 to 6.")
    if joint.dof > 6:
        raise SceneError(f"{who} has {joint.dof} degrees of freedom; a rigid motion has at most 6. Lower dof.")
    arguments = ("q", "t") if joint.timed else ("q",)
    check_call(f"{who}: transform of {type(joint).__name__}", joint.transform, arguments, {}, OF_TIME)


@dataclass(frozen=True)
class Question:
    """Equal for joints with the same motion."""

    key: tuple[Any, ...]
    joint: Joint = field(compare=False)
    name: str = field(compare=False)


def key_of(joint: Joint) -> tuple[Any, ...]:
    structure, box = joint.structure(), box_of(joint)
    where = (box.lower.tobytes(), box.width.tobytes())
    if structure == joint.structure():
        return structure, tuple((n, v.shape, v.tobytes()) if isinstance(v, np.ndarray) else (n, v) for n, v in joint.data().items()), where
    return *[text_of(subject) for subject in subjects(joint)], where  # it cannot be compared: by what it does, then


def text_of(subject: Subject) -> str:
    parts = [part for part in (subject.E, subject.S, subject.moved, subject.turned) if part is not None]
    outputs = [x for part in parts for x in part.ravel()]
    return listing({str(i): x for i, x in enumerate(outputs)})


def subjects(joint: Joint) -> list[Subject]:
    """The motion in its first charts, and with each choice of a chart changed by itself."""
    first = joint.start
    others = [(*first[:i], k, *first[i + 1 :]) for i, names in enumerate(joint.discrete) for k in range(len(names)) if k != first[i]]
    with np.errstate(all="ignore"):  # numbers that are known already are computed at once
        return [subject_of(joint, charts) for charts in (first, *others)]


@lru_cache(maxsize=1024)
def verdict(question: Question) -> tuple[Finding, ...]:
    """What makes the joint unusable; warnings are given here, once."""
    found = next(filter(None, map(examine, subjects(question.joint))), [])  # of the first chart that is not sound: others are its like
    for finding in found:
        if not finding.fatal:
            warn(f"Joint {question.name!r}: {finding.text}")
    return tuple(finding for finding in found if finding.fatal)


def examine(subject: Subject) -> list[Finding]:
    """What is wrong; of what makes it unusable, the first, since more would follow from it."""
    u = points(subject.box, SAMPLES) if subject.box.m else np.zeros((1, 0))
    found = charts(subject, u, cache(partial(subject_of, subject.joint)))
    if found:
        return found
    u = u[subject.stays(u)]
    if not len(u):
        return []
    values = subject.values(u)
    found = finite(subject, u, values) or rigid(subject, u, values)
    if found or not subject.box.m:
        return found
    scale = scale_of(values, subject.box)
    found = closed_form(subject, u, values, scale) or differences(subject, u, values, scale)
    if found:
        return found
    found = corners(subject, suspects(subject, u), scale)
    if any(finding.fatal for finding in found):
        return found
    return found + rank(subject, u, values, scale)
