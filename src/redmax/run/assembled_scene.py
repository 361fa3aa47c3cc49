"""`Scene.assemble`: the scene's own coordinates and rates put on its constraints, and a report of what that took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from redmax.arguments import as_names, brief
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SceneError
from redmax.model.mechanism_size import mechanism_size
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.run.assembly import assembler_of, free_of
from redmax.run.gap_words import gap_words
from redmax.run.row_notes import MANY, row_notes
from redmax.run.start import initial_state

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


@dataclass(frozen=True)
class Assembly:
    """What `Scene.assemble` found.

    gaps: of each constraint, by its name, |g| before (m, or rad); moved: by how much each joint's coordinates changed
    mobility: how many ways to move the constraints leave; notes: sentences on rows that repeat others
    said: the gaps in words, with units
    """

    gaps: Mapping[str, float]
    moved: Mapping[str, np.ndarray]
    mobility: int
    notes: tuple[str, ...]
    said: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        """A line for each."""
        closed = [f"  {name}: off by {self.said.get(name, f'{gap:.3g}')} before" for name, gap in self.gaps.items()]
        changed = [f"  {name}: moved by {', '.join(f'{x:.4g}' for x in dq)}" for name, dq in self.moved.items() if np.abs(dq).max() > 1e-9]
        held, moved = closed or ["  none"], changed or ["  none moved"]
        return "\n".join([ways_left(self.mobility), "Constraints:", *held, "Joints:", *moved, *self.notes])


def assemble(scene: Scene, fixed: Iterable[str]) -> Assembly:
    """Change q and qdot of the scene's bodies so that all constraints are met. fixed: joints that stay where they are."""
    model = scene.model()
    held = checked_names(model, fixed)
    if not model.constraints and model.map is None and not model.soft:
        free = sum(link.joint.dof for link, given in zip(model.links, model.prescribed, strict=True) if not given)
        return Assembly({}, {link.joint_name: np.zeros(link.joint.nq) for link in model.bodies}, free, ())
    one = assembler_of(model, Dynamics(model))
    start = initial_state(model)
    q, qdot = one.own_state(model.configurations.join(start.q), start.qdot)
    free = free_of(model, one.movable, held)
    before = one.at(q, qdot, 0.0)
    found = one.closed(q, 0.0, free)
    rates = one.kept_rates(found, qdot, 0.0, free)
    after = one.at(found, rates, 0.0)
    old, new = (model.configurations.split(one.of_joints(x, rates)[0])[0] for x in (q, found))
    if scene.map is not None:
        scene.map = replace(scene.map, q=found, qdot=rates)
    else:
        put(scene, model, new, rates)
    if model.soft:
        from redmax.run.assembled_nodes import put_nodes

        put_nodes(scene, model, one.engine, found, rates)
    notes = row_notes(model, after.G[0], after.size[0], one.unit, one.movable)
    off = np.where(one.one_sided, np.minimum(before.gap[0], 0), before.gap[0])
    gaps = {str(c.name): one.gap_of(n, off) for n, c in enumerate(model.constraints)}
    said = {str(c.name): gap_words(model, n, off[one.values.owner == n]) for n, c in enumerate(model.constraints)}
    changes = new - old
    moved = {link.joint_name: changes[slice(*model.q_offsets[i : i + 2])] for i, link in enumerate(model.bodies)}
    return Assembly(gaps, moved, notes.mobility, tuple(notes.sentences(model)), said)


def put(scene: Scene, model: Model, q: np.ndarray, qdot: np.ndarray) -> None:
    """Let the scene's bodies begin there; prescribed joints begin on their motion."""
    for i, link in enumerate(scene.links):
        if link.motion is None:
            part, own = slice(*model.q_offsets[i : i + 2]), slice(*model.offsets[i : i + 2])
            scene.links[i] = replace(link, q=q[part].copy(), qdot=qdot[own].copy())


def checked_names(model: Model, fixed: Iterable[str]) -> list[str]:
    """Names of joints or bodies, each of which is there."""
    names = as_names(fixed) if not isinstance(fixed, str) else None
    if names is None:
        valid = "a list of names of joints or bodies, such as ['crank']"
        raise SceneError(f"fixed must be {valid}. Got {brief(fixed)}.", owner="assemble", argument="fixed", expected=valid)
    for name in names:
        model.index(name)
    if names and model.map is not None:
        said = "The coordinates of the joints follow from the scene's map, so that none can be fixed by itself. Leave out fixed."
        raise SceneError(said, owner="assemble", argument="fixed")
    return list(names)


def run_notes(run: Trajectory) -> tuple[str, ...]:
    """What is to be known of the rows where a run begins; of a batch, of its first world."""
    own = tuple(np.asarray(values, float).reshape(-1, values.shape[-1])[:1] for values in run.engine.own.values())
    one = assembler_of(run.model, run.engine, own)
    q = np.asarray(run.configurations[0], float).reshape(-1, run.model.configurations.size)[0]
    rest = np.zeros(run.model.nv)
    rows = one.at(*one.own_state(q, rest), float(run.t[0]))
    found = row_notes(run.model, rows.G[0], rows.size[0], one.unit, one.movable)
    return ways_left(found.mobility), *found.sentences(run.model)


def ways_left(mobility: int) -> str:
    """How many ways to move there are, as a sentence."""
    return f"{mobility} way{'s' * (mobility != 1)} to move {'are' if mobility != 1 else 'is'} left."


def reported(scene: Scene) -> list[str]:
    """For `redmax check`: gaps where the scene begins, what is left to move, and rows that repeat others. Raises where a gap stays open."""
    model = scene.model()
    before = scene.copy()
    found = before.assemble()
    size = mechanism_size(model)
    said = {c.label: found.said[str(c.name)] for c in model.constraints}
    open_ones = [(c, found.gaps[str(c.name)]) for c in model.constraints if found.gaps[str(c.name)] > 1e-9 * size]
    first = {c.label: gap for c, gap in open_ones if c.automatic and not c.compliant}
    pulled = {c.label: gap for c, gap in open_ones if c.label not in first}
    notes = [note.rstrip(".") for note in (ways_left(found.mobility), *found.notes)]
    by_themselves = "a gain or compliance of its own takes {} back"
    return [*off_lines(first, said, "a run assembles {} first"), *off_lines(pulled, said, by_themselves), *notes]


def off_lines(off: Mapping[str, float], said: Mapping[str, str], what: str) -> list[str]:
    """What is said of constraints that are open where a scene begins, by their gaps: of each, or of many that of the worst.

    said: the gaps in words
    """
    if len(off) <= MANY:
        return [f"{label} is off by {said[label]} where the scene begins; {what.format('it')}" for label in off]
    worst = max(off, key=lambda label: off[label])
    begin = f"{len(off)} constraints are off where the scene begins, most {worst}, by {said[worst]}"
    return [f"{begin}; {what.format('them')}"]
