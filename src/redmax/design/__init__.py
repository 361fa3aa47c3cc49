"""Design from data: joints fitted to measured poses, configurations that reach targets, and the forces that such motions need."""

from redmax.design.curves import Cauchy, CurveFit, Huber, Tukey, fit_curve
from redmax.design.data.markers import Markers
from redmax.design.data.registration import MarkerPoses, marker_template, poses_from_markers
from redmax.design.frame_rows import frame_rows
from redmax.design.metric import pose_distances
from redmax.design.natural_knots import natural_knots
from redmax.design.reach import InverseKinematics, Reached
from redmax.design.targets import (
    CenterOfMassTarget,
    FrameTarget,
    LookAtTarget,
    MarkerTarget,
    OrientationTarget,
    PositionTarget,
    PostureTarget,
    Target,
)

__all__ = [
    "Cauchy", "CenterOfMassTarget", "CurveFit", "FrameTarget", "Huber", "InverseKinematics", "LookAtTarget", "MarkerPoses", "MarkerTarget",
    "Markers", "OrientationTarget", "PositionTarget", "PostureTarget", "Reached", "Target", "Tukey", "fit_curve", "frame_rows",
    "marker_template", "natural_knots", "pose_distances", "poses_from_markers",
]  # fmt: skip
