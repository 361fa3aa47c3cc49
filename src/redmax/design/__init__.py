"""Design from data: joints fitted to measured poses, configurations that reach targets, and the forces that such motions need."""

from redmax.design.frame_rows import frame_rows

__all__ = ["frame_rows"]
