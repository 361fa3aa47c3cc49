"""What JAX knows of functions and their derivatives: one primitive for all, with rules for shapes, jvp, transposes and vmap, and its code.

All rules say what derivatives of the family are by others of it (derivative.py), so that JAX may take any of them as often as it likes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from redmax.backends.llvm.xla import Record, handler
from redmax.bridges.derivative import Derivative
from redmax.bridges.matrices import Matrices, operands_of
from redmax.bridges.packages import needed
from redmax.errors import RedmaxError

jax, jnp = needed("jax"), needed("jax", "numpy")
ad, batching, mlir, xla = (needed("jax", f"interpreters.{name}") for name in ("ad", "batching", "mlir", "xla"))
Primitive = needed("jax", "extend.core").Primitive

MANY = 8  # directions at one point, from which on matrices are sooner

computed = Primitive("redmax")  # of all functions and their derivatives; which of them is its parameter
computed.multiple_results = True
computed.def_impl(partial(xla.apply_primitive, computed))


@computed.def_abstract_eval
def shapes(*operands: Any, which: Derivative | Matrices) -> list[Any]:
    """Of the results: with the leading axes of the operands that have some."""
    lead = next((x.shape[:-1] for x in operands if x.ndim > 1), ())
    return [jax.core.ShapedArray((*lead, size), np.dtype(which.of.dtype)) for size in which.results]


def along(operands: Sequence[Any], rates: Sequence[Any], which: Derivative | Matrices) -> tuple[Any, Any]:
    """The rule of jvp: the point moves, or what the function is linear in does."""
    values = computed.bind(*operands, which=which)
    moving = [None if type(rate) is ad.Zero else rate for rate in rates]
    if isinstance(which, Matrices):
        return values, rates_of_matrices(operands, moving, which)
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


def rates_of_matrices(operands: Sequence[Any], rates: Sequence[Any], which: Matrices) -> list[Any]:
    """Of each, from all of its columns: of pushes along unit vectors, one in a world."""
    n, names = which.of.model.nv, tuple(name for name, rate in zip(which.given, rates, strict=True) if rate is not None)
    moving = [rate for rate in rates if rate is not None]

    def at(*x: Any) -> list[Any]:
        point, moves = x[: len(operands)], x[len(operands) :]
        value = Derivative(which.of, which.given)
        pushes = [value.moved((name,)).moved(names) for name in which.names]
        found = [computed.bind(*point, jnp.eye(n, dtype=point[0].dtype), *moves, which=push)[0] for push in pushes]
        return [columns.T.reshape(-1) for columns in found]

    for _ in range(max(x.ndim for x in operands) - 1):
        at = jax.vmap(at, [0 if x.ndim > 1 else None for x in (*operands, *moving)])
    return at(*operands, *moving)


def by_matrices(operands: Sequence[Any], axes: Sequence[Any], which: Derivative | Matrices, count: int) -> list[Any] | None:
    """Many directions, or many weights, at one point: products with matrices that one call has. None where that is not so."""
    if isinstance(which, Matrices) or count < MANY or which.order != (which.by is None):
        return None
    point, rest = which.part(0), which.part(1 if which.by is not None else 2)
    names = which.along[0] if which.by is None else which.by
    known = operands_of(Derivative(which.of, which.given))
    if any(a is not None for a in axes[point]) or any(x.ndim > 1 for x in operands[point]) or not set(names) <= set(known):
        return None
    n = which.of.model.nv
    found = computed.bind(*operands[point], which=Matrices(which.of, which.given, names))
    matrices = [m.reshape(n, n) for m in found]
    if which.by is None:
        terms = [d @ m.T for d, m in zip(operands[rest], matrices, strict=True)]
        return [jnp.broadcast_to(sum(terms[1:], terms[0]), (count, n))]
    (weights,) = operands[rest]
    return [weights @ m for m in matrices]


def side_by_side(operands: Sequence[Any], axes: Sequence[Any], which: Derivative | Matrices) -> tuple[Any, list[int]]:
    """The rule of vmap: one more leading axis, but for what all share."""
    count = next(x.shape[a] for x, a in zip(operands, axes, strict=True) if a is not None)
    front = [x if a is None else jnp.moveaxis(x, a, 0) for x, a in zip(operands, axes, strict=True)]
    if all(x.ndim == (a is not None) + 1 for x, a in zip(front, axes, strict=True)) and (found := by_matrices(front, axes, which, count)):
        return found, [0] * len(found)
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


def lowered(context: Any, *operands: Any, which: Derivative | Matrices) -> Any:
    """A call of the handler, for one world or for several side by side."""
    worlds = math.prod(context.avals_out[0].shape[:-1])
    return jax.ffi.ffi_lowering(target())(context, *operands, record=np.int64(record(which, worlds == 1).address))


@cache
def record(which: Derivative | Matrices, alone: bool) -> Record:
    """Kept for good."""
    call = which.call
    return Record(call.runner, 1 if alone or call.apart else call.runner.width, call.held, len(call.results))


def elsewhere(context: Any, *operands: Any, which: Derivative | Matrices) -> Any:
    """Where there is no such code."""
    platforms = ", ".join(context.module_context.platforms)
    said = f"The {which.of.name} runs on the CPU, not on {platforms}. Compute it there: with jax.default_device(jax.devices('cpu')[0])."
    raise RedmaxError(said)


mlir.register_lowering(computed, lowered, platform="cpu")
mlir.register_lowering(computed, elsewhere)
