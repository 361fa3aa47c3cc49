"""Ways to look at a run: a web page that plays it offline, and plots of its energy."""

from redmax.view.arrow_view import ArrowView
from redmax.view.body_view import BodyView
from redmax.view.drawing_view import DrawingView
from redmax.view.html import write_html
from redmax.view.joint_view import joint_views
from redmax.view.mark_view import MarkView
from redmax.view.path_view import PathView
from redmax.view.plot import plot_energy
from redmax.view.soft_view import SoftView
from redmax.view.stage import Stage, page_of, stage_of

__all__ = [
    "ArrowView",
    "BodyView",
    "DrawingView",
    "MarkView",
    "PathView",
    "SoftView",
    "Stage",
    "joint_views",
    "page_of",
    "plot_energy",
    "stage_of",
    "write_html",
]
