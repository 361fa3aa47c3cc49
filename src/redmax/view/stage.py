"""Everything of a run that there is to see, ready for any way of looking at it: a page, a live viewer, a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.model.links import Link
from redmax.model.look import USUAL, Look
from redmax.run.coordinate_units import units_of_directions, units_of_joint
from redmax.units import Units
from redmax.view.applied import applied_arrows
from redmax.view.arrow_view import ArrowView
from redmax.view.body_view import BodyView, CoordinatesView
from redmax.view.constraint_drawings import constraint_drawings
from redmax.view.constraint_view import constraint_marks, constraint_paths, reaction_arrows
from redmax.view.contact_view import ContactsView, contacts_view
from redmax.view.drawing_view import DrawingView
from redmax.view.followed import Followed, followed
from redmax.view.frame_triads import frame_triads
from redmax.view.joint_marks import joint_marks
from redmax.view.joint_view import joint_views
from redmax.view.looks import body_colours, look_of, trail_views
from redmax.view.mark_view import MarkView
from redmax.view.obstacle_view import contact_arrows, obstacle_views
from redmax.view.path_view import PathView
from redmax.view.sampling import LOOKS, frame_indices
from redmax.view.soft_view import SoftView
from redmax.view.trail_view import TrailView

if TYPE_CHECKING:
    from redmax.forces.base import Force
    from redmax.run.failures import Failure
    from redmax.run.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Stage:
    """What is seen of one world, at times (T,) s.

    bodies: those with a shape; drawings: curves and surfaces of joints and constraints; paths: muscles, springs, ropes; soft: what deforms
    marks: the pins, balls and rails of joints, and closures; arrows: applied forces and torques, and reactions
    energy: curves (T,) by name; failure: of a run that broke off
    trails: lines that points leave behind; look: how all of it is shown; follow: what its camera follows
    frames: the axes of frames; contacts: where things touch, if that is shown
    """

    title: str
    times: NDArray[np.float64]
    bodies: Sequence[BodyView]
    drawings: Sequence[DrawingView]
    paths: Sequence[PathView]
    soft: Sequence[SoftView]
    energy: Mapping[str, NDArray[np.float64]]
    units: Units
    marks: Sequence[MarkView] = ()
    arrows: Sequence[ArrowView] = ()
    failure: Failure | None = None
    trails: Sequence[TrailView] = ()
    look: Look = USUAL
    follow: Followed | None = None
    frames: Sequence[MarkView] = ()
    contacts: ContactsView | None = None

    @property
    def page(self) -> dict[str, Any]:
        """The arguments of `page_text`."""
        shown = (
            "title",
            "times",
            "bodies",
            "drawings",
            "paths",
            "soft",
            "marks",
            "arrows",
            "trails",
            "energy",
            "failure",
            "look",
            "follow",
            "frames",
            "contacts",
        )
        contents = {name: getattr(self, name) for name in shown}
        return {**contents, "length_unit": self.units.length, "energy_unit": self.units.energy, "force_unit": self.units.force}


def stage_of(run: Trajectory, look: Look | None = None) -> Stage:
    """The stage of a run of one world. look: how it is shown; as its scene says unless given."""
    model, poses, twists = run.model, run.observed.pose, run.observed.twist
    look = look_of(model) if look is None else look
    links, colours = list(model.bodies), body_colours(model, look)
    marks, planes = joint_marks(links, poses)
    return Stage(
        title=model.title or "redmax",
        times=run.t,
        bodies=[
            *[v for i in range(len(links)) if (v := body_view(run, i, poses[:, i], twists[:, i], look, colours[i])) is not None],
            *obstacle_views(model, look, poses),
        ],
        drawings=[*joint_views(links, poses, run.t), *planes, *constraint_drawings(model, poses, run.t)],
        paths=[
            *[path_view(run, force, look) for force in model.forces if len(force.anchors) > 1],
            *constraint_paths(model, look, poses),
        ],
        soft=[soft_view(run, s, look, colour) for s, colour in zip(model.soft, colours[len(links) :], strict=True)],
        marks=[*marks, *constraint_marks(model, look, poses)] if look.marks else [],
        arrows=[*applied_arrows(model, poses, run.t), *reaction_arrows(run, look), *contact_arrows(run, look)],
        energy={"kinetic": run.energy.kinetic, "potential": run.energy.potential},
        units=model.units,
        failure=run.failure,
        trails=trail_views(model, look, poses, colours),
        look=look,
        follow=followed(model, look, poses, run.t),
        frames=frame_triads(model, look, poses),
        contacts=contacts_view(run, look),
    )


def page_of(run: Trajectory, **look: Any) -> dict[str, Any]:
    """The arguments of `write_html` for what is good of a run: only the samples that a page shows are read, since it may be longer than
    memory."""
    run = run.good
    keep = frame_indices(np.asarray(run.t))
    whole = len(keep) == len(run) or run.model.map is not None  # mapped coordinates are found from one sample to the next
    return stage_of(run if whole else run.part((keep,)), look_of(run.model, look)).page


def stage_at(run: Trajectory, times: ArrayLike, look: Look | None = None) -> Stage:
    """The stage of what is good of a run at these moments (s): only the samples around them are read, and some that show where
    everything goes."""
    run = run.good
    t = np.asarray(run.t)
    look = look_of(run.model) if look is None else look
    after = np.clip(np.searchsorted(t, times, side="right"), 1, len(t) - 1) if len(t) > 1 else np.zeros(0, int)
    some = frame_indices(t) if look.trails else frame_indices(t, np.inf, LOOKS)  # a trail is as smooth as in a page
    keep = np.unique(np.concatenate([some, after - 1, after]))
    whole = len(keep) == len(run) or run.model.map is not None
    return stage_of(run if whole else run.part((keep,)), look)


def body_view(run: Trajectory, i: int, poses: NDArray[np.float64], twists: NDArray[np.float64], look: Look, colour: str) -> BodyView | None:
    """A body that has a surface, by its number; None of others. colour: its own, or that of the palette."""
    link = run.model.links[i]
    vertices, faces = link.shape.mesh()
    if not len(vertices):
        return None
    seen = look.appearance(link.name, link.appearance)
    joint = {"joint": link.joint_name, "joint_kind": type(link.joint).__name__, "coordinates": coordinates_view(run, link)}
    return BodyView(link.name, vertices, faces, poses, colour, twists, **joint, opacity=seen.opacity, material=seen.material)


def coordinates_view(run: Trajectory, link: Link) -> CoordinatesView:
    """What the joint of a link did."""
    model = run.model
    units = list(units_of_joint(link, model.units.length))
    rates = [rate_unit(unit) for unit in units_of_directions(link, model.units.length)]
    q, qdot = (np.asarray(x, float) for x in (run.q, run.qdot))
    return CoordinatesView(q[:, model.q_slice(link.name)], qdot[:, model.v_slice(link.name)], units, rates)


def rate_unit(unit: str) -> str:
    return "1/s" if unit == "1" else f"{unit}/s"


def soft_view(run: Trajectory, soft: Any, look: Look, colour: str) -> SoftView:
    """A deformable: its surface, or the net of its lines, which is grey unless somebody said otherwise."""
    seen, shape = look.appearance(soft.name, soft.shape.appearance), soft.shape
    own = colour if len(shape.surface) else seen.hex
    more = {"colour": own, "opacity": seen.opacity, "material": seen.material}
    return SoftView(soft.name, run.nodes(soft.name), faces=shape.surface, lines=shape.lines, **more)


def path_view(run: Trajectory, force: Force, look: Look) -> PathView:
    """A force as a line through the points it holds on to, coloured by activation if it is a muscle."""
    history = run.force(str(force.name))
    return PathView(str(force.name), history.points, level=history.activation, colour=look.appearance(str(force.name)).hex)
