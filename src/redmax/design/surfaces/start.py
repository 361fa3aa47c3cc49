"""Where a fit starts: each of the six numbers by itself, which are linear in the control values; and parameters that nobody gave."""

from __future__ import annotations

import numpy as np

from redmax.design.curves.spans import Spans
from redmax.design.surfaces.bands import Band, Bands
from redmax.design.surfaces.grid import Grid, Places
from redmax.design.surfaces.problem import gathered
from redmax.errors import SceneError
from redmax.lie import se3
from redmax.types import Array

ROUNDS, LEAST = 10, 0.01  # of reweighting (Schlossmacher 1973); and the least distance, of their median
PIVOT = 1e-11  # of the diagonal: what is left of it where rounding decides


def coordinatewise(owner: str, grid: Grid, q: Array, numbers: Array, weights: Array, stiff: Array | None, robust: bool) -> Array:
    """Control values (size, 6) by least squares of the six numbers (N, 6), or an error that names what no pose determines.

    stiff: (cells, K, K) of the smoothing, or None; robust: least distances instead of their squares, for data with outliers
    """
    bands, at = Bands(grid, 1), grid.at(q)
    b = at.weights()
    numbers = np.where(weights[:, None] > 0, numbers, 0.0)
    band = normal(grid, bands, at, b, weights, stiff)
    check_determined(owner, grid, bands, band)
    control = solved(bands, band, gathered(at, b, weights[:, None] * numbers, grid.size))
    for _ in range(ROUNDS if robust else 0):
        off = np.linalg.norm(numbers - at.spline(control), axis=1)
        own = weights / np.maximum(off, LEAST * np.median(off[weights > 0]) + np.finfo(float).tiny)
        own *= weights.sum() / own.sum()
        band = normal(grid, bands, at, b, own, stiff)
        control = solved(bands, band.damped(1e-12), gathered(at, b, own[:, None] * numbers, grid.size))
    return control


def normal(grid: Grid, bands: Bands, at: Places, b: Array, weights: Array, stiff: Array | None) -> Band:
    left, right = bands.pairs
    blocks = np.zeros((int(np.prod(grid.cells)), len(left)))
    np.add.at(blocks, at.cell, weights[:, None] * b[:, left] * b[:, right])
    return Band(bands.gathered(blocks if stiff is None else blocks + stiff[:, left, right]))


def solved(bands: Bands, band: Band, wanted: Array) -> Array:
    found = [band.solve(bands.vector(column[:, None])) for column in wanted.T]
    return np.stack([bands.control(column)[:, 0] for column in found if column is not None], axis=-1)


def check_determined(owner: str, grid: Grid, bands: Bands, band: Band) -> None:
    """Raise where a control value does not follow from the poses."""
    assert band.lower is not None
    diagonal = band.lower[0]
    if (diagonal > 0).all():
        factor = band.damped(1e-15).factor()
        pivots = np.zeros_like(diagonal) if factor is None else factor[0] ** 2 / diagonal
    else:
        pivots = np.where(diagonal > 0, 1.0, 0.0)
    if pivots.min() >= PIVOT:
        return
    loose = bands.control(pivots[:, None])[:, 0] < PIVOT
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(loose)), grid.shape))
    spans = [acts(side, i) for side, i in zip(grid.sides, index, strict=True)]
    where = " and ".join(f"parameter {i} from {low:.4g} to {high:.4g}" for i, (low, high) in enumerate(spans))
    many = f"{loose.sum()} of {grid.size} control values do" if loose.sum() > 1 else "a control value does"
    raise SceneError(
        f"{owner}: {many} not follow from the poses; the first one, {index} of the grid, acts on {where}, where there are too few. "
        "Give smoothing=..., by which what no pose determines follows from what others do; or a smaller grid, or more poses there.",
        owner=owner,
        argument="grid",
    )


def acts(side: Spans, index: int) -> tuple[float, float]:
    """The values of a parameter from the first to the last on which a control value acts."""
    pieces = np.flatnonzero((side.frames == index).any(axis=1))
    return float(side.breaks[pieces[0]]), float(side.breaks[pieces[-1] + 1])


def principal(T: Array, known: Array, metric: Array, dof: int) -> Array:
    """Parameters (N, dof) of poses (N, 4, 4) in the base's frame, when nobody gave them: along the directions in which they vary most."""
    values, vectors = np.linalg.eigh(metric)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    scaled = se3.log(T) @ root
    scaled = scaled - scaled[known].mean(axis=0)
    directions = np.linalg.svd(scaled[known], full_matrices=False)[2]
    return scaled @ directions[:dof].T
