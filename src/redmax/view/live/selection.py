"""What is known of the body that was clicked: name, joint, coordinates, pose, twist and energy, at the time that is shown."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.lie import to_quaternion
from redmax.view.live.recording import Recording

if TYPE_CHECKING:
    import viser

MOST = 6  # coordinates that are written out
NONE = '<div style="padding:0 1em 0.6em;font-size:0.85em;opacity:0.65">Click on a body to see its name, pose and twist.</div>'


class Selection:
    """A small table in the panel."""

    def __init__(self, gui: viser.GuiApi) -> None:
        self.handle = gui.add_html(NONE)
        self.body: int | None = None

    def show(self, seen: Recording, sample: int) -> None:
        self.handle.content = NONE if self.body is None else table(facts(seen, self.body, sample))


def facts(seen: Recording, i: int, sample: int) -> dict[str, str]:
    """Rows of text about link i."""
    model = seen.model
    link, pose, twist = model.links[i], seen.pose[sample, i], seen.twist[sample, i]
    unit = model.units.length
    q = seen.q[sample, model.configurations.parts()[i]][: link.joint.nq]
    qdot = seen.qdot[sample, model.offsets[i] : model.offsets[i + 1]]
    found = {
        "body": link.name,
        "parent": "world" if link.parent < 0 else model.links[link.parent].name,
        "joint": f"{type(link.joint).__name__} ({link.joint_name})" if link.joint_name != link.name else type(link.joint).__name__,
        "mass": f"{link.shape.mass:.4g} {model.units.mass}",
        f"position ({unit})": row(pose[:3, 3]),
        "quaternion wxyz": row(to_quaternion(pose[:3, :3])),
        "angular (rad/s)": row(twist[:3]),
        f"linear ({unit}/s)": row(twist[3:]),
        f"kinetic ({model.units.energy})": f"{kinetic(link.shape.mass, link.shape.inertia, twist):.4g}",
    }
    return found | ({"q": row(q[:MOST]), "qdot": row(qdot[:MOST])} if len(q) else {})


def kinetic(mass: float, inertia: NDArray[np.float64], twist: NDArray[np.float64]) -> float:
    """1/2 (omega' I omega + m v' v), of the body about its centre of mass."""
    omega, v = twist[:3], twist[3:]
    return float(omega @ inertia @ omega + mass * v @ v) / 2


def row(values: NDArray[np.float64]) -> str:
    return "  ".join(f"{x + 0.0:.3f}".replace("-0.000", "0.000") if abs(x) < 1e4 else f"{x:.3g}" for x in values)


def table(rows: dict[str, str]) -> str:
    """HTML: names come from files of others and are escaped."""
    cell = "padding:0.1em 0.6em 0.1em 0;vertical-align:top"
    body = "".join(
        f'<tr><td style="{cell};opacity:0.65;white-space:nowrap">{escape(name)}</td>'
        f'<td style="{cell};font-variant-numeric:tabular-nums;white-space:pre-wrap">{escape(text)}</td></tr>'
        for name, text in rows.items()
    )
    return f'<div style="padding:0 1em 0.6em;font-size:0.82em"><table style="border-collapse:collapse">{body}</table></div>'
