"""The bridge to JAX: dynamics and steps as functions of its arrays, in jit, scan, vmap, grad, jvp, hessian and what is made of these.

Compiled code calls compiled code, where the arrays lie (xla.py). A batch, by vmap or by leading axes, is one call with worlds side by side;
what all worlds share stays as it is. Derivatives are exact, of any order (derivative.py). On CPUs, in doubles unless asked otherwise.
A state that has no accelerations gives values that are not finite, as elsewhere in JAX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from redmax.bridges import arguments, functions
from redmax.bridges.derivative import Derivative
from redmax.bridges.function import Function
from redmax.bridges.functions import SceneLike
from redmax.bridges.packages import needed
from redmax.bridges.whole_run import WholeRun
from redmax.design.gradients import Gradient
from redmax.errors import RedmaxError

jax, jnp = needed("jax"), needed("jax", "numpy")

__all__ = ["JaxFunction", "JaxObjective", "forward_dynamics", "inverse_dynamics", "objective", "step"]


def forward_dynamics(scene: SceneLike, parameters: Sequence[str] = (), dtype: str = "float64") -> JaxFunction:
    """f(q, qdot, tau, t=, parameters=) -> qddot. parameters: names of those that may be given, such as ["arm.mass"]."""
    return JaxFunction(functions.forward_dynamics(scene, parameters, dtype))


def inverse_dynamics(scene: SceneLike, parameters: Sequence[str] = (), dtype: str = "float64") -> JaxFunction:
    """f(q, qdot, qddot, t=, parameters=) -> tau."""
    return JaxFunction(functions.inverse_dynamics(scene, parameters, dtype))


def step(
    scene: SceneLike,
    h: float,
    integrator: str = "euler",
    dynamics: str | None = None,
    parameters: Sequence[str] = (),
    dtype: str = "float64",
) -> JaxFunction:
    """f(q, qdot, tau, t=, h=, parameters=) -> (q, qdot), h seconds later. integrator, dynamics: as of `redmax.simulate`, of fixed steps."""
    return JaxFunction(functions.step(scene, h, integrator, dynamics, parameters, dtype))


def objective(gradient: Gradient) -> JaxObjective:
    """f(q=, qdot=, tau=, parameters=) -> the objective of a whole run, what `redmax.gradient` returns, by what that is by."""
    return JaxObjective(WholeRun(gradient))


class JaxFunction:
    """Called with arrays (n,), or (..., n) of a batch; what is not given is held: tau and t at zero, parameters as the scene has them."""

    def __init__(self, function: Function) -> None:
        from redmax.bridges.jax_primitive import computed

        self.computed = computed
        self.function, self.dtype = function, np.dtype(function.dtype)
        self.applied = jax.jit(self.apply, static_argnums=0, inline=True)  # so that a call from Python takes microseconds

    def __repr__(self) -> str:
        return f"<{self.function!r}, for JAX>"

    def __call__(self, q: Any, qdot: Any, third: Any = None, *, parameters: Mapping[str, Any] | None = None, **more: Any) -> Any:
        found = arguments.given(self.function, (q, qdot, third), more, parameters)
        if self.dtype.name == "float64":
            check_doubles(', or make the function with dtype="float32"')
        return self.applied(tuple(found), *found.values())

    def apply(self, names: tuple[str, ...], *values: Any) -> Any:
        """Of operands by name."""
        array = partial(jnp.asarray, dtype=self.dtype)
        flat = [arguments.columns(self.function, name, value, array) for name, value in zip(names, values, strict=True)]
        lead = jnp.broadcast_shapes(*[x.shape[:-1] for x in flat])
        flat = [x if x.ndim == 1 or x.shape[:-1] == lead else jnp.broadcast_to(x, (*lead, x.shape[-1])) for x in flat]
        results = self.computed.bind(*flat, which=Derivative(self.function, names))
        return results[0] if len(results) == 1 else tuple(results)


class JaxObjective:
    """Called with what is given in place of what the scene has; tau is (steps, nv). A run takes milliseconds, so JAX asks Python for it."""

    def __init__(self, run: WholeRun) -> None:
        self.run, self.known = run, dict[tuple[str, ...], Any]()

    def __repr__(self) -> str:
        return f"<{self.run!r}, for JAX>"

    def __call__(self, *, parameters: Mapping[str, Any] | None = None, **named: Any) -> Any:
        check_doubles()
        found = self.run.given(named, parameters)
        arrays = {name: jnp.asarray(value, float) for name, value in found.items()}
        lead = jnp.broadcast_shapes(*[self.run.lead(name, x.shape) for name, x in arrays.items()])
        spread = [jnp.broadcast_to(x, (*lead, *self.run.shapes[name])) for name, x in arrays.items()]
        names = tuple(arrays)
        if names not in self.known:
            self.known[names] = self.of(names)
        return self.known[names](*spread)

    def of(self, names: tuple[str, ...]) -> Any:
        """The function of these."""
        run = self.run

        def shapes(lead: tuple[int, ...]) -> tuple[Any, list[Any]]:
            return jax.ShapeDtypeStruct(lead, float), [jax.ShapeDtypeStruct((*lead, *run.shapes[name]), float) for name in names]

        def named(arrays: Sequence[Any]) -> dict[str, np.ndarray]:
            return dict(zip(names, map(np.asarray, arrays), strict=True))

        def lead_of(arrays: Sequence[Any]) -> tuple[int, ...]:
            return run.lead(names[0], arrays[0].shape) if names else ()

        @jax.custom_vjp
        def value(*arrays: Any) -> Any:
            return jax.pure_callback(lambda *x: run.value(named(x)), shapes(lead_of(arrays))[0], *arrays, vmap_method="broadcast_all")

        def ahead(*arrays: Any) -> tuple[Any, Any]:
            return jax.pure_callback(
                lambda *x: run.value_and_slopes(named(x)), shapes(lead_of(arrays)), *arrays, vmap_method="broadcast_all"
            )

        def back(slopes: Sequence[Any], weight: Any) -> tuple[Any, ...]:
            return tuple(weight.reshape(weight.shape + (1,) * (slope.ndim - weight.ndim)) * slope for slope in slopes)

        value.defvjp(ahead, back)
        return value


def check_doubles(more: str = "") -> None:
    """Raise unless JAX takes doubles."""
    if not jax.config.jax_enable_x64:
        how = f'Begin with jax.config.update("jax_enable_x64", True){more}'
        raise RedmaxError(f"This function takes doubles, and JAX is set to 32 bits. {how}.")
