"""Small files that ask for much: curves, surfaces and splines."""

from __future__ import annotations

from math import cos, sin

import numpy as np

from bombs.registry import bomb, encoded, jointed


@bomb
def spline_of_many_frames(n: int) -> str:
    frames = np.tile(np.eye(4), (100 * n, 1, 1))
    frames[:, :3, 3] = [(i, sin(i), 0.0) for i in range(100 * n)]
    return jointed(f"SplineCurve: {{frames: {encoded(frames)}}}")


@bomb
def large_spline_surface(n: int) -> str:
    m = 10 * n
    values = np.zeros((m, m, 6))
    values[..., 0], values[..., 1] = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    return jointed(f"SplineSurface: {{values: {encoded(values)}}}")


@bomb
def spline_surface_of_high_order(n: int) -> str:
    m = 4 * n
    values = np.zeros((m, m, 6))
    values[..., 0], values[..., 1] = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    return jointed(f"SplineSurface: {{values: {encoded(values)}, order: {m}}}")


@bomb
def spline_of_high_order(n: int) -> str:
    frames = np.tile(np.eye(4), (8 * n, 1, 1))
    frames[:, :3, 3] = [(i, sin(i), 0.0) for i in range(8 * n)]
    return jointed(f"SplineCurve: {{frames: {encoded(frames)}, order: {8 * n}}}")


@bomb
def deforming_surface_of_many_modes(n: int) -> str:
    values = np.zeros((6, 6, 6))
    values[..., 0], values[..., 1] = np.meshgrid(np.arange(6), np.arange(6), indexing="ij")
    mode = f"[{encoded(0.01 * values)}, 'sin(t)']"
    modes = ", ".join([f"&m {mode}", *["*m"] * n])
    return jointed(f"DeformingSplineSurface: {{values: {encoded(values)}, modes: [{modes}]}}")


@bomb
def bezier_of_high_degree(n: int) -> str:
    points = [(i, sin(i), cos(i)) for i in range(10 * n)]
    return jointed(f"CurveJoint: {{curve: {{curves.Bezier: {{points: {encoded(points)}}}}}}}")


@bomb
def bezier_patch_of_high_degree(n: int) -> str:
    m = 4 * n
    x, y = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    points = encoded(np.stack([x, y, np.sin(x + y)], axis=-1))
    joint = f"PointOnSurface: {{surface: {{surfaces.BezierPatch: {{points: {points}}}}}}}"
    return jointed(joint)


@bomb
def polyline_of_many_points(n: int) -> str:
    points = encoded([(i, sin(i), cos(i)) for i in range(200 * n)])
    joint = f"CurveJoint: {{curve: {{curves.Polyline: {{points: {points}, through: true, degree: 5}}}}}}"
    return jointed(joint)


@bomb
def polyline_of_high_degree(n: int) -> str:
    points = encoded([(i, sin(i), cos(i)) for i in range(20 * n + 2)])
    joint = f"CurveJoint: {{curve: {{curves.Polyline: {{points: {points}, degree: {20 * n}}}}}}}"
    return jointed(joint)
