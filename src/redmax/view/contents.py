"""What moves in a page, packed: bodies and drawings that refer to meshes and pose tracks, each stored once, and what deforms."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import Look
from redmax.view.arrow_view import ArrowView
from redmax.view.body_view import BodyView
from redmax.view.camera_path import CameraPath
from redmax.view.contact_view import ContactsView
from redmax.view.drawing_view import DrawingView
from redmax.view.mark_view import MarkView
from redmax.view.modes import modes
from redmax.view.moving import moving, path_motion
from redmax.view.packing import corners, encode, pose_rows
from redmax.view.palette import default_colours
from redmax.view.path_view import PathView
from redmax.view.soft_view import SoftView
from redmax.view.trail_view import TrailView


class Stored(dict):
    """Numbers for texts, in order of their first use."""

    def number(self, text: object) -> int:
        return self.setdefault(text, len(self))


def contents(
    bodies: Sequence[BodyView],
    drawings: Sequence[DrawingView],
    paths: Sequence[PathView],
    soft: Sequence[SoftView],
    marks: Sequence[MarkView],
    arrows: Sequence[ArrowView],
    times: NDArray[np.float64],
    keep: NDArray[np.int64],
    frames: Sequence[MarkView] = (),
) -> dict[str, list]:
    """The lists of the scene: `keep` are the indices into `times` that the page shows."""
    tracks, meshes = Stored(), Stored()
    colours = iter(default_colours(len(bodies) + sum(len(view.faces) > 0 for view in soft)))
    body_entries = [
        {
            "name": body.name,
            "colour": body.colour or colour,
            "mesh": meshes.number((encode(body.vertices, "<f4"), corners(body.faces))),
            "track": tracks.number(track(body.poses, keep)),
            "joint": body.joint,
            "kind": body.joint_kind,
            **surface_fields(body),
            **({} if body.twists is None else {"twists": rows(body.twists, keep)}),
            **coordinates(body, keep),
        }
        for body, colour in zip(bodies, colours, strict=False)
    ]
    drawing_entries = [
        {"name": view.name, "track": tracks.number(track(view.poses, keep)), **shape(view, times[keep])} for view in drawings
    ]
    return {
        "bodies": body_entries,
        "drawings": drawing_entries,
        "paths": [{"name": view.name, "radius": view.radius, **path_look(view), **path_motion(view, keep)} for view in paths],
        "soft": [soft_entry(view, next(colours) if len(view.faces) else None, keep) for view in soft],
        "marks": [mark_entry(view, meshes, tracks, keep) for view in marks],
        "frames": [mark_entry(view, meshes, tracks, keep) for view in frames],
        "arrows": [
            {"name": view.name, "kind": view.kind, "feet": rows(view.points, keep), "vectors": rows(view.vectors, keep)} for view in arrows
        ],
        "meshes": [{"vertices": v, "faces": f} for v, f in meshes],
        "tracks": [{"poses": poses} for poses in tracks],
    }


def coordinates(body: BodyView, keep: NDArray[np.int64]) -> dict[str, object]:
    """Those of its joint, and their rates."""
    own = body.coordinates
    if own is None or not own.q.shape[1] + own.qdot.shape[1]:
        return {}
    return {"q": rows(own.q, keep), "qdot": rows(own.qdot, keep), "units": list(own.units), "rateUnits": list(own.rate_units)}


def track(poses: NDArray[np.float64], keep: NDArray[np.int64]) -> str:
    """The poses that are shown; only one of something that never moves."""
    return rows(pose_rows(poses[keep] if len(poses) > 1 else poses))


def rows(values: NDArray[np.float64], keep: NDArray[np.int64] | None = None) -> str:
    """Rows of numbers, those of `keep`; only one where all are the same."""
    kept = (values if keep is None else values[keep]).astype("<f4")
    return encode(kept[:1] if (kept == kept[0]).all() else kept, "<f4")


def mark_entry(view: MarkView, meshes: Stored, tracks: Stored, keep: NDArray[np.int64]) -> dict[str, object]:
    """The mark of a joint: where it sits on what carries it is apart from its mesh and its track, which several may share."""
    mesh = meshes.number((encode(view.vertices, "<f4"), corners(view.faces)))
    place = [round(x, 9) for x in pose_rows(view.place[None])[0].tolist()]
    return {
        "name": view.name,
        "kind": view.kind,
        "body": view.body,
        "mesh": mesh,
        "place": place,
        "track": tracks.number(track(view.poses, keep)),
        **({} if view.colour is None else {"colour": view.colour}),
    }


def shape(view: DrawingView, times: NDArray[np.float64]) -> dict[str, object]:
    """Points of a drawing, and how they change."""
    first = view.at(times[:1])[0]
    if not view.moves:
        return {"shape": first.shape[:-1], "points": encode(first, "<f4")}
    mean, weights, basis = modes(view.at, times)
    return {"shape": first.shape[:-1], "points": encode(mean, "<f4"), "weights": encode(weights, "<f4"), "modes": encode(basis, "<f4")}


def soft_entry(view: SoftView, colour: str | None, keep: NDArray[np.int64]) -> dict[str, object]:
    """A surface, or a net of lines where there are no faces, and its motion."""
    parts = {"faces": corners(view.faces)} if len(view.faces) else {"lines": encode(view.lines, "<u4"), "radius": view.radius}
    vertices = view.vertices[keep] if len(view.vertices) > 1 else view.vertices
    return {"name": view.name, "colour": view.colour or colour, **surface_fields(view), **parts, **moving(vertices)}


def surface_fields(view: BodyView | SoftView) -> dict[str, object]:
    """Opacity and material, where they are not as usual."""
    usual = {"opacity": 1.0, "material": "plastic"}
    return {name: value for name in usual if (value := getattr(view, name)) != usual[name]}


def path_look(view: PathView) -> dict[str, object]:
    """Colour and beads, where they are not as usual."""
    return {**({} if view.colour is None else {"colour": view.colour}), **({"smooth": True} if view.smooth else {})}


def trail_entry(view: TrailView, keep: NDArray[np.int64]) -> dict[str, object]:
    """A line that a point leaves behind, at the samples `keep`."""
    seconds = {} if view.seconds is None else {"seconds": view.seconds}
    return {"name": view.name, "colour": view.colour, "points": rows(view.points, keep), **seconds}


def camera_fields(path: CameraPath, times: NDArray[np.float64]) -> dict[str, object]:
    """Where the camera is at first, and by how much it has moved at times (T,): nothing of one that stays."""
    moves = np.array([path.moves(float(t)) for t in times]) if path.moving else np.zeros((0, 6))
    return {
        "hull": path.framing.hull.tolist(),
        "azimuth": path.framing.azimuth,
        "elevation": path.framing.elevation,
        "zoom": path.zoom,
        "target": None if path.target is None else path.target.tolist(),
        "distance": path.distance,
        "moves": encode(moves, "<f4"),
    }


def own_background(look: Look) -> str:
    """What the page is told: the colour of the background, or the theme, or to go by what the browser prefers."""
    return str(look.background) if look.background is not None and not look.is_clear else look.theme or "auto"


def contacts_entry(view: ContactsView | None, keep: NDArray[np.int64]) -> dict[str, object] | None:
    """Points of contact of the samples that the page shows."""
    if view is None:
        return None
    own = view.kept(keep)
    numbers = {"points": own.points, "pushes": own.pushes, "friction": own.friction}
    packed = {name: encode(values, "<f4") for name, values in numbers.items()}
    packed |= {"begins": encode(own.begin, "<u4"), "states": encode(own.states, "u1")}
    return {**packed, "strongest": own.strongest, "cones": own.cones}
