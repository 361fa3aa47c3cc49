"""What the checks of joints say, and the places that their sentences name."""

from __future__ import annotations

import re

import redmax as rm
from redmax.joints.checks.check import examine, subjects

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def findings(joint: rm.Joint) -> list[str]:
    """What the checks say, whether or not the joint is proven."""
    return [("error: " if f.fatal else "warning: ") + f.text for subject in subjects(joint) for f in examine(subject)]


def place_in(message: str, what: str = "q") -> list[float]:
    found = re.search(rf"{what} = \(?({NUMBER}(?:, {NUMBER})*)", message)
    assert found, message
    return [float(x) for x in found[1].split(", ")]
