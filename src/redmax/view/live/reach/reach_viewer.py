"""ReachViewer: a page with a handle at every target, which a hand moves and turns, and a sentence on what is out of reach."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.lie import so3
from redmax.model.state import State
from redmax.run.trajectory import Trajectory
from redmax.view.live.controls import pressed
from redmax.view.live.reach.grips import Grip
from redmax.view.live.reach.reaching import Reaching
from redmax.view.live.recording import Recording
from redmax.view.live.viewer import Viewer

if TYPE_CHECKING:
    import viser

HANDLE = 0.3  # of the mechanism's size: how large what one drags is
OFTEN = 0.1  # s between updates of the sentence


class ReachViewer(Viewer):
    """A viewer of targets. `trajectory()` is what was looked at; start: coordinates or a State to begin at"""

    def __init__(self, ik: InverseKinematics, start: np.ndarray | State | None, duration: float, **options: Any) -> None:
        self.said_at = -np.inf
        super().__init__(Reaching(ik, start, duration), **options)

    @property
    def reaching(self) -> Reaching:
        assert isinstance(self.source, Reaching)
        return self.source

    def build(self) -> None:
        super().build()
        gui = self.server.gui
        with gui.add_folder("Targets"):
            self.words = gui.add_html(self.sentence())
        stop = gui.add_button("Stop", color="gray", hint="End it and keep the motion")
        pressed(stop, lambda _: lambda orders: orders.stopping.set(), self.orders.give)

    def place(self, preview: Recording) -> None:
        super().place(preview)
        self.handles = [self.handle(k, grip) for k, grip in enumerate(self.reaching.grips)]

    def handle(self, k: int, grip: Grip) -> viser.TransformControlsHandle:
        """Arrows, squares and rings at a target."""
        moves, scale = any(grip.moves), self.stage.scale
        made = self.server.scene.add_transform_controls(
            f"/targets/{k}", scale=HANDLE * self.stage.size * scale, active_axes=grip.moves if moves else (True, True, True),
            disable_axes=not moves, disable_sliders=not moves, disable_rotations=not grip.turns, depth_test=False,
            position=grip.pose[:3, 3] * scale, wxyz=so3.to_quaternion(grip.pose[:3, :3]),
        )  # fmt: skip

        async def dragged(event: Any) -> None:
            pose = np.eye(4)
            pose[:3, :3] = so3.from_quaternion(np.asarray(event.target.wxyz, float))
            pose[:3, 3] = np.asarray(event.target.position, float) / scale
            self.orders.give(lambda orders: orders.aim(k, pose))

        made.on_update(dragged)
        return made

    def aim(self, k: int, pose: np.ndarray) -> None:
        """What is dragged is to be there; time goes on with it from where it is."""
        self.reaching.aim(self.reaching.grips[k], pose)
        self.hold_until, self.playback.t, self.playback.playing = 0.0, float(self.recording.t[-1]), True

    def turn(self, elapsed: float, now: float) -> None:
        super().turn(elapsed, now)
        if now - self.said_at > OFTEN:
            self.said_at, said = now, self.sentence()
            if said != self.words.content:
                self.words.content = said

    def sentence(self) -> str:
        """What is out of reach, and by how much."""
        return f'<div style="padding:0 1em 0.6em;font-size:0.85em">{escape(str(self.reaching.found.reason))}</div>'

    def trajectory(self) -> Trajectory:
        """The motion so far."""
        return self.reaching.trajectory()
