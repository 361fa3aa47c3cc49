"""Which models go side by side with contact."""

from __future__ import annotations

from redmax.dynamics.contact.detect import FINDERS
from redmax.dynamics.contact.slots.stages import SlotSystem
from redmax.model.model import Model


def slot_system(model: Model) -> SlotSystem | None:
    """Contact in slots; None where others than these are there: contact with fixed shapes whose points are found in the compiled step.

    Not where bodies that move touch, with deformables, beside constraints or maps, with moments, nor with more slots than points.
    """
    beside = model.soft or model.constraints or model.turning or model.map is not None
    if beside or any((a.kind, b.kind) not in FINDERS for a, b in model.contact_pairs):
        return None
    system = SlotSystem(model, True)
    if system.between or not system.met or len(system.slots) > model.contact_capacity:
        return None
    return system
