"""Integrators of bodies that move by themselves, about a fixed point or freely: one method a file. `OF_BODIES`: all of them."""

from redmax.integrators.bodies.coadjoint import COADJOINT
from redmax.integrators.bodies.energy_momentum import ENERGY_MOMENTUM
from redmax.integrators.bodies.lie_poisson import LIE_POISSON
from redmax.integrators.bodies.midpoint_lie import MIDPOINT_LIE
from redmax.integrators.bodies.newmark_lie import NEWMARK_LIE
from redmax.integrators.bodies.rattle import RATTLE

OF_BODIES = (NEWMARK_LIE, MIDPOINT_LIE, LIE_POISSON, RATTLE, COADJOINT, ENERGY_MOMENTUM)

__all__ = ["OF_BODIES"]
