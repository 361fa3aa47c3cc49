"""How runs and scenes show themselves in a notebook: the energy and the player of a run; a picture and a table of a scene.

The player is the page that `run.html` writes, in a frame of its own that can run scripts but cannot reach the notebook. What is shown
is bounded, however long a run is: of many samples a few hundred are taken.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import RedmaxError
from redmax.text import one_line
from redmax.view.energy_svg import energy_svg
from redmax.view.html import page_text
from redmax.view.initial import initial_run
from redmax.view.picture.pictures import encoded, pixels
from redmax.view.sampling import frame_indices
from redmax.view.stage import Stage, stage_of

if TYPE_CHECKING:
    from redmax.model.scene import Scene
    from redmax.run.trajectory import Trajectory

MOST_FRAMES, FEWEST_FRAMES = 600, 60  # of a run
POSES = 40_000  # of all bodies at all frames, about
ROWS = 24  # of a table
WORLDS = 8  # of a batch
SIZE = (640, 400)  # of a picture
FRAME_HEIGHT = 460
CELL = 'style="text-align:left;padding:2px 14px 2px 0"'


def as_text(value: str) -> str:
    """What a file or a person wrote, as text of a page."""
    return escape(one_line(value))


def run_html(run: Trajectory) -> str:
    """What a notebook shows of a run."""
    if run.q.ndim > 2:
        return batch_html(run)
    few = thinned(run.good)
    title, about = run.model.title or "redmax", f"{run.t[0]:g} to {run.t[-1]:g} s, {run.steps:,} steps, {run.integrator}, {run.dynamics}"
    broken = "" if run.complete else f" · {run.failure.short}" if run.failure else " · interrupted"
    head = f"<div><strong>{as_text(title)}</strong> <span>{as_text(about + broken)}</span></div>"
    stage = stage_of(few)
    plot = image(energy_svg(few.t, stage.energy, stage.units.energy).encode(), "image/svg+xml", "energy over time")
    return f'<div class="redmax">{head}{plot}{player(stage)}</div>'


def thinned(run: Trajectory) -> Trajectory:
    """The run at a bounded number of its samples."""
    bodies = len(run.model.bodies)
    keep = frame_indices(run.t, 1e9, int(np.clip(POSES // max(bodies, 1), FEWEST_FRAMES, MOST_FRAMES)))
    if len(keep) == len(run.t):
        return run
    parts = {name: None if (rows := getattr(run, name)) is None else rows[keep] for name in ("t", "q", "qdot", "charts", "joint_drift")}
    return replace(run, **parts)


def batch_html(run: Trajectory) -> str:
    """A table of some worlds of a batch."""
    batch = run.q.shape[1:-1]
    worlds = list(np.ndindex(*batch))
    rows = []
    for index in worlds[:WORLDS]:
        world = thinned(run.world(index))
        total = world.energy.total
        numbers = (total[0], total[-1], world.energy.drift.max())
        rows.append([", ".join(map(str, index)), *(f"{n:.6g}" for n in numbers), ", ".join(f"{q:.4g}" for q in world.q[-1][:6])])
    unit = run.model.units.energy
    heads = ("world", f"energy at first ({unit})", f"at last ({unit})", "drift", "last q" + (", first 6" if run.q.shape[-1] > 6 else ""))
    shape = " x ".join(map(str, batch))
    about = f"{shape} worlds, {run.t[0]:g} to {run.t[-1]:g} s, {run.integrator}; run.world(i) shows one of them"
    rest = more(len(worlds) - WORLDS, "world")
    head = f"<div><strong>{as_text(run.model.title or 'redmax')}</strong> {as_text(about)}</div>"
    return f'<div class="redmax">{head}{table(heads, rows)}{rest}</div>'


def scene_html(scene: Scene) -> str:
    """What a notebook shows of a scene: also of one that cannot run yet, with the reason."""
    count = f"{len(scene.links)} bodies, {len(scene.forces)} forces, {len(scene.deformables)} deformables"
    head = f"<div><strong>{as_text(scene.title or 'Scene')}</strong> {as_text(count)}</div>"
    rows = [
        [link.name, type(link.shape).__name__, type(link.joint).__name__, "world" if link.parent < 0 else scene.links[link.parent].name,
         str(link.joint.dof)]
        for link in scene.links[:ROWS]
    ]  # fmt: skip
    shown = table(("body", "shape", "joint", "on", "degrees of freedom"), rows) + more(len(scene.links) - ROWS, "body")
    return f'<div class="redmax">{head}{seen(scene)}{shown}</div>'


def seen(scene: Scene) -> str:
    """A picture of the initial pose, and the player with it to look around in; or why there is none."""
    try:
        stage = stage_of(initial_run(scene))
        if not (stage.bodies or stage.paths or stage.soft):
            return ""
        picture = image(encoded(pixels(stage, size=SIZE), ".png"), "image/png", "the initial pose")
    except RedmaxError as error:
        return f"<div><em>{escape(str(error))}</em></div>"
    return f"{picture}<details><summary>Look around</summary>{player(stage)}</details>"


def player(stage: Stage) -> str:
    """The page that plays a stage, in a frame of its own; nothing of a stage with nothing to see."""
    if not (stage.bodies or stage.paths or stage.soft):
        return ""
    page = page_text(**stage.page)
    style = f"width:100%;max-width:960px;height:{FRAME_HEIGHT}px;border:1px solid #d8dde3;border-radius:8px"
    return (
        f'<iframe sandbox="allow-scripts" loading="lazy" title="{as_text(stage.title)}" style="{style}" srcdoc="{escape(page)}"></iframe>'
    )


def image(data: bytes, kind: str, name: str) -> str:
    text = base64.b64encode(data).decode("ascii")
    return f'<img alt="{name}" src="data:{kind};base64,{text}" style="display:block;max-width:100%;margin:6px 0;border-radius:8px">'


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th {CELL}>{as_text(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td {CELL}>{as_text(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def more(count: int, what: str) -> str:
    many = {"body": "bodies", "world": "worlds"}
    return f"<div>and {count:,} more {what if count == 1 else many[what]}</div>" if count > 0 else ""
