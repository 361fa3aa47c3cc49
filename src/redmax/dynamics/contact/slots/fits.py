"""Which models go side by side with contact."""

from __future__ import annotations

from redmax.dynamics.contact.slots.stages import SlotSystem
from redmax.model.model import Model


def slot_system(model: Model) -> SlotSystem | None:
    """Contact in slots; None where bodies that move touch each other, beside constraints, with moments, and with more slots than points."""
    system = SlotSystem(model, True)
    if system.between or model.constraints or model.turning or not system.met or len(system.slots) > model.contact_capacity:
        return None
    return system
