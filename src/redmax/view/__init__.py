"""Ways to look at a run: a web page that plays it offline, and plots of its energy."""

from redmax.view.body_view import BodyView
from redmax.view.html import write_html
from redmax.view.plot import plot_energy

__all__ = ["BodyView", "plot_energy", "write_html"]
