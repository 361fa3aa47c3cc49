"""From a program to something that runs: laid out for a model, then interpreted, compiled, or both in turns with Python."""

from __future__ import annotations

from redmax.arguments import brief
from redmax.backends.base import Runner
from redmax.backends.interpret import Interpreter
from redmax.errors import RedmaxError
from redmax.model.model import Model
from redmax.program.fuse import fuse
from redmax.program.plan import Plan, Planner
from redmax.program.program import Program


def make_plan(model: Model, program: Program, backend: str) -> Plan:
    """A program laid out for a model; small ones as straight-line code."""
    if backend == "interpret":
        return rolled_plan(model, program, backend)
    from redmax.backends.llvm.engine import library

    return fuse(rolled_plan(model, program, backend), library().describe)


def rolled_plan(model: Model, program: Program, backend: str) -> Plan:
    """A program laid out for a model, kernel by kernel."""
    signatures, constants = model.kernels_of
    if backend == "interpret":
        return Planner(program, model.tree, signatures, constants, acting=model.acting).plan()
    from redmax.backends.llvm.engine import library

    return Planner(program, model.tree, signatures, constants, library().describe, model.acting).plan()


def make_runner(plan: Plan, backend: str, dtype: str) -> Runner:
    if backend == "interpret":
        return Interpreter(plan, dtype)
    if plan.program.hosted:
        from redmax.backends.hosted import Hosted

        return Hosted(plan, dtype)
    from redmax.backends.llvm.executable import Executable

    return Executable(plan, dtype)


def check_backend(backend: str, dtype: str) -> None:
    if not isinstance(backend, str) or backend not in ("llvm", "interpret"):
        raise RedmaxError(f"There is no backend {brief(backend)}. Valid: 'llvm' (compiled) or 'interpret' (NumPy, for debugging).")
    if not isinstance(dtype, str) or dtype not in ("float64", "float32"):
        raise RedmaxError(f"dtype is {brief(dtype)}. Valid: 'float64' or 'float32'.")
