"""Write a run as one HTML file that plays offline: the parts in player/ put together with the data.

The page makes no network request, which its content security policy also enforces. Keys: space plays and pauses, left and right step, up
and down change the speed, [ and ] select, R resets the view, T changes the theme, J, F and N show joints, forces and names, L loops. The
address may end in #t=1.5&paused&speed=0.5&theme=dark&view=30,20&select=name, and `window.redmax` is there for scripts.
"""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.errors import RedmaxError
from redmax.model.look import USUAL, Look
from redmax.run.failures import Failure
from redmax.text import one_line
from redmax.view import materials
from redmax.view.arrow_view import ArrowView
from redmax.view.body_view import HEX_COLOUR, BodyView
from redmax.view.camera_path import camera_path
from redmax.view.contact_view import ContactsView
from redmax.view.contents import camera_fields, contacts_entry, contents, own_background, trail_entry
from redmax.view.drawing_view import DrawingView
from redmax.view.followed import Followed
from redmax.view.framing import motion_frame
from redmax.view.geometry import sizes
from redmax.view.mark_view import MarkView
from redmax.view.packing import encode
from redmax.view.path_view import PathView
from redmax.view.sampling import FPS, MAX_FRAMES, frame_indices
from redmax.view.soft_view import SoftView
from redmax.view.trail_view import TrailView
from redmax.writing import write_text

SCRIPTS = (  # in this order they make up one script
    "vector.js", "matrix.js", "scene.js", "points.js", "mesh.js", "wire.js", "sheet.js", "rods.js", "membrane.js", "shaders.js",
    "graphics.js", "colour.js", "theme.js", "shadow.js", "ground.js", "drawings.js", "deforming.js", "marks.js", "arrows.js", "contacts.js",
    "outline.js",
    "trails.js", "renderer.js", "sharpness.js", "camera.js", "pointer.js", "pick.js", "clock.js", "energy.js", "axes.js", "names.js",
    "summary.js", "memory.js", "options.js", "selection.js", "layout.js", "controls.js", "main.js",
)  # fmt: skip


def write_html(path: str | Path, **contents: Any) -> Path:
    """Write the page that `page_text` makes of the same arguments, and return its path."""
    return write_text(path, page_text(**contents))


def page_text(
    *,
    title: str,
    times: ArrayLike,
    bodies: Sequence[BodyView],
    drawings: Sequence[DrawingView] = (),
    paths: Sequence[PathView] = (),
    soft: Sequence[SoftView] = (),
    marks: Sequence[MarkView] = (),
    arrows: Sequence[ArrowView] = (),
    trails: Sequence[TrailView] = (),
    energy: Mapping[str, ArrayLike] | None = None,
    failure: Failure | None = None,
    background: str = "auto",
    ground: float | None = None,
    length_unit: str = "m",
    energy_unit: str = "J",
    force_unit: str = "N",
    fps: float = FPS,
    max_frames: int = MAX_FRAMES,
    look: Look = USUAL,
    follow: Followed | None = None,
    frames: Sequence[MarkView] = (),
    contacts: ContactsView | None = None,
) -> str:
    """A self-contained page that plays the motion of `bodies`.

    times: (T,) increasing, s
    drawings: curves and surfaces to show beside the bodies
    paths: lines through points that move freely, such as muscles and springs
    soft: surfaces and nets that deform, such as cloth
    marks: pins, balls and rails that show joints; arrows: forces and torques; trails: lines that points leave behind
    failure: of a run that broke off, which the page says
    energy: curves (T,) by name; "total" is added to "kinetic" and "potential" if missing
    background: "auto" (as the browser prefers), "light", "dark", or a colour "#rrggbb"
    ground: height z of the ground; by default a little below the lowest point of the motion
    look: how it is shown: what it says of background and ground counts unless these are given here; follow: what its camera follows
    frames: axes of frames; contacts: where things touch
    fps, max_frames: at most so many samples per simulated second, and in all, are kept
    """
    t = _checked_times(times)
    _check_lengths(len(t), bodies, drawings, paths, soft)
    _check_marks(len(t), [*marks, *frames], arrows)
    keep = frame_indices(t, fps, max_frames)
    framing = motion_frame(t, bodies, drawings, paths, soft, arrows, keep, look.ground_height if ground is None else ground, frames)
    scene = {
        "title": title,
        "background": _checked_background(background) if background != "auto" else own_background(look),
        "look": {"ground": look.has_ground, "groundColour": look.ground_color, "isClear": look.is_clear, "theme": look.theme},
        "camera": camera_fields(camera_path(look, framing, t, follow), t[keep]),
        "units": {"length": length_unit, "energy": energy_unit, "force": force_unit},
        "framing": {**vars(framing), "hull": framing.hull.tolist()},
        "failure": None if failure is None else {"said": failure.short, "reason": failure.reason},
        "times": encode(t[keep], "<f8"),
        "energy": [{"name": k, "values": encode(v[keep], "<f4")} for k, v in _checked_energy(energy, len(t)).items()],
        **contents(bodies, drawings, paths, soft, marks if look.marks else (), arrows, t, keep, frames),
        "trails": [trail_entry(view, keep) for view in trails],
        "contacts": contacts_entry(contacts, keep),
    }
    return _page(title, scene)


def _page(title: str, scene: dict) -> str:
    player = files("redmax.view") / "player"
    parts = {
        "title": escape(one_line(title)),
        "style": (player / "style.css").read_text("utf-8"),
        "scene": _script_safe_json(scene),
        "script": "\n".join([sizes.for_script(), materials.for_script(), *((player / name).read_text("utf-8") for name in SCRIPTS)]),
    }
    template = (player / "page.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)  # one pass: data is never a template


def _script_safe_json(value: object) -> str:
    """JSON that cannot end or confuse the script element around it."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _checked_times(times: ArrayLike) -> NDArray[np.float64]:
    t = np.asarray(times, np.float64)
    if t.ndim != 1 or t.size == 0:
        raise RedmaxError(f"Got times of shape {t.shape}, expected (T,) with T > 0.")
    if not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise RedmaxError("Got times that are not finite and increasing; sort them and drop repeated ones.")
    return t


def _check_lengths(
    count: int, bodies: Sequence[BodyView], drawings: Sequence[DrawingView], paths: Sequence[PathView], soft: Sequence[SoftView]
) -> None:
    """Whether there is something to show, at each of `count` times."""
    if not bodies and not paths and not soft:
        raise RedmaxError("Got no bodies to show, expected at least one BodyView, PathView or SoftView.")
    for body in bodies:
        if len(body.poses) != count:
            raise RedmaxError(f"Body {body.name!r}: got {len(body.poses)} poses, expected one per time: {count}.")
    rows = [(f"Drawing {view.name!r}", "poses", view.poses) for view in drawings]
    rows += [(f"Path {view.name!r}", "rows of points", view.points) for view in paths]
    rows += [(f"Path {view.name!r}", "levels", view.level) for view in paths if view.level is not None]
    rows += [(f"Soft body {view.name!r}", "rows of vertices", view.vertices) for view in soft]
    for owner, what, values in rows:
        if len(values) not in (1, count):
            raise RedmaxError(f"{owner}: got {len(values)} {what}, expected one, or one per time: {count}.")


def _check_marks(count: int, marks: Sequence[MarkView], arrows: Sequence[ArrowView]) -> None:
    for mark in marks:
        if len(mark.poses) not in (1, count):
            raise RedmaxError(f"Mark of joint {mark.name!r}: got {len(mark.poses)} poses, expected one, or one per time: {count}.")
    for arrow in arrows:
        if not len(arrow.points) == len(arrow.vectors) == count:
            got = f"{len(arrow.points)} points and {len(arrow.vectors)} vectors"
            raise RedmaxError(f"Arrow {arrow.name!r}: got {got}, expected one of each per time: {count}.")


def _checked_energy(energy: Mapping[str, ArrayLike] | None, count: int) -> dict[str, NDArray[np.float64]]:
    curves = {name: np.asarray(values, np.float64) for name, values in (energy or {}).items()}
    for name, values in curves.items():
        if values.shape != (count,):
            raise RedmaxError(f"Energy {name!r}: got shape {values.shape}, expected one value per time: ({count},).")
    if {"kinetic", "potential"} <= curves.keys() and "total" not in curves:
        curves["total"] = curves["kinetic"] + curves["potential"]
    return curves


def _checked_background(background: str) -> str:
    if background not in ("auto", "light", "dark") and not HEX_COLOUR.fullmatch(background):
        raise RedmaxError(f"Got background {background!r}, expected 'auto', 'light', 'dark', or such as '#f4f1ea'.")
    return background
