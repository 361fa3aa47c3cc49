"""The energy of a run as a small drawing (SVG) that needs no plotting package."""

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.ground import round_number

Array = NDArray[np.float64]
WIDTH, HEIGHT = 720, 190
LEFT, RIGHT, TOP, BOTTOM = 78, 14, 30, 30  # margins
COLOURS = {"kinetic": "#dd7a2c", "potential": "#3b7cc0", "total": "#20262e"}
OTHER, INK, FAINT = "#8a8f98", "#67707c", "#e4e7eb"
TICKS_ACROSS, TICKS_UP = 8, 4  # about


def energy_svg(times: Array, curves: Mapping[str, Array], unit: str) -> str:
    """Curves (T,) by name over times (T,), with their sum as "total"; not finite values leave a gap."""
    shown = {name: np.asarray(values, float) for name, values in curves.items()}
    shown["total"] = np.sum(list(shown.values()), axis=0)
    finite = np.concatenate([v[np.isfinite(v)] for v in shown.values()])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    low, high = (low, high) if high - low > 1e-12 * max(abs(low), abs(high)) else (low - 1, high + 1)
    start, end = float(times[0]), float(times[-1]) if times[-1] > times[0] else float(times[0]) + 1
    x = LEFT + (times - start) / (end - start) * (WIDTH - LEFT - RIGHT)

    def y(value: Array) -> Array:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#fff"/>']
    for tick in ticks(low, high, TICKS_UP):
        parts.append(f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="{FAINT}"/>')
        parts.append(label(LEFT - 8, float(y(tick)) + 4, f"{tick:.6g}", "end"))
    across = ticks(start, end, TICKS_ACROSS)
    for tick in across:
        at = LEFT + (tick - start) / (end - start) * (WIDTH - LEFT - RIGHT)
        parts.append(label(at, HEIGHT - BOTTOM + 18, f"{tick:.6g}" + (" s" if tick == across[-1] else ""), "middle"))
    for i, (name, values) in enumerate(shown.items()):
        colour = COLOURS.get(name, OTHER)
        parts.append(f'<path d="{line(x, y(values))}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-linejoin="round"/>')
        at = LEFT + 110 * i
        parts.append(f'<path d="M{at} 17h14" stroke="{colour}" stroke-width="3" stroke-linecap="round"/>' + label(at + 21, 21, name))
    parts.append(label(LEFT - 8, 21, unit, "end"))
    frame = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    font = 'font-family="system-ui, sans-serif" font-size="12"'
    return f'<svg {frame} {font} role="img" aria-label="energy over time">{"".join(parts)}</svg>'


def line(x: Array, y: Array) -> str:
    """Path data through points, broken where one is not finite."""
    pieces, pen = [], "M"
    for a, b in zip(x, y, strict=True):
        if not np.isfinite(b):
            pen = "M"
            continue
        pieces.append(f"{pen}{a:.1f} {b:.1f}")
        pen = "L"
    return "".join(pieces)


def ticks(low: float, high: float, count: int) -> Array:
    """Round numbers within a range, about so many."""
    step = round_number((high - low) / count)
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step + 0.0


def label(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" text-anchor="{anchor}">{escape(text)}</text>'
