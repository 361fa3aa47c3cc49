"""Integrators that step along the groups of joints and bodies: one method a file. `ALONG_GROUPS`: all of them."""

from redmax.integrators.lie.cf4 import CF4
from redmax.integrators.lie.cg3 import CG3
from redmax.integrators.lie.mk2 import MK2
from redmax.integrators.lie.mk3 import MK3
from redmax.integrators.lie.mk4 import MK4
from redmax.integrators.lie.mk4_partitioned import MK4_PARTITIONED

ALONG_GROUPS = (MK2, MK3, MK4, MK4_PARTITIONED, CG3, CF4)

__all__ = ["ALONG_GROUPS"]
