"""What a shell offers when one presses Tab: (word, what it means) for each that begins as the one being typed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redmax.constraints.base import Constraint
    from redmax.forces.base import Force
    from redmax.forces.joint_force import JointForce
    from redmax.model.links import Link

Offers = list[tuple[str, str]]


def scene_names(incomplete: str) -> Offers:
    """Scenes of the catalogue, and scene files."""
    from redmax.scenes import CATALOGUE

    names = [(entry.name, entry.title) for entry in CATALOGUE]
    references = [(entry.reference, entry.title) for entry in CATALOGUE if entry.reference and incomplete.startswith("redmax")]
    return [*begun(incomplete, [*names, *references]), *files(incomplete, (".yaml", ".yml"))]


def runs(incomplete: str) -> Offers:
    """Results of runs; if there are none, what can be run."""
    return results(incomplete) or scene_names(incomplete)


def results(incomplete: str) -> Offers:
    return files(incomplete, (".h5", ".hdf5"))


def scene_files(incomplete: str) -> Offers:
    return files(incomplete, (".yaml", ".yml"))


def pose_files(incomplete: str) -> Offers:
    """Files that may have measured poses."""
    return files(incomplete, (".csv", ".sto", ".mot", ".npy", ".npz"))


def integrators(incomplete: str) -> Offers:
    from redmax.integrators import METHODS

    return begun(incomplete, [(name, "") for name in METHODS])


def dynamics(incomplete: str) -> Offers:
    from redmax.dynamics.choose import NAMES

    return begun(incomplete, [(name, "") for name in NAMES])


def friction(incomplete: str) -> Offers:
    from redmax.dynamics.choose import FRICTION

    return begun(incomplete, [(name, "") for name in FRICTION])


def quantities(incomplete: str) -> Offers:
    from redmax.run.quantities import plots

    return begun(incomplete, [(name, plot.about) for name, plot in plots().items()])


def columns(incomplete: str) -> Offers:
    from redmax.run.quantities import table_words

    return begun(incomplete, [(name, "") for name in table_words()])


def joints(incomplete: str) -> Offers:
    """The joints of the run or scene that the command names."""
    return begun(incomplete, [(name, "") for source in named_sources() for name in joints_of(source)])


def bodies(incomplete: str) -> Offers:
    """The bodies of the run or scene that the command names."""
    return begun(incomplete, [(link.name, "") for source in named_sources() for link in parts_of(source)[0]])


def several_bodies(incomplete: str) -> Offers:
    """The same, behind those that are there already, with commas between."""
    before, comma, last = incomplete.rpartition(",")
    return [(f"{before}{comma}{name}", about) for name, about in bodies(last)]


def themes(incomplete: str) -> Offers:
    from redmax.model.look import THEMES

    return begun(incomplete, [(name, "") for name in THEMES])


def muscles(incomplete: str) -> Offers:
    """The muscles, and other forces along paths, of the run or scene that the command names."""
    return begun(incomplete, [(name, "") for source in named_sources() for name in muscles_of(source)])


def constraints(incomplete: str) -> Offers:
    """The constraints of the run or scene that the command names."""
    return begun(incomplete, [(name, "") for source in named_sources() for name in constraints_of(source)])


def settings(incomplete: str) -> Offers:
    """The parameters of the scene file that the command names, with the values that it gives them."""
    from redmax.io import parameters

    found: Offers = []
    for source in named_sources():
        with suppress(Exception):  # pressing Tab is no place for a sentence
            found += [(f"{name}={value:g}", "") for name, value in parameters(source).items()]
    return begun(incomplete, found)


def named_sources() -> list[str]:
    """The first file or scene of the catalogue among the words that were typed; the command's own reading of them is lost to the word
    that is not complete yet."""
    from redmax.model.named_scene import listed

    typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    words = [word for word in typed.split()[2:] if not word.startswith("-")]
    return [word for word in words if listed(word) or Path(word).is_file()][:1]


def joints_of(source: str) -> list[str]:
    """Of a result file, a scene file or a scene of the catalogue; none where that cannot be read."""
    return [link.joint_name for link in parts_of(source)[0]]


def muscles_of(source: str) -> list[str]:
    """Muscles and other forces along paths, likewise."""
    from redmax.forces.path import PathForce

    return [str(force.name) for force in parts_of(source)[1] if isinstance(force, PathForce)]


def constraints_of(source: str) -> list[str]:
    """Constraints, likewise."""
    return [str(constraint.name) for constraint in parts_of(source)[2]]


def parts_of(source: str) -> tuple[Sequence[Link], Sequence[Force | JointForce], Sequence[Constraint]]:
    """What the scene is made of."""
    from redmax.cli.sources import find_scene, is_result

    with suppress(Exception):
        if is_result(source):
            from redmax.results import load

            model = load(source).model
            return model.bodies, model.forces, model.constraints
        scene = find_scene(source).scene()
        return scene.links, scene.forces, scene.constraints
    return (), (), ()


def begun(incomplete: str, offers: Iterable[tuple[str, str]]) -> Offers:
    return [(word, about) for word, about in offers if word.startswith(incomplete)]


def files(incomplete: str, suffixes: tuple[str, ...]) -> Offers:
    """Files of these kinds, and folders to look for them in, where the word being typed leads to."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    begin = incomplete[: len(incomplete) - len(incomplete.rpartition("/")[2])]
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    fitting = [p for p in found if not p.name.startswith(".") and p.name.isprintable() and (p.suffix in suffixes or (begin and p.is_dir()))]
    return begun(incomplete, [(f"{begin}{p.name}{'/' if p.is_dir() else ''}", "") for p in fitting])
