"""Tracked: a motion that follows targets, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from redmax.design.motion import SmoothedMotion
from redmax.design.reach.reached import Reached
from redmax.errors import SceneError, unknown
from redmax.run.trajectory import Trajectory

JUMP = 10.0  # times the usual step from frame to frame
MUCH, SHOWN = 1.5, 5  # times the median of all markers; how many are named


@dataclass(frozen=True, eq=False, repr=False)
class Tracked:
    """motion: the smooth one;  frames: what was found frame by frame, with the limits that hold it: `frames.world(k).reason`

    residuals: target -> (frames, rows), of the smooth motion, m and rad;  iterations: of all frames at once
    markers: target -> what its markers are called, of those that have some
    """

    motion: SmoothedMotion
    frames: Reached
    residuals: Mapping[str, np.ndarray]
    iterations: int = field(default=0)
    markers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {self.rms(name):.3g}" for name in self.residuals)
        return f"Tracked({len(self.motion)} frames, rms {said})"

    def rms(self, target: str) -> float:
        """The root of the mean square of a target's residuals (m, rad), where it was seen."""
        if target not in self.residuals:
            raise SceneError(unknown("target", target, list(self.residuals)), argument="target")
        r = self.residuals[target]
        return float(np.sqrt(np.nanmean(r**2))) if np.isfinite(r).any() else 0.0

    def run(self) -> Trajectory:
        """The motion as a run."""
        return self.motion.run()

    @property
    def jumps(self) -> tuple[int, ...]:
        """Frames before which what was found alone jumps: to another way to reach the targets, or where these do."""
        steps = np.abs(np.diff(self.frames.q, axis=0))
        usual = np.median(steps, axis=0) + 1e-3
        return tuple((np.flatnonzero((steps > JUMP * usual).any(axis=1)) + 1).tolist())

    def report(self) -> str:
        """How far each target is off, which limits hold, where something jumps: a line each."""
        lines = [f"{len(self.motion)} frames from t = {self.motion.t[0]:g} to {self.motion.t[-1]:g} s"]
        for name, r in self.residuals.items():
            size = np.abs(np.nan_to_num(r)).max(axis=1)
            k = int(size.argmax())
            missing = int((~np.isfinite(r)).any(axis=1).sum())
            unseen = f"; not all seen in {missing} frames" if missing else ""
            lines.append(f"  {name}: rms {self.rms(name):.3g}, at most {size[k]:.3g} at t = {self.motion.t[k]:g} s{unseen}")
            lines += self.far_markers(name)
        lines += [f"  {words}" for words in self.limits()]
        if self.jumps:
            shown = ", ".join(f"{self.motion.t[k]:g}" for k in self.jumps[:5])
            lines.append(f"  alone, frames jump at t = {shown} s{' and later' if len(self.jumps) > 5 else ''}: look at the targets there")
        found = ", ".join(f"{name} {f:.3g}" for name, f in self.motion.cutoff.items())
        return "\n".join([*lines, f"  cut-off frequencies (Hz): {found}"])

    def far_markers(self, target: str) -> list[str]:
        """The markers of a target that are off much farther than most: of another place on their body, or another name."""
        if target not in self.markers:
            return []
        r = self.residuals[target].reshape(len(self.motion), -1, 3)
        counts = np.maximum(np.isfinite(r).sum(axis=(0, 2)), 1)
        each = np.sqrt(np.nansum(r**2, axis=(0, 2)) / counts)
        far = [m for m in np.argsort(-each).tolist() if each[m] > MUCH * np.median(each)][:SHOWN]
        said = ", ".join(f"{self.markers[target][m]} {each[m]:.3g}" for m in far)
        return [f"    farthest off (rms): {said}. Are they where the scene has them, and called so?"] if far else []

    def limits(self) -> list[str]:
        """Which limits keep frames from their targets, and in how many of them."""
        counts: dict[str, int] = {}
        for k in np.flatnonzero(~np.asarray(self.frames.success)):
            for words in self.frames.held_by((int(k),)):
                counts[words] = counts.get(words, 0) + 1
        return [f"{words} holds {n} frames" for words, n in sorted(counts.items(), key=lambda pair: -pair[1])]
