"""What inverse kinematics is to reach, a kind a file."""

from redmax.design.targets.base import Target
from redmax.design.targets.center_of_mass import CenterOfMassTarget
from redmax.design.targets.frame import FrameTarget
from redmax.design.targets.look_at import LookAtTarget
from redmax.design.targets.marker import MarkerTarget
from redmax.design.targets.orientation import OrientationTarget
from redmax.design.targets.position import PositionTarget
from redmax.design.targets.posture import PostureTarget

__all__ = [
    "CenterOfMassTarget", "FrameTarget", "LookAtTarget", "MarkerTarget", "OrientationTarget", "PositionTarget", "PostureTarget", "Target",
]  # fmt: skip
