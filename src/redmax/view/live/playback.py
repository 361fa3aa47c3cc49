"""Playback: which time is shown, and how it goes on with the clock on the wall."""

from __future__ import annotations

from dataclasses import dataclass

SPEEDS = {"1/16×": 1 / 16, "1/8×": 1 / 8, "1/4×": 1 / 4, "1/2×": 1 / 2, "1×": 1.0, "2×": 2.0, "4×": 4.0}


@dataclass
class Playback:
    """t: simulated time shown (s); speed: simulated seconds per second; loop: whether it begins again at the end."""

    t: float = 0.0
    playing: bool = True
    speed: float = 1.0
    loop: bool = False

    def wanted(self, elapsed: float, end: float) -> float:
        """The time to show after `elapsed` seconds on the wall, at most `end`."""
        return min(self.t + self.speed * elapsed, end) if self.playing else self.t

    def arrive(self, t: float, start: float, end: float) -> None:
        """Show a time; at the end stop, or begin again."""
        self.t = t
        if self.playing and t >= end:
            self.t, self.playing = (start, True) if self.loop and end > start else (end, False)

    def toggle(self, start: float, end: float) -> None:
        """Play or pause; at the end, play from the start."""
        self.playing = not self.playing
        if self.playing and self.t >= end:
            self.t = start
