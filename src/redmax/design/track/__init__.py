"""Time series of targets, as one smooth motion."""

from redmax.design.track.track import track
from redmax.design.track.tracked import Tracked

__all__ = ["Tracked", "track"]
