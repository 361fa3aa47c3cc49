"""Docstrings as they stand in the code become reStructuredText: `code` is literal, and lines "name, name: meaning" a list of definitions.

Signatures show what a user may give, without types: docstrings say units and shapes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

WORD = r"\*{0,2}[A-Za-z_][\w.]*(?:\([^)]*\))?(?:=\[[^\]]*\]|=\w+)?"
ITEM = re.compile(rf"({WORD}(?:(?:, | and ){WORD})*(?: \([^)]*\))?): +(?=\S)")
NEXT = re.compile(rf";\s+(?={WORD}(?:, {WORD})*: )")


def translated(lines: list[str]) -> list[str]:
    """The lines of a docstring, in reStructuredText."""
    out: list[str] = []
    for empty, block in groupby(lines, key=lambda line: not line.strip()):
        if not empty:
            out += paragraph(list(block))
    return out


def paragraph(lines: list[str]) -> Iterator[str]:
    """Lines without an empty one between: code, text, or items one after the other, mixed with text."""
    if lines[0].startswith("    "):
        yield from ("::", "", *("    " + line for line in lines), "")
        return
    for name, text in entries(lines):
        if name:
            yield from (f"``{name}``", f"    {escaped(text)}", "")
        else:
            yield from (escaped(text), "")


def entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    """(name, meaning), or ("", text) for a line that begins no item; indented lines go on with what is before."""
    joined: list[str] = []
    for line in lines:
        begins = not line.startswith(" ") and (ITEM.match(line) or not joined or ITEM.match(joined[-1]))
        if begins:
            joined.append(line)
        else:
            joined[-1] += " " + line.strip()
    for entry in joined:
        for part in NEXT.split(entry) if ITEM.match(entry) else [entry]:
            found = ITEM.match(part)
            yield (found[1], part[found.end() :].rstrip(";")) if found else ("", part)


def escaped(text: str) -> str:
    """Everything but `code` as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return re.sub(r"([\\*|_`])", r"\\\1", text)
    return "".join(f"``{part}``" if i % 2 else re.sub(r"([\\*|_])", r"\\\1", part) for i, part in enumerate(parts))


def translate(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = translated(lines)


def signature(app: Sphinx, what: str, name: str, obj: Any, options: Any, given: str | None, result: str | None) -> tuple[str, str] | None:
    """Arguments and their defaults; fields that a class makes by itself are left out."""
    if what not in ("class", "function", "method") or (
        isinstance(obj, type) and "__init__" not in vars(obj) and issubclass(obj, Exception)
    ):
        return None
    found = inspect.signature(obj)
    kept = [
        p.replace(annotation=p.empty) for p in found.parameters.values() if repr(p.default) != "<factory>" and p.name not in ("self", "cls")
    ]
    return str(found.replace(parameters=kept, return_annotation=found.empty)), ""


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
