"""The table of contents, added to index.md while it is read, so that the page itself stays plain Markdown."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

PARTS = {
    "Begin": ["tutorial", "gallery", "scenes", "commands"],
    "Walk-throughs": ["walkthroughs/graphics", "walkthroughs/robotics", "walkthroughs/biomechanics", "walkthroughs/engineering"],
    "How to": [
        "howto/joint", "howto/force", "howto/loop", "howto/constraint_forces", "howto/muscle", "howto/track", "howto/control",
        "howto/drive", "howto/frames", "howto/reach", "howto/optimise", "howto/bridges",
        "howto/fit", "howto/surface", "howto/whole", "howto/read", "howto/integrator",
        "howto/speed",
    ],
    "Guide": [
        "conventions", "joints", "splines", "forces", "constraints", "contact", "rubbing", "muscles", "deformables", "simulation", "files",
        "results",
        "viewer", "appearance", "notebooks", "security",
    ],
    "Background": ["theory", "geometry", "derivatives", "design", "core", "adding"],
    "Reference": [
        "api/scene", "api/bodies", "api/joints", "api/curves", "api/forces", "api/constraints", "api/muscles", "api/deformables",
        "api/design", "api/reach", "api/gradients", "api/simulate", "api/trajectory", "api/dynamics",
        "api/bridges", "api/io", "api/errors", "api/math",
    ],
}  # fmt: skip


def contents(folder: Path) -> str:
    """The toctrees, in MyST; pages that are not there are left out."""
    parts = []
    for title, pages in PARTS.items():
        there = [page for page in pages if (folder / f"{page}.md").exists()]
        parts.append("\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *there, "```"]))
    return "\n\n".join(parts)


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname == app.config.root_doc:
        source[0] += "\n\n" + contents(Path(app.srcdir)) + "\n"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
