"""The live viewer: a page, served by viser, that shows a run or simulates while it is looked at."""

from redmax.view.live.viewer import Viewer
from redmax.view.live.watch import view_run, view_scene, watch

__all__ = ["Viewer", "view_run", "view_scene", "watch"]
