"""The bridge to PyTorch: dynamics and steps as functions of its tensors, for autograd, forward mode, and torch.func with its vmap.

Tensors of the CPU share their memory with NumPy, so that compiled code reads and fills them where they lie. A batch, by vmap or by leading
axes, is one call with worlds side by side; what all worlds share stays as it is. Derivatives are exact, of any order (derivative.py).
A state that has no accelerations gives values that are not finite, as elsewhere in PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from redmax.bridges import arguments, functions
from redmax.bridges.derivative import Derivative
from redmax.bridges.function import Function
from redmax.bridges.functions import SceneLike
from redmax.bridges.packages import needed
from redmax.bridges.whole_run import WholeRun
from redmax.design.gradients import Gradient
from redmax.errors import RedmaxError

torch = needed("torch")

__all__ = ["TorchFunction", "TorchObjective", "forward_dynamics", "inverse_dynamics", "objective", "step"]


def forward_dynamics(scene: SceneLike, parameters: Sequence[str] = (), dtype: str = "float64") -> TorchFunction:
    """f(q, qdot, tau, t=, parameters=) -> qddot. parameters: names of those that may be given, such as ["arm.mass"]."""
    return TorchFunction(functions.forward_dynamics(scene, parameters, dtype))


def inverse_dynamics(scene: SceneLike, parameters: Sequence[str] = (), dtype: str = "float64") -> TorchFunction:
    """f(q, qdot, qddot, t=, parameters=) -> tau."""
    return TorchFunction(functions.inverse_dynamics(scene, parameters, dtype))


def step(
    scene: SceneLike,
    h: float,
    integrator: str = "euler",
    dynamics: str | None = None,
    parameters: Sequence[str] = (),
    dtype: str = "float64",
) -> TorchFunction:
    """f(q, qdot, tau, t=, h=, parameters=) -> (q, qdot), h seconds later. integrator, dynamics: as of `redmax.simulate`, of fixed steps."""
    return TorchFunction(functions.step(scene, h, integrator, dynamics, parameters, dtype))


def objective(gradient: Gradient) -> TorchObjective:
    """f(q=, qdot=, tau=, parameters=) -> the objective of a whole run, what `redmax.gradient` returns, by what that is by."""
    return TorchObjective(WholeRun(gradient))


class TorchFunction:
    """Called with tensors (n,), or (..., n) of a batch; what is not given is held: tau and t at zero, parameters as the scene has them."""

    def __init__(self, function: Function) -> None:
        self.function, self.dtype = function, getattr(torch, function.dtype)
        self.known: dict[tuple[str, ...], Derivative] = {}  # by what is given

    def __repr__(self) -> str:
        return f"<{self.function!r}, for PyTorch>"

    def __call__(self, q: Any, qdot: Any, third: Any = None, *, parameters: Mapping[str, Any] | None = None, **more: Any) -> Any:
        f = self.function
        found = arguments.given(f, (q, qdot, third), more, parameters)
        for name, value in found.items():
            if isinstance(value, torch.Tensor) and value.device.type != "cpu":
                raise RedmaxError(f"The {f.name} runs on the CPU, and {name} is on {value.device}. Give {name}.cpu().")
        array = partial(torch.as_tensor, dtype=self.dtype)
        flat = [arguments.columns(f, name, value, array) for name, value in found.items()]
        if any(x.ndim > 1 for x in flat):
            lead = torch.broadcast_shapes(*[x.shape[:-1] for x in flat])
            flat = [x if x.ndim == 1 else torch.broadcast_to(x, (*lead, x.shape[-1])) for x in flat]
        names = tuple(found)
        if names not in self.known:
            self.known[names] = Derivative(f, names)
        results = Computed.apply(self.known[names], *flat)
        return results[0] if len(results) == 1 else results


class Computed(torch.autograd.Function):
    """A function or one of its derivatives."""

    @staticmethod
    def forward(which: Derivative, *operands: Any) -> tuple[Any, ...]:
        """Over memory that tensors and arrays share; only what does not lie in one piece is copied first."""
        lead = next((x.shape[:-1] for x in operands if x.ndim > 1), ())
        dtype = operands[0].dtype
        results = [torch.empty((*lead, size), dtype=dtype) for size in which.results]
        whole = [x.contiguous() for x in operands]
        if not lead:
            which.call.run_alone([x.data_ptr() for x in (*whole, *results)])
            return tuple(results)
        worlds, arrays = math.prod(lead), [x.detach().numpy() for x in whole]
        flat = [a if a.ndim == 1 else a.reshape(worlds, a.shape[-1]) for a in arrays]
        if worlds:
            which.call.run(flat, [r.numpy() for r in results], worlds)
        return tuple(results)

    @staticmethod
    def setup_context(context: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Derivatives need the operands alone."""
        context.which = inputs[0]
        context.save_for_backward(*inputs[1:])
        context.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(context: Any, *cotangents: Any) -> tuple[Any, ...]:
        """Part by part, of those operands whose gradients are asked for."""
        which, operands, asked = context.which, context.saved_tensors, context.needs_input_grad[1:]
        found: list[Any] = [None] * len(operands)
        for n, names in enumerate(which.parts):
            places = [k for k in range(len(operands))[which.part(n)] if asked[k]]
            if not places:
                continue
            first = which.part(n).start
            pulled, order = which.pulled(n, tuple(names[k - first] for k in places))
            given = [x for part in order for x in (cotangents if part < 0 else operands[which.part(part)])]
            results = Computed.apply(pulled, *given)
            for k in places:
                x = results[places.index(k) if n == 0 else k - first]
                found[k] = x.sum(tuple(range(x.ndim - 1))) if x.ndim > operands[k].ndim else x  # of what all worlds share
        return None, *found

    @staticmethod
    def jvp(context: Any, _: Any, *rates: Any) -> tuple[Any, ...]:
        """The sum over what moves."""
        which, operands = context.which, context.saved_tensors
        terms = [Computed.apply(derivative, *x) for derivative, x in which.rates(operands, rates, torch.zeros_like)]
        return tuple(sum(each[1:], each[0]) for each in zip(*terms, strict=True))

    @staticmethod
    def vmap(info: Any, axes: tuple[Any, ...], which: Derivative, *operands: Any) -> tuple[Any, Any]:
        """One more leading axis, but for what all share."""
        front = [x if a is None else x.movedim(a, 0) for x, a in zip(operands, axes[1:], strict=True)]
        inner = [x.shape[(a is not None) : -1] for x, a in zip(front, axes[1:], strict=True)]
        lead = next((s for s in inner if s), ())
        spread: list[Any] = []
        for x, a in zip(front, axes[1:], strict=True):
            if a is not None and x.ndim == 2 and lead:
                x = x.reshape(len(x), *[1] * len(lead), x.shape[-1])
            spread.append(x if x.ndim == 1 else torch.broadcast_to(x, (info.batch_size, *lead, x.shape[-1])))
        results = Computed.apply(which, *spread)
        return results, (0,) * len(results)


class TorchObjective:
    """Called with what is given in place of what the scene has; tau is (..., steps, nv). Its gradient is one run backwards."""

    def __init__(self, run: WholeRun) -> None:
        self.run = run

    def __repr__(self) -> str:
        return f"<{self.run!r}, for PyTorch>"

    def __call__(self, *, parameters: Mapping[str, Any] | None = None, **named: Any) -> Any:
        found = self.run.given(named, parameters)
        tensors = {name: torch.as_tensor(value, dtype=torch.float64) for name, value in found.items()}
        lead = torch.broadcast_shapes(*[self.run.lead(name, tuple(x.shape)) for name, x in tensors.items()])
        spread = [torch.broadcast_to(x, (*lead, *self.run.shapes[name])) for name, x in tensors.items()]
        return Ran.apply(self.run, tuple(tensors), *spread)


class Ran(torch.autograd.Function):
    """A run, and back again where somebody asks for slopes."""

    @staticmethod
    def forward(context: Any, run: WholeRun, names: tuple[str, ...], *tensors: Any) -> Any:
        """With its slopes, if one of the tensors has one."""
        arrays = dict(zip(names, (x.detach().numpy() for x in tensors), strict=True))
        if not any(context.needs_input_grad):
            return torch.as_tensor(run.value(arrays))
        value, slopes = run.value_and_slopes(arrays)
        context.save_for_backward(*map(torch.from_numpy, slopes))
        return torch.as_tensor(value)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: Any, *weights: Any) -> tuple[Any, ...]:
        """As they were found."""
        (weight,) = weights
        return None, None, *[weight.reshape(weight.shape + (1,) * (s.ndim - weight.ndim)) * s for s in context.saved_tensors]
