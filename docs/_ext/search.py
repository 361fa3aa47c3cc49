"""What the search shows of its hits: the part of the site that a page belongs to, and the words around what was found.

Sphinx fetches the pages that it found to quote them, which browsers refuse where there is no server. Here the texts of all sections,
and the first sentences of what the reference describes, are one script beside the index: `_static/search.js` shows hits with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contents import PARTS
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

TEXTS = "search-texts.js"
LONGEST = 8000  # characters of a section that are kept


def part_of(docname: str) -> str:
    """The heading of the table of contents under which a page stands."""
    return next((title for title, pages in PARTS.items() if docname in pages), "")


def sections(document: nodes.document) -> Iterator[tuple[str, str, str]]:
    """(anchor, title, text) of each section, without that of the sections in it; code comes last, since words say more when quoted."""
    for section in document.findall(nodes.section):
        title, *others = section.children
        own = [child for child in others if not isinstance(child, nodes.section | addnodes.index)]
        text = " ".join(child.astext() for child in sorted(own, key=lambda child: isinstance(child, nodes.literal_block)))
        yield section["ids"][0], title.astext(), " ".join(text.split())[:LONGEST]


def objects(document: nodes.document) -> Iterator[tuple[str, str]]:
    """(anchor, first paragraph) of what the reference describes."""
    for described in document.findall(addnodes.desc):
        said = next((p for content in described.findall(addnodes.desc_content) for p in content.findall(nodes.paragraph)), None)
        for signature in described.findall(addnodes.desc_signature):
            if signature.parent is described and signature["ids"]:
                yield signature["ids"][0], " ".join(said.astext().split()) if said is not None else ""


def texts(env: Any) -> dict[str, Any]:
    """By page: its part, its sections, and what it describes."""
    found = {}
    for docname in sorted(env.found_docs):
        document = env.get_doctree(docname)
        found[docname] = {"part": part_of(docname), "sections": list(sections(document)), "objects": dict(objects(document))}
    return found


def write_texts(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        text = json.dumps(texts(app.env), ensure_ascii=False, separators=(",", ":"))
        (Path(app.outdir) / "_static" / TEXTS).write_text(f"const TEXTS = {text};\n", "utf-8")


def add_scripts(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """To the page that searches alone; they run when the scripts of Sphinx have been read, and before these begin."""
    if name == "search":
        for script in (TEXTS, "search.js"):
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
