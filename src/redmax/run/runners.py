"""What advances the states of a simulation: the compiled program of an integrator over the dynamics, or a solver in Python."""

from __future__ import annotations

from dataclasses import dataclass

from redmax.backends.base import Arrays, Runner, make_plan, make_runner
from redmax.backends.llvm.executable import Executable
from redmax.backends.rounded import Rounded
from redmax.dynamics.choose import matrix_free_solver, system
from redmax.integrators import METHODS
from redmax.model.model import Model
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.run.options import RunOptions


@dataclass(frozen=True, eq=False)
class Advancing:
    """plan: of a runner that has one; program: of a runner that is nothing else."""

    runner: Runner
    plan: Plan | None = None
    program: Program | None = None


class WorldByWorld(Runner):
    """Worlds one after the other, on all threads: contact takes other turns in each, which lanes side by side would wait for."""

    def __init__(self, inner: Executable) -> None:
        self.inner, self.inputs, self.outputs = inner, inner.inputs, inner.outputs

    def prepare(self, worlds: int) -> None:
        """Compile for one world."""
        self.inner.prepare(1)

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        return self.inner.run(inputs, outputs, worlds, count, stride, lanes=1)


def advancing(model: Model, o: RunOptions) -> Advancing:
    """Of a simulation with these options."""
    method = METHODS[str(o.integrator)]
    if method.runner is not None:
        return Advancing(method.runner(model, o.backend, o.halvings, str(o.dynamics)))
    solve = matrix_free_solver(str(o.dynamics), o.solver, model, method.implicit)
    dynamics = system(str(o.dynamics), model, solve, o.backend, o.solver, o.stabilisation, o.drift)
    assert method.program is not None
    program = method.program(dynamics)
    plan = make_plan(dynamics.model, program, o.backend)
    inner = make_runner(plan, o.backend, "float64" if dynamics.in_doubles else o.dtype)
    rounded = dynamics.in_doubles and o.dtype != "float64"
    lone = WorldByWorld(inner) if model.touches and isinstance(inner, Executable) else inner
    runner = dynamics.wrap(Rounded(lone) if rounded else lone)
    return Advancing(runner, plan, program if runner is inner else None)
