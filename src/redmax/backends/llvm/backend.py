"""The backend `llvm`: plans as compiled code, short ones without loops over rows; where a plan calls Python, both in turns."""

from __future__ import annotations

from redmax.backends.base import Backend, Mechanism, Runner
from redmax.backends.llvm.engine import library
from redmax.backends.llvm.executable import Executable
from redmax.backends.llvm.hosted import Hosted
from redmax.program.fuse import fuse
from redmax.program.group import Group, Meta
from redmax.program.plan import Plan
from redmax.program.program import Program


class LLVM(Backend):
    """See `Executable` for what runs."""

    def describe(self, group: Group) -> Meta:
        """From the cache, if some process has traced the group before."""
        return library().describe(group)

    def plan(self, model: Mechanism, program: Program) -> Plan:
        """Runs that are short enough as straight-line code."""
        return fuse(self.rolled(model, program), self.describe)

    def runner(self, plan: Plan, dtype: str) -> Runner:
        """Compiled, or where the plan calls Python, in turns with it."""
        return Hosted(plan, dtype) if plan.program.hosted else Executable(plan, dtype)
