"""The report of a fit: one page that needs no network, with what was fitted, how well, and its plots."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from io import BytesIO
from os import PathLike
from typing import Any

import numpy as np

from redmax.arguments import as_floats, as_names, as_path
from redmax.design.curves import CurveFit
from redmax.design.poses import checked_poses
from redmax.design.surfaces import SurfaceFit
from redmax.errors import RedmaxError, wrong
from redmax.text import one_line
from redmax.types import Array
from redmax.view import plot_style
from redmax.view.fit_facts import facts_of
from redmax.view.fit_plots import PLOTS, Shown, worst
from redmax.view.plot_style import SUFFIXES, save
from redmax.view.surface_fit_plots import SURFACE_PLOTS, ShownSurface, facts_of_surface, furthest
from redmax.writing import write_text

OWNER, ITERATIONS = "fit_report", 60
STYLE = """body{font:15px/1.5 system-ui,sans-serif;color:#23272e;max-width:900px;margin:2em auto;padding:0 1em}
h1{font-size:1.5em}h2{font-size:1.1em;margin-top:2em}img{max-width:100%}table{border-collapse:collapse}
td,th{padding:.15em 1em .15em 0;text-align:left;vertical-align:top}th{color:#6a727c;font-weight:normal}p.small{color:#6a727c}
@media(prefers-color-scheme:dark){body{background:#fff}}"""


def fit_report(
    fit: CurveFit | SurfaceFit,
    poses: Array,
    path: str | PathLike[str],
    *,
    title: str = "A joint fitted to poses",
    name: str | Sequence[str] = "q",
    what: str = "",
    before: CurveFit | None = None,
) -> None:
    """Write what a fit found: a page (.html) with all of its plots, or one plot as .png, .svg or .pdf.

    poses: (N, 4, 4) that it was fitted to; title: of the page; name: of the coordinate; of several before their numbers, or a list
    before: another fit of these poses, as one without smoothing, which is drawn beside this one
    what: the plot, "motion", "coordinates" or "residuals", and of a curve "screws" or "curvature"; not of a page, which has all
    """
    target = as_path(path, "A report", "report.html")
    if not isinstance(fit, CurveFit | SurfaceFit):
        raise wrong(OWNER, "fit", fit, "what fit_curve returns, or fit_surface")
    if before is not None and not (isinstance(before, CurveFit) and isinstance(fit, CurveFit)):
        raise wrong(OWNER, "before", before, "what fit_curve returns, beside another of these")
    plots: dict[str, Any] = PLOTS if isinstance(fit, CurveFit) else SURFACE_PLOTS
    page = target.suffix.lower() in (".html", ".htm")
    if not page and target.suffix.lower() not in SUFFIXES:
        raise RedmaxError(f"{OWNER}: the name of {target.name!r} ends in {target.suffix!r}, expected .html, {', '.join(SUFFIXES)}.")
    if what not in ({""} if page else plots):
        valid = "no plot by name, as a page has all" if page else f"one of {', '.join(plots)}"
        raise wrong(OWNER, "what", what, valid)
    E = as_floats(poses)
    if E is not None and E.ndim == 3:
        E[np.asarray(np.isnan(E).any(axis=(1, 2)))] = np.nan  # what is known in part is not shown
    E = checked_poses(poses if E is None else E, owner=OWNER, missing=True, least=1, looks=False)
    if len(E) != len(fit.parameters):
        raise wrong(OWNER, "poses", E, f"the {len(fit.parameters)} poses that were fitted")
    if isinstance(fit, CurveFit):
        (own,) = names_of(1, name)
        shown: Shown | ShownSurface = Shown(fit, E, own, None if before is None else before.joint)
    else:
        shown = ShownSurface(fit, E, names_of(fit.joint.dof, name))
    if page:
        write_text(target, page_of(shown, plots, title))
    else:
        save(plots[what][0](shown), target)


def names_of(dof: int, name: str | Sequence[str]) -> tuple[str, ...]:
    """Of the coordinates."""
    if isinstance(name, str):
        return (one_line(name),) if dof == 1 else tuple(f"{one_line(name)}[{i}]" for i in range(dof))
    found = as_names(name)
    if found is None or len(found) != dof:
        raise wrong(OWNER, "name", name, "a text" if dof == 1 else f"a text, or {dof} of them: one for each coordinate")
    return tuple(one_line(x) for x in found)


def page_of(shown: Shown | ShownSurface, plots: dict[str, Any], title: str) -> str:
    """The whole page."""
    if isinstance(shown, Shown):
        said, names, far = facts_of(shown.fit, shown.poses, shown.name), (shown.name,), worst(shown)
    else:
        said, names, far = facts_of_surface(shown), shown.names, furthest(shown)
    facts = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in said.items())
    rows = "".join(f"<tr><td>{k}</td>{''.join(f'<td>{x:.5g}</td>' for x in row)}</tr>" for k, *row in far)
    head = f"<tr>{''.join(f'<th>{escape(x)}</th>' for x in ('pose', *names, 'angle (°)', 'distance (mm)'))}</tr>"
    parts = [f"<h1>{escape(one_line(title))}</h1><table>{facts}</table>"]
    for what, (plot, about) in plots.items():
        parts.append(f"<h2>{what.capitalize()}</h2><p class=small>{escape(about)}</p>{image(plot(shown), what)}")
    parts.append(f"<h2>Furthest off</h2><table>{head}{rows}</table>")
    parts.append(f"<h2>Iterations</h2><table>{log_of(shown.fit)}</table>")
    body = "\n".join(parts)
    begin = f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(one_line(title))}</title><style>{STYLE}</style>"
    return f"{begin}\n{body}\n</html>\n"


def log_of(fit: CurveFit | SurfaceFit) -> str:
    """Rows of a table: what each iteration began with and did, the last ones of many."""
    first = max(0, len(fit.log) - ITERATIONS)
    rows = [
        (f"{k}", f"{step.objective:.9g}", f"{step.gradient:.1e}", f"{step.step:.1e}", f"{step.damping:.1g}", step.method)
        for k, step in enumerate(fit.log[first:], first)
    ]
    rows.append((f"{len(fit.log)}", f"{fit.objective:.9g}", f"{np.abs(fit.gradient).max():.1e}", "", "", ""))
    head = "".join(f"<th>{x}</th>" for x in ("", "objective", "gradient", "step (rad, m)", "damping", "method"))
    return f"<tr>{head}</tr>" + "".join(f"<tr>{''.join(f'<td>{x}</td>' for x in row)}</tr>" for row in rows)


def image(figure: object, what: str) -> str:
    """A figure within the page."""
    data = BytesIO()
    figure.savefig(data, dpi=0.75 * plot_style.DPI, format="png")  # type: ignore[attr-defined]
    return f'<img alt="{what}" src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'
