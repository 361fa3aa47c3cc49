"""What a scene or its model is, on a line: what Python shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from redmax.text import one_line

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.scene import Scene

NAMES = 4  # of bodies that are shown
LONGEST = 40  # letters of a title or a name


def scene_in_brief(scene: Scene) -> str:
    """Scene('Windmill': 3 bodies (tower, rotor, vane), 1 force, gravity (0, 0, -9.81), m kg s)"""
    names = [cut(link.name) for link in scene.links]
    bodies = f" ({', '.join(names[:NAMES])}{', ...' * (len(names) > NAMES)})" if names else ""
    counted = [counts("bodies", scene.links) + bodies, counts("forces", scene.forces), counts("wrenches", scene.wrenches)]
    counted += [counts("deformables", scene.deformables), counts("constraints", scene.constraints)]
    counted += [counts("prescribed twists", scene.twists), counts("obstacles", scene.obstacles)]
    return in_brief("Scene", scene.title, [*counted, "a map of coordinates" * (scene.map is not None)], scene.gravity, scene.units)


class ModelInBrief:
    """How a Model shows itself."""

    def __repr__(self) -> str:
        from redmax.model.model import Model

        assert isinstance(self, Model)
        return model_in_brief(self)


def model_in_brief(model: Model) -> str:
    """Model('Windmill': 3 bodies, 4 coordinates, 4 velocities, 1 force, gravity (0, 0, -9.81), m kg s)"""
    forces, soft = (*model.forces, *model.joint_forces), model.soft
    counted = [counts("bodies", model.bodies), f"{model.nq} coordinates", f"{model.nv} velocities", counts("forces", forces)]
    counted += [counts("deformables", soft), counts("constraints", model.constraints)]
    return in_brief("Model", model.title, counted, model.gravity, model.unit_names)


def in_brief(kind: str, title: str, counted: Sequence[str], gravity: Any, units: str) -> str:
    name = f"{cut(title)!r}: " if title else ""
    g = ", ".join(f"{float(x):g}" for x in gravity)
    return f"{kind}({name}{', '.join(filter(None, counted))}, gravity ({g}), {units})"


def counts(what: str, things: Sequence[Any]) -> str:
    """How many there are, where there are any; bodies are counted in any case."""
    n = len(things)
    singular = {"bodies": "body", "wrenches": "wrench"}.get(what, what.removesuffix("s"))
    return f"{n} {singular if n == 1 else what}" if n or what == "bodies" else ""


def cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
