"""What `redmax fit` makes of measured poses: a curve or a surface, as a scene, in words, as numbers and as a page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import redmax as rm

if TYPE_CHECKING:
    from redmax.design.data.pose_files import MeasuredPoses

DIGITS = 12  # after the point, of frames in the scene file: short enough to be read, and far below what is measured
FEW = 12  # poses: a curve goes through so many; of more it has so many control frames


@dataclass(frozen=True)
class FittedCurve:
    """asked: arguments of `redmax.fit_curve` beside poses, parameters and smoothing"""

    found: MeasuredPoses
    smoothing: Any
    asked: dict[str, Any]

    @cached_property
    def made(self) -> rm.CurveFit:
        return rm.fit_curve(self.found.poses, self.found.parameters, smoothing=self.smoothing, **self.asked)

    @property
    def name(self) -> str:
        """Of the coordinate."""
        return self.found.names[0] if self.found.names else "q"

    def scene(self, name: str, stop: float) -> rm.Scene:
        """One body on the joint, its frames as rows that can be edited by hand."""
        made, joint = self.made, self.made.joint
        closed = joint.axis.cyclic
        limits: dict[str, Any] = {} if closed else {"outside": "limit", "limit_stiffness": stop}
        rows = np.round(rm.frame_rows(made.frames), DIGITS)
        curve = rm.SplineCurve(rows, order=joint.axis.order, knots=made.knots, cyclic=closed, **limits)
        return scene_with(curve, name, 0.5 * sum(joint.range))

    def report(self, path: Path, title: str) -> None:
        before = rm.fit_curve(self.found.poses, self.found.parameters, **self.asked) if self.comparable else None
        rm.fit_report(self.made, self.found.poses, path, title=title, name=self.name, before=before)

    @property
    def comparable(self) -> bool:
        """Whether a fit without smoothing can stand beside one with it: of known parameters, with no more frames than poses."""
        known = int(np.isfinite(self.found.poses).all(axis=(1, 2)).sum())
        return self.smoothing is not None and self.found.parameters is not None and (self.asked["frames"] or 0) <= known

    def facts(self) -> dict[str, str]:
        """What a person wants to know."""
        from redmax.view.fit_facts import facts_of

        return facts_of(self.made, self.found.poses, self.name)

    def numbers(self) -> dict[str, Any]:
        """What --json writes."""
        made, axis = self.made, self.made.joint.axis
        joint = {"coordinate": self.name, "range": list(made.joint.range), "order": axis.order, "cyclic": axis.cyclic}
        values = {"knots": made.knots.tolist(), "frames": rm.frame_rows(made.frames).tolist()}
        return {"poses": len(self.found), **joint, **values, **left_over(made), "smoothing": made.smoothing, **ended(made)}


@dataclass(frozen=True)
class FittedSurface:
    """asked: arguments of `redmax.fit_surface` beside poses, parameters and limits"""

    found: MeasuredPoses
    asked: dict[str, Any]
    stop: float

    @cached_property
    def made(self) -> rm.SurfaceFit:
        limits: dict[str, Any] = {"outside": "limit", "limit_stiffness": self.stop}
        return rm.fit_surface(self.found.poses, self.found.parameters, **self.asked, **limits)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return self.found.names or tuple(f"q{i}" for i in range(self.made.joint.dof))

    def scene(self, name: str, stop: float) -> rm.Scene:
        """One body on the joint."""
        return scene_with(self.made.joint, name, np.mean(self.made.joint.range, axis=1))

    def report(self, path: Path, title: str) -> None:
        rm.fit_report(self.made, self.found.poses, path, title=title, name=self.names)

    def facts(self) -> dict[str, str]:
        """What a person wants to know."""
        from redmax.view.surface_fit_plots import ShownSurface, facts_of_surface

        return facts_of_surface(ShownSurface(self.made, self.found.poses, self.names))

    def numbers(self) -> dict[str, Any]:
        """What --json writes."""
        made = self.made
        joint = {"coordinates": list(self.names), "range": np.asarray(made.joint.range).tolist(), "base": made.base.tolist()}
        values = {"knots": [t.tolist() for t in made.knots], "values": made.values.tolist()}
        return {"poses": len(self.found), **joint, **values, **left_over(made), **ended(made)}


def scene_with(joint: Any, name: str, q: Any) -> rm.Scene:
    """One body on a joint."""
    scene = rm.Scene(title=f"A joint fitted to the poses of {name}")
    scene.add_body(rm.Capsule(0.04, 0.3, mass=3.0), joint=joint, com=(0, 0, -0.2), q=q, name="body", joint_name=name)
    return scene


def left_over(made: rm.CurveFit | rm.SurfaceFit) -> dict[str, Any]:
    """Where on the joint poses are, and how far from it; what is not known is null."""
    each = {"parameters": made.parameters, "residuals": made.residuals}
    known: dict[str, Any] = {}
    for name, x in each.items():
        values = x.astype(object)
        values[np.isnan(x)] = None
        known[name] = values.tolist()
    return {**known, "angle_rms": made.angle, "distance_rms": made.distance, "objective": made.objective}


def ended(made: rm.CurveFit | rm.SurfaceFit) -> dict[str, Any]:
    return {"iterations": len(made.log), "converged": made.converged, "reason": made.reason}
