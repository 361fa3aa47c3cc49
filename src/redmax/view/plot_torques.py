"""What drove the joints over time: the sum in a panel for each joint, with what each source did beside it.

A joint with one coordinate has a curve for each source; one with several has a panel for the sum and one for each source.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from redmax.run.coordinate_units import units_of_torques
from redmax.run.driving import CONTROLS
from redmax.view.plot_coordinates import Panel

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

NOWHERE = np.zeros(0, int)  # torques go on where coordinates change
Curves = dict[str, np.ndarray]


def torque_panels(run: "Trajectory", joints: Sequence[int]) -> list[Panel]:
    """Of these joints, without those that nothing drives."""
    units = units_of_torques(run.model)
    found: list[Panel] = []
    for i in joints:
        curves, name = curves_of(run, i), run.model.links[i].joint_name
        columns = range(*run.model.offsets[i : i + 2].tolist())
        if curves:
            total = np.asarray(run.torques.total)[:, list(columns)]
            found += panels_of(name, curves, total, [units[k] for k in columns])
    return found


def curves_of(run: "Trajectory", i: int) -> Curves:
    """(T, dof) of each source that drives a joint, by a short name."""
    model, torques = run.model, run.torques
    start, stop = model.offsets[i : i + 2].tolist()
    own = f"{model.joint_names[i]}."
    found = {name.removeprefix(own): values for name, values in torques.driving(model.joint_names[i]).items()}
    if CONTROLS in torques and CONTROLS not in found and not model.prescribed[i] and np.any(torques[CONTROLS][:, start:stop]):
        found[CONTROLS] = torques[CONTROLS][:, start:stop]
    return found


def panels_of(name: str, curves: Curves, total: np.ndarray, units: list[str]) -> Iterator[Panel]:
    """For one joint, whose coordinates have these units."""
    if len(units) == 1:
        shown = {"sum": total, **curves} if len(curves) > 1 else curves
        yield Panel(name, "", list(shown), np.concatenate(list(shown.values()), axis=1), axis_label(units[0]), NOWHERE)
        return
    parts = {name: total, **({f"{name}: {source}": values for source, values in curves.items()} if len(curves) > 1 else {})}
    for title, values in parts.items():
        for unit in dict.fromkeys(units):
            own = [k for k, u in enumerate(units) if u == unit]
            yield Panel(title, "", [f"$\\tau_{k}$" for k in own], values[:, own], axis_label(unit), NOWHERE)


def axis_label(unit: str) -> str:
    return f"$\\tau$ ({unit})"
