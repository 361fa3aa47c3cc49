"""Where joints are in the coordinates and rates of a model, by their names."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, as_whole, brief
from redmax.errors import SceneError, unknown

if TYPE_CHECKING:
    from redmax.model.model import Model


class ModelPlaces:
    """What a Model knows of the places of its joints."""

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of each body, and of each joint where no body has its name; of several, of the first."""
        model = as_model(self)
        return {name: i for names in (model.joint_names, model.body_names) for i, name in reversed(list(enumerate(names)))}

    def index(self, name: str) -> int:
        """The number of a body or joint."""
        if isinstance(name, str) and name in self.places:
            return self.places[name]
        model = as_model(self)
        raise SceneError(unknown("body or joint", name, list(dict.fromkeys([*model.body_names, *model.joint_names]))))

    def q_slice(self, name: str) -> slice:
        """Where the coordinates of a joint (named by itself or its body) lie in q."""
        i, offsets = self.index(name), as_model(self).q_offsets
        return slice(int(offsets[i]), int(offsets[i + 1]))

    def v_slice(self, name: str) -> slice:
        """Where the velocities of a joint lie in qdot."""
        i, offsets = self.index(name), as_model(self).offsets
        return slice(int(offsets[i]), int(offsets[i + 1]))

    def moved(self, q: ArrayLike, step: ArrayLike) -> np.ndarray:
        """(..., nq): coordinates q (..., nq) a step (..., nv) further: q + step, along the groups of joints that are on one."""
        model = as_model(self)
        found, way = (shaped(x, n, name) for x, n, name in ((q, model.nq, "q"), (step, model.nv, "step")))
        lead, parts = np.broadcast_shapes(found.shape[:-1], way.shape[:-1]), [np.zeros((0,))]
        for i, link in enumerate(model.links):
            own, turn = found[..., slice(*model.q_offsets[i : i + 2])], way[..., slice(*model.offsets[i : i + 2])]
            parts.append(own + turn if link.joint.nq == link.joint.dof else link.joint.moved(own, turn))
        return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)

    def joint_of(self, coordinate: int) -> str:
        """The joint that owns a velocity, by its number: and with it a coordinate, where there are as many."""
        model = as_model(self)
        if as_whole(coordinate) is None or coordinate >= model.nv:
            raise SceneError(f"joint_of takes the number of a coordinate, from 0 to {model.nv - 1}. Got {brief(coordinate)}.")
        return model.joint_names[int(np.searchsorted(model.offsets, coordinate, "right")) - 1]


def shaped(value: ArrayLike, n: int, name: str) -> np.ndarray:
    """(..., n) numbers."""
    found = as_numbers(value, name, "float64")
    if found.shape[-1:] != (n,):
        raise SceneError(f"moved: {name} must have shape (..., {n}). Got {found.shape}.", owner="Model.moved", argument=name)
    return found


def as_model(places: ModelPlaces) -> Model:
    """Itself: only a Model has these."""
    return cast("Model", places)
