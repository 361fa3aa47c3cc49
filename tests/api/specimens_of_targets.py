"""A sensible call of targets and of what is read from files, for random calls to spoil: as in specimens.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import redmax as rm
from api.worlds import Call, World

T = np.linspace(0.0, 1.0, 5)
PLACES = {"a": (0.0, 0.0, 0.0), "b": (0.1, 0.0, 0.0), "c": (0.0, 0.1, 0.0), "d": (0.0, 0.0, 0.1)}
SEEN = np.array([[np.array(p) + (0.1 * t, 0.0, 0.0) for p in PLACES.values()] for t in T])
POSES = np.array([rm.pose(rm.rotation_about("y", t), (t, 0, 0)) for t in T])


def markers() -> rm.Markers:
    return rm.Markers(tuple(PLACES), T, SEEN)


def table() -> rm.MotionTable:
    return rm.MotionTable(("hip", "knee"), T, np.stack([T, 2 * T], axis=1))


def kept(folder: Path, name: str) -> Path:
    """A file of markers, of a motion or of poses."""
    path = folder / name
    {"m.csv": lambda: rm.write_markers(path, markers()), "t.sto": lambda: rm.write_motion(path, table())}.get(
        name, lambda: rm.write_poses(path, POSES, T)
    )()
    return path


def of_targets() -> dict[str, Callable[[World], Call]]:
    """Targets, and inverse kinematics with them."""
    return {
        "PositionTarget": lambda w: (rm.PositionTarget, (w.b, (0.3, 0, 0)), {"weight": 2.0, "priority": 1, "axes": "xz", "name": "p"}),
        "OrientationTarget": lambda w: (rm.OrientationTarget, (w.b, np.eye(3)), {"weight": 2.0, "priority": 1, "name": "o"}),
        "FrameTarget": lambda w: (rm.FrameTarget, (w.b, np.eye(4)), {"weight": (1, 1, 1, 2, 2, 2), "priority": 0, "name": "f"}),
        "MarkerTarget": lambda w: (
            rm.MarkerTarget, ([w.a, w.b.point(0, 0, 0.1)], [(0, 0, 0), (0.1, 0, 0)]), {"weight": (1, 2), "priority": 0, "name": "m"},
        ),
        "LookAtTarget": lambda w: (rm.LookAtTarget, (w.b, (1, 0, 0)), {"axis": "x", "weight": 1.0, "priority": 0, "name": "l"}),
        "CenterOfMassTarget": lambda w: (
            rm.CenterOfMassTarget, ((0.1, 0, 0),), {"body": w.a, "axes": "xy", "weight": 1.0, "priority": 0, "name": "c"},
        ),
        "PostureTarget": lambda _: (rm.PostureTarget, ((0.1,),), {"joints": ["upper"], "weight": 0.1, "priority": 1, "name": "q"}),
        "InverseKinematics": lambda w: (
            rm.InverseKinematics, (w.scene, rm.PositionTarget(w.b)), {"fixed": ["upper"], "limits": False, "backend": "llvm"},
        ),
        "ik.solve": lambda w: (
            rm.InverseKinematics(w.scene, rm.PositionTarget(w.b, name="tip")).solve, ({"tip": (0.3, 0, -0.2)}, (0.1, 0.2)),
            {"tolerance": (1e-5, 1e-6), "restarts": 2, "seed": 3, "iterations": 50, "method": "gauss-newton", "t": 0.5},
        ),
        "ik.follow": lambda w: (
            rm.InverseKinematics(w.scene, rm.PositionTarget(w.b, name="tip")).follow, ({"tip": np.full((3, 3), 0.2)}, (0.1, 0.2)),
            {"tolerance": 1e-5, "iterations": 50},
        ),
    }  # fmt: skip


def of_files() -> dict[str, Callable[[World], Call]]:
    """What is read and written, and poses from markers."""
    return {
        "Markers": lambda _: (rm.Markers, (tuple(PLACES), T, SEEN), {}),
        "MotionTable": lambda _: (rm.MotionTable, (("hip", "knee"), T, np.stack([T, T], axis=1)), {"degrees": True}),
        "read_markers": lambda w: (rm.read_markers, (kept(w.folder, "m.csv"),), {"lengths": "mm", "up": "y"}),
        "write_markers": lambda w: (rm.write_markers, (w.folder / "n.csv", markers()), {}),
        "read_motion": lambda w: (rm.read_motion, (kept(w.folder, "t.sto"),), {}),
        "write_motion": lambda w: (rm.write_motion, (w.folder / "u.csv", table()), {}),
        "read_poses": lambda w: (rm.read_poses, (kept(w.folder, "p.csv"),), {"rotation_order": "xyz", "lengths": "m"}),
        "write_poses": lambda w: (
            rm.write_poses, (w.folder / "r.csv", POSES, T), {"name": "flexion", "times": T, "rotation": "quaternion"},
        ),
        "marker_template": lambda _: (rm.marker_template, (markers(),), {"names": list(PLACES)}),
        "poses_from_markers": lambda _: (rm.poses_from_markers, (PLACES, markers()), {"weights": np.ones(4), "missing": True}),
        "unit_speed": lambda _: (rm.unit_speed, (rm.SplineCurve.through(POSES, T),), {"metric": 0.1, "tolerance": 1e-3}),
    }  # fmt: skip
