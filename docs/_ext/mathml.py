"""Formulas as MathML, made when the site is built: browsers show it by themselves, so no script and no font is loaded."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

ACCENTS = ("&#x002D9;", "&#x000A8;", "&#x0005E;", "&#x0007E;", "&#x000AF;")  # dot, ddot, hat, tilde, bar
NAME = re.compile(r'<mrow>((?:<mi mathvariant="normal">[A-Za-z]</mi>){2,})</mrow>')


def mathml(latex: str, display: str) -> str:
    text = convert(latex, display=display)
    if re.search(r"<m[iot]>\\|<mi>&</mi>|<mtext>\\", text):
        raise ExtensionError(f"latex2mathml does not know all of the formula {latex!r}.")
    for accent in ACCENTS:
        text = text.replace(f"<mo>{accent}</mo></mover>", f'<mo stretchy="false">{accent}</mo></mover>')
    text = re.sub(r"<mover>(?=(?:(?!</?mover).)*?<mo stretchy=\"false\">&#)", '<mover accent="true">', text)
    return NAME.sub(lambda found: f"<mi>{re.sub('<[^>]*>', '', found[1])}</mi>", text)  # a name of letters is upright as it is


def visit_math(self: Any, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    self.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
