"""What a quantity of a Trajectory is: how it is called, computed, stored, exported and plotted. The table of them is run/quantities.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from redmax.components.handles import FrameHandle
from redmax.dynamics.common.joint_torques import driven_rates
from redmax.dynamics.common.path_states import muscles_of, paths_of
from redmax.model.model import Model
from redmax.run.coordinate_units import coordinate_units, units_of_rates

XYZ = ("x", "y", "z")
TWIST = tuple(f"{part}.{axis}" for part in ("omega", "v") for axis in XYZ)
WRENCH = tuple(f"{part}.{axis}" for part in ("torque", "force") for axis in XYZ)
SIZES: dict[str, Callable[[Model, int], int]] = {  # of axes, by their names; the number is that of the deformable
    "coordinate": lambda model, _: model.nq,
    "rate": lambda model, _: model.nv,
    "choice": lambda model, _: len(model.configurations.charts),
    "link": lambda model, _: len(model.links),
    "body": lambda model, _: len(body_links(model)),
    "joint": lambda model, _: len(body_links(model)),  # those that carry these bodies
    "driven rate": lambda model, _: len(driven_rates(model)),  # of each source of torques, those of its joint
    "frame": lambda model, _: len(frames_of(model)),
    "path": lambda model, _: len(paths_of(model)),
    "muscle": lambda model, _: len(muscles_of(model)),
    "constraint": lambda model, _: len(model.constraints),
    "constraint row": lambda model, _: model.row_count,
    "constraint place": lambda model, _: sum(len(c.anchors) for c in model.constraints),
    "touching body": lambda model, _: sum(link.contact is not None for link in model.bodies) * model.touches,
    "residual; convex problems; Newton steps": lambda *_: 3,
    "rubbing joint": lambda model, _: len(model.rubbings),
    "normal": lambda model, _: sum(r.normals for r in model.rubbings),
    "node": lambda model, number: len(model.soft[number].shape.nodes),
    "touching pair": lambda model, _: len(model.contact_pairs) * model.touches,
    "impulse; time": lambda *_: 4,
    "xyz": lambda *_: 3,
    "row": lambda *_: 3,
    "column": lambda *_: 3,
    "wxyz": lambda *_: 4,
    "angular; linear": lambda *_: 6,
    "torque; force": lambda *_: 6,
}


def frames_of(model: Model) -> list[FrameHandle]:
    """Those that the scene names."""
    return [] if model.scene is None else model.scene.frames


class Heading(NamedTuple):
    """Of a column of a table. link: the number of the joint (and body) it is of, None if of all; label: without the name of that."""

    link: int | None
    label: str
    name: str
    unit: str


@dataclass(frozen=True)
class Plot:
    """name: for `what=`; symbol: as a formula; way: a panel for each joint, unless view/plots.py has a way of its own for it."""

    name: str
    about: str
    symbol: str = ""
    way: str = "panels"


@dataclass(frozen=True)
class Quantity:
    """A row. name: for run.quantity and, if `array`, in run.to_numpy(). All have the axes of a batch between time and their own.

    about: what it is; axes: its own, by the names in SIZES; values: of a run, (time, ..., *axes)
    unit: with the scene's units for {L}, {M}, {E}, {F}, {T}, {P}; several of them, as in "rad/s; {L}/s", share the columns equally
    kind: "state" that every run holds, "given" with some runs, or "derived" from the states
    dataset: its name in result files, "" if it is in none; store: with which word of `store=`, "" for always; dtype: if not that of the run
    table: with which word of `what=` it is in tables, "" for none; labels: of its columns there, behind the name of the body or joint
    columns: of a model, those that tables show, each with its number among all: where bodies, joints and labels do not say it
    optional: whether result files have it only where `store=` asks for it; where: whether a run has any of it to store, if not all have
    each: "deformable" if there is one of each, with its number for {k} and its name for {of}; number: which one this is
    """

    name: str
    about: str
    axes: tuple[str, ...]
    unit: str
    values: Callable[..., Any]
    kind: str = "derived"
    dataset: str = ""
    store: str = ""
    dtype: str = ""
    array: bool = True
    table: str = ""
    labels: tuple[str, ...] = ()
    columns: Callable[[Model], Sequence[tuple[int, Heading]]] | None = None
    optional: bool = False
    where: Callable[[Any], bool] | None = None
    plot: Plot | None = None
    each: str = ""
    number: int = 0

    @property
    def by_body(self) -> bool:
        """Whether its first axis is that of the bodies, or of the joints that carry them."""
        return self.axes[:1] in (("body",), ("joint",))

    @property
    def by_coordinate(self) -> bool:
        return self.axes in (("coordinate",), ("rate",))

    @property
    def by_joint(self) -> bool:
        """Whether each joint has its own."""
        return self.by_body or self.by_coordinate

    def shape(self, model: Model) -> tuple[int, ...]:
        """Of its own axes."""
        return tuple(SIZES[axis](model, self.number) for axis in self.axes)

    def unit_of(self, model: Model) -> str:
        return in_units(self.unit, model)

    def coordinate_names(self, model: Model) -> list[str]:
        """ "elbow.q0", ..., where it has a value for each coordinate or rate."""
        return [f"{model.joint_names[i]}.{self.name}{k}" for i, k in places(model, self)]

    def owners(self, model: Model) -> tuple[str, ...]:
        """The names of bodies where each body has its own, otherwise of the joints: in tables, plots and files alike."""
        return model.body_names if self.axes[:1] == ("body",) else model.joint_names

    def headings(self, model: Model) -> list[Heading]:
        """Of its columns: its own axes, one after the other."""
        if self.columns is not None:
            return [heading for _, heading in self.columns(model)]
        if self.by_coordinate:
            units, names = coordinate_units(model) if self.axes == ("coordinate",) else units_of_rates(model), self.coordinate_names(model)
            found = zip(places(model, self), names, units, strict=True)
            return [Heading(i, f"{self.name}{k}", name, self.unit.format(unit=unit)) for (i, k), name, unit in found]
        units = self.unit_of(model).split("; ")
        labels = [(label, units[k * len(units) // len(self.labels)]) for k, label in enumerate(self.labels)]
        if self.by_body:
            names = self.owners(model)
            return [Heading(i, label, f"{names[i]}.{label}", unit) for i in body_links(model) for label, unit in labels]
        return [Heading(None, label, label, unit) for label, unit in labels]

    def in_tables(self, model: Model, values: Any) -> Any:
        """Those of its values, (..., columns), that tables show."""
        return values if self.columns is None else values[..., [k for k, _ in self.columns(model)]]


def in_units(text: str, model: Model) -> str:
    """A unit with those of the scene for its letters."""
    units = model.units
    return text.format(L=units.length, M=units.mass, E=units.energy, F=units.force, T=units.torque, P=units.power)


def places(model: Model, row: Quantity) -> Iterator[tuple[int, int]]:
    """(link, number in its joint) of each coordinate, or rate."""
    for i, link in enumerate(model.links):
        yield from ((i, k) for k in range(link.joint.nq if row.axes == ("coordinate",) else link.joint.dof))


def body_links(model: Model) -> list[int]:
    """The numbers of the links that are bodies, not nodes or hidden states."""
    return list(range(len(model.bodies)))
