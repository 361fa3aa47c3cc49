"""`redmax info FILE`: what a result file holds, for a person or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from redmax.cli.check import counted
from redmax.cli.console import say
from redmax.cli.sources import check_there, is_result
from redmax.errors import RedmaxError
from redmax.run.summary import method_lines, world_lines
from redmax.text import one_line


def tell_of_result(name: str, as_json: bool) -> None:
    """Say what is in a file."""
    if not is_result(name):
        check_there(Path(name))
        raise RedmaxError(f"'{name}' is no result of a run. What a scene file holds, and whether it is right: redmax check {name}")
    check_there(Path(name))
    from redmax.results.facts import end_in_words, facts_of, shape_in_words

    run, facts = facts_of(Path(name))
    if as_json:
        say(json.dumps(facts, indent=2))
        return
    worlds = world_lines(run, shape_in_words(facts["worlds"])) if facts["worlds"] else {}
    rows = {
        **method_lines(run),
        "samples": f"{facts['samples']:,}, from t = {facts['t'][0]:g} to {facts['t'][1]:g} s",
        **worlds,
        "ended": end_in_words(run),
        **({"why": run.failure.reason} if run.failure is not None else {}),
        "scene": scene_line(facts),
        "file": f"{facts['bytes'] / 2**20:.2f} MB",
    }
    lines = [f"  {label:<13}{one_line(text)}" for label, text in rows.items()]
    say("\n".join([one_line(facts["scene"]) or "A run", *lines, "", *table(facts["quantities"])]))


def scene_line(facts: Mapping[str, Any]) -> str:
    counts = [counted(facts["bodies"], "body"), counted(facts["coordinates"], "coordinate")]
    counts += [counted(facts["deformables"], "deformable")] if facts["deformables"] else []
    return ", ".join(counts)


def table(quantities: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each quantity."""
    rows = [("quantity", "shape", "unit", "what it is")]
    rows += [(q["name"], " x ".join(map(str, q["shape"])), q["unit"], one_line(q["about"])) for q in quantities]
    wide = [max(len(row[k]) for row in rows) for k in range(3)]
    return ["  " + "  ".join([*(f"{text:<{n}}" for text, n in zip(row, wide, strict=False)), row[3]]) for row in rows]
