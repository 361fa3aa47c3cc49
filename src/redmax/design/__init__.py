"""Design from data: joints fitted to measured poses, configurations that reach targets, and the forces that such motions need."""

from redmax.design.curves import Cauchy, CurveFit, Huber, Tukey, fit_curve
from redmax.design.data.marker_files import read_markers, write_markers
from redmax.design.data.markers import Markers
from redmax.design.data.motion_table import MotionTable, read_motion, write_motion
from redmax.design.data.pose_files import MeasuredPoses, read_poses
from redmax.design.data.registration import MarkerPoses, marker_template, poses_from_markers
from redmax.design.data.write_poses import write_poses
from redmax.design.frame_rows import frame_rows
from redmax.design.gradients import Gradient, Moment, RunGradient, StepLinearization, gradient, linearize
from redmax.design.inverse_motion import MotionTorques, inverse_dynamics
from redmax.design.metric import pose_distances
from redmax.design.motion import Motion, SmoothedMotion
from redmax.design.natural_knots import natural_knots
from redmax.design.reach import InverseKinematics, Reached
from redmax.design.smoothed_motion import smoothed_motion
from redmax.design.static_optimisation import Activations, static_optimisation
from redmax.design.surfaces import SurfaceFit, fit_surface
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
from redmax.design.track import Tracked, track
from redmax.design.unit_speed import unit_speed

__all__ = [
    "Activations", "Cauchy", "CenterOfMassTarget", "CurveFit", "FrameTarget", "Gradient", "Huber", "InverseKinematics", "LookAtTarget",
    "MarkerPoses", "MarkerTarget", "Markers", "MeasuredPoses", "Moment", "Motion", "MotionTable", "MotionTorques", "OrientationTarget",
    "PositionTarget", "PostureTarget", "Reached", "RunGradient", "SmoothedMotion", "StepLinearization", "SurfaceFit", "Target", "Tracked",
    "Tukey", "fit_curve", "fit_surface", "frame_rows", "gradient", "inverse_dynamics", "linearize", "marker_template", "natural_knots",
    "pose_distances", "poses_from_markers", "read_markers", "read_motion", "read_poses", "smoothed_motion", "static_optimisation", "track",
    "unit_speed", "write_markers", "write_motion", "write_poses",
]  # fmt: skip
