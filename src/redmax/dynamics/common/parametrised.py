"""Dynamics of a model whose worlds differ: which of it becomes parameters, and the dynamics of some of its worlds."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from redmax.arguments import brief
from redmax.constraints.node_tie import NodeTie
from redmax.errors import SceneError
from redmax.model.model import Model

if TYPE_CHECKING:
    from redmax.dynamics.dynamics import Dynamics
    from redmax.dynamics.programs import Programs

AnyDynamics = TypeVar("AnyDynamics", bound="Programs")


def parametrised(model: Model, parameters: Mapping[str, Any] | None) -> Model:
    """The model with these as parameters, beside those that it has."""
    if parameters is not None and not isinstance(parameters, Mapping):
        got = f"Got {brief(parameters)}."
        raise SceneError(f'parameters is a dictionary, name -> values, such as {{"arm.mass": [1, 2]}}. {got}', owner="parameters")
    known = [p.name for p in model.parameters]
    found = model.with_parameters([*known, *[name for name in parameters or () if name not in known]])
    if found.parameters:
        refuse(found)
    return found


def refuse(model: Model) -> None:
    """Raise where parameters do not reach all that runs."""
    twisted = {twist.body for twist in model.twists}
    carriers = {link.parent for link in model.nodes} | {b.index for c in model.constraints if isinstance(c, NodeTie) for b in c.bodies}
    for p in model.parameters:
        if p.moves_body and p.place in carriers:
            why = "that carries nodes of a deformable, whose places are given from there"
            raise SceneError(f"The parameter {p.name!r} moves the frame of a body {why}.", owner="parameters", argument=p.name)
        if p.moves_body and p.place in twisted:
            raise SceneError(f"The parameter {p.name!r} moves the frame of a body whose twist is prescribed there.", owner="parameters")


def check_frames(model: Model, what: str) -> None:
    """Raise where body frames differ from world to world: what is asked for knows them as constants."""
    moved = [p.name for p in model.parameters if p.moves_body]
    if moved:
        raise SceneError(f"{what} is at the body frames, which {moved[0]!r} moves: it cannot be had with that as a parameter yet.")


def with_rows(dynamics: AnyDynamics, columns: np.ndarray) -> AnyDynamics:
    """The same dynamics with other values of the parameters, (columns,) or (worlds, columns)."""
    other = copy.copy(dynamics)
    set_rows(other, columns)
    return other


def set_rows(dynamics: Programs, columns: np.ndarray) -> None:
    """Give dynamics other values of its parameters."""
    dynamics.parameters = columns
    for solver in ("held", "double", "without_springs"):  # which solve with those of the dynamics that they are of
        vars(dynamics).pop(solver, None)


def in_doubles(dynamics: AnyDynamics, doubles: AnyDynamics) -> AnyDynamics:
    """The same dynamics in doubles, with the parameters that the first has."""
    return doubles if dynamics.parameters is None else with_rows(doubles, dynamics.parameters.astype(float))


def of_worlds(dynamics: Dynamics, batch: tuple[int, ...], at: Any) -> Dynamics:
    """The dynamics of some worlds; at: an index of arrays with the axes of the batch."""
    if dynamics.parameters is None:
        return dynamics
    shapes = {p.name: p.shape for p in dynamics.model.parameters}
    columns = dynamics.parameters.shape[-1]
    other = with_rows(dynamics, np.ascontiguousarray(np.broadcast_to(dynamics.parameters, (*batch, columns))[at]))
    other.given = {name: np.broadcast_to(np.asarray(x, float), (*batch, *shapes[name]))[at] for name, x in dynamics.given.items()}
    return other
