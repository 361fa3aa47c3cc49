"""What JAX knows of functions and their derivatives: one primitive for all, with rules for shapes, jvp, transposes and vmap, and its code.

All rules say what derivatives of the family are by others of it (derivative.py), so that JAX may take any of them as often as it likes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from redmax.bridges.derivative import Derivative
from redmax.bridges.packages import needed
from redmax.bridges.xla import Record, handler
from redmax.errors import RedmaxError

jax, jnp = needed("jax"), needed("jax", "numpy")
ad, batching, mlir, xla = (needed("jax", f"interpreters.{name}") for name in ("ad", "batching", "mlir", "xla"))
Primitive = needed("jax", "extend.core").Primitive

computed = Primitive("redmax")  # of all functions and their derivatives; which of them is its parameter
computed.multiple_results = True
computed.def_impl(partial(xla.apply_primitive, computed))


@computed.def_abstract_eval
def shapes(*operands: Any, which: Derivative) -> list[Any]:
    """Of the results: with the leading axes of the operands that have some."""
    lead = next((x.shape[:-1] for x in operands if x.ndim > 1), ())
    return [jax.core.ShapedArray((*lead, size), np.dtype(which.of.dtype)) for size in which.results]


def along(operands: Sequence[Any], rates: Sequence[Any], which: Derivative) -> tuple[Any, Any]:
    """The rule of jvp: the point moves, or what the function is linear in does."""
    values = computed.bind(*operands, which=which)
    moving = [None if type(rate) is ad.Zero else rate for rate in rates]
    terms = [computed.bind(*x, which=derivative) for derivative, x in which.rates(operands, moving, jnp.zeros_like)]
    return values, [sum(each[1:], each[0]) for each in zip(*terms, strict=True)] if terms else list(map(ad.Zero.from_primal_value, values))


def back(cotangents: Sequence[Any], *operands: Any, which: Derivative) -> list[Any]:
    """The rule of transposes: in the one part that the function is linear in, of those that are unknown."""
    unknown = [n for n in range(1, len(which.parts)) if any(map(ad.is_undefined_primal, operands[which.part(n)]))]
    (n,) = unknown
    weights = [ad.instantiate_zeros(c) for c in cotangents]
    transposed, order = which.transposed(n)
    given = [x for k in order for x in (weights if k < 0 else operands[which.part(k)])]
    found: list[Any] = [None] * len(operands)
    for k, x in zip(range(len(operands))[which.part(n)], computed.bind(*given, which=transposed), strict=True):
        shared = x.ndim > operands[k].aval.ndim  # by all worlds
        if ad.is_undefined_primal(operands[k]):
            found[k] = x.sum(tuple(range(x.ndim - 1))) if shared else x
    return found


def side_by_side(operands: Sequence[Any], axes: Sequence[Any], which: Derivative) -> tuple[Any, list[int]]:
    """The rule of vmap: one more leading axis, but for what all share."""
    count = next(x.shape[a] for x, a in zip(operands, axes, strict=True) if a is not None)
    front = [x if a is None else jnp.moveaxis(x, a, 0) for x, a in zip(operands, axes, strict=True)]
    inner = next((x.shape[:-1] for x, a in zip(operands, axes, strict=True) if a is None and x.ndim > 1), None)
    inner = inner or next((x.shape[1:-1] for x, a in zip(front, axes, strict=True) if a is not None and x.ndim > 2), ())
    spread: list[Any] = []
    for x, a in zip(front, axes, strict=True):
        if a is not None and x.ndim == 2 and inner:
            x = x.reshape(count, *[1] * len(inner), x.shape[-1])
        spread.append(x if x.ndim == 1 else jnp.broadcast_to(x, (count, *inner, x.shape[-1])))
    results = computed.bind(*spread, which=which)
    return results, [0] * len(results)


ad.primitive_jvps[computed] = along
ad.primitive_transposes[computed] = back
batching.primitive_batchers[computed] = side_by_side


@cache
def target() -> str:
    """The handler, once XLA knows it."""
    name, address, _ = handler()
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="cpu", api_version=1)
    return name


def lowered(context: Any, *operands: Any, which: Derivative) -> Any:
    """A call of the handler, for one world or for several side by side."""
    worlds = math.prod(context.avals_out[0].shape[:-1])
    return jax.ffi.ffi_lowering(target())(context, *operands, record=np.int64(record(which, worlds == 1).address))


@cache
def record(which: Derivative, alone: bool) -> Record:
    """Kept for good."""
    call = which.call
    return Record(call.runner, 1 if alone else call.runner.width, call.held, len(call.results))


def elsewhere(context: Any, *operands: Any, which: Derivative) -> Any:
    """Where there is no such code."""
    platforms = ", ".join(context.module_context.platforms)
    said = f"The {which.of.name} runs on the CPU, not on {platforms}. Compute it there: with jax.default_device(jax.devices('cpu')[0])."
    raise RedmaxError(said)


mlir.register_lowering(computed, lowered, platform="cpu")
mlir.register_lowering(computed, elsewhere)
