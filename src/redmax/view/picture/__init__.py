"""Pictures and films of a run, drawn with NumPy alone: no display, no browser, no graphics card."""

from redmax.view.picture.film import frame_times, write_film
from redmax.view.picture.pictures import pixels, write_picture

__all__ = ["frame_times", "pixels", "write_film", "write_picture"]
