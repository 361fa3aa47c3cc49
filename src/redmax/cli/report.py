"""What a run leaves: files, the JSON object of its final state, and a few lines for a person."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redmax.cli.console import say
from redmax.cli.extras import offer
from redmax.cli.making import making
from redmax.cli.request import Request
from redmax.run.summary import summary_lines, world_lines
from redmax.text import one_line
from redmax.writing import write_text

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

WRITTEN = {
    "--out": "result",
    "--html": "animation",
    "--plot": "energy plot",
    "--mp4": "film",
    "--json": "final state",
    "--view": "live page",
}


def first_world(trajectory: Trajectory) -> Trajectory:
    """The run, or the first world of a batch, as a file may ask for with its parameters."""
    return trajectory.world((0,) * (trajectory.q.ndim - 2)) if trajectory.q.ndim > 2 else trajectory


def write(request: Request, trajectory: Trajectory) -> dict[str, Exception]:
    """All but --out, which was written as the run went. What failed, by option: all else is made, as the run may have taken long."""
    failed: dict[str, Exception] = {}
    for option in ("--json", "--html", "--plot", "--mp4"):  # the surest first
        if option in request.files:
            try:
                write_one(option, request.files[option], request, trajectory)
            except Exception as error:
                failed[option] = error
    if request.quiet:
        say(json.dumps(final_state(request, trajectory), indent=2))
    return failed


def write_one(option: str, path: Path, request: Request, trajectory: Trajectory) -> None:
    if option == "--json":
        write_text(path, json.dumps(final_state(request, trajectory), indent=2) + "\n")
        return
    with making(path) as progress:
        if option == "--html":
            trajectory.html(path)
        elif option == "--plot":
            trajectory.plot(path)
        else:
            trajectory.film(path, progress=progress)


def final_state(request: Request, trajectory: Trajectory) -> dict[str, Any]:
    """What --json writes."""
    kinetic, potential = trajectory.energy.kinetic, trajectory.energy.potential
    failure = trajectory.failure
    broke_off = {}
    if failure is not None:
        good = trajectory.good
        account = {name: getattr(failure, name) for name in ("t", "samples", "joint", "reason")}
        shown = {"t": float(good.t[-1]), "samples": len(good), "total": float(good.energy.total[-1])}
        broke_off = {"failure": account | {"good": shown}}
    return {
        "scene": request.entry.name,
        "reference": request.entry.reference,
        "dynamics": trajectory.dynamics,
        "integrator": trajectory.integrator,
        "dt": trajectory.dt,
        "t": float(trajectory.t[-1]),
        "steps": trajectory.steps,
        "q": trajectory.q[-1].tolist(),
        "qdot": trajectory.qdot[-1].tolist(),
        "chart": trajectory.state().chart,
        "energy": {
            "kinetic": float(kinetic[-1]),
            "potential": float(potential[-1]),
            "total": float(kinetic[-1] + potential[-1]),
            "initial_potential": float(potential[0]),
            "initial_kinetic": float(kinetic[0]),
            "H": float(kinetic[-1] + potential[-1] - potential[0]),
        },
        **touching(trajectory),
        "wall_s": trajectory.wall_s,
        "compile_s": trajectory.compile_s,
        **broke_off,
    }


def touching(trajectory: Trajectory) -> dict[str, Any]:
    """Of a scene in which something touches: how well that was solved in the whole run, and each contact at its end."""
    if trajectory.contact_count is None:
        return {}
    import numpy as np

    contacts, fields = trajectory.contacts, ("point", "normal", "gap", "force", "slip", "moment")
    words = ("first", "second", "state")
    now = [{f: getattr(c, f) for f in words} | {f: np.asarray(getattr(c, f)).tolist() for f in fields} for c in contacts[-1]]
    worst, steps = float(np.nanmax(contacts.residual)), int(np.nansum(contacts.newton_steps))
    return {"contact": {"friction": trajectory.settings["friction"], "residual": worst, "newton_steps": steps, "now": now}}


def summary(request: Request, whole: Trajectory) -> str:
    """What a person wants to know of a run, or of the first world of a batch, in a few lines."""
    entry, trajectory, worlds = request.entry, first_world(whole), whole.q.shape[1:-1]
    why = "" if request.file else "; the scene's forces give and take some"  # of a file nobody said whether they do
    all_of = "the result holds all" if "--out" in request.files else "a result file (--out) would hold all"
    batch = world_lines(whole, str(math.prod(worlds)), f"; what follows is of the first, and {all_of}") if worlds else None
    lines = summary_lines(trajectory, entry.conservative, why, batch)
    lines |= {WRITTEN[option]: str(path) for option, path in request.files.items()}
    lines |= {WRITTEN[option]: f"not made: {sentence}" for option, sentence in request.unmet.items()}
    if offer():
        lines["to see more"] = offer()
    name = f"{one_line(entry.title)} ({', '.join(filter(None, (entry.name, entry.reference)))})"
    return "\n".join([name, *(f"  {label:<13}{text}" for label, text in lines.items())])
