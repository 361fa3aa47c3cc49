"""An entry of the catalogue: how to build a scene, and how to run it unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from redmax.model.scene import Scene

CGS = "cm g s"


@dataclass(frozen=True)
class Entry:
    """name: short, for the command line; title: for people; reference: "redmax:14" for a published scene, else ""

    features: what the scene shows; conservative: whether nothing adds or takes energy, so that its total stays
    duration, dt: s; integrator, dynamics: what a run uses by default; units: of length, mass and time; build: makes the scene
    """

    name: str
    title: str
    build: Callable[[], Scene]
    features: tuple[str, ...]
    duration: float
    dt: float = 0.01
    reference: str = ""
    integrator: str = "adaptive"
    dynamics: str = "recursive"
    conservative: bool = True
    units: str = "m kg s"

    def scene(self) -> Scene:
        """The scene, with the entry's title and units."""
        scene = self.build()
        scene.title, scene.units = scene.title or self.title, self.units
        return scene

    def facts(self) -> dict[str, Any]:
        """All but how to build it, of types that JSON knows."""
        return {name: value for name, value in asdict(self).items() if name != "build"}


def redmax(number: int, name: str, title: str, build: Callable[[], Scene], features: tuple[str, ...], **options: Any) -> Entry:
    """A scene of the published RedMax code, in cm, g and s: linearly implicit Euler over 2 s unless its options say otherwise."""
    defaults = {"duration": 2.0, "dt": 0.01, "integrator": "implicit", "dynamics": "redmax", "units": CGS}
    return Entry(name, title, build, features, reference=f"redmax:{number}", **{**defaults, **options})


def redmax_diff(number: int, name: str, title: str, build: Callable[[], Scene], features: tuple[str, ...], **options: Any) -> Entry:
    """A scene of the published differentiable RedMax code, in cm, g and s: fully implicit over 1 s unless its options say otherwise."""
    defaults = {"duration": 1.0, "dt": 0.01, "integrator": "bdf1", "dynamics": "redmax", "units": CGS}
    return Entry(name, title, build, features, reference=f"redmax-diff:{number}", **{**defaults, **options})
