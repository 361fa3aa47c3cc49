"""Captions: a picture that stands alone shows below it what its Markdown says of it, unless the heading above says so already."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class Captions(SphinxTransform):
    """Paragraphs of nothing but a picture become figures."""

    default_priority = 410  # after links, before pictures are gathered

    def apply(self, **options: Any) -> None:
        for image in list(self.document.findall(nodes.image)):
            paragraph, said = image.parent, image.get("alt", "")
            alone = isinstance(paragraph, nodes.paragraph) and len(paragraph) == 1 and isinstance(paragraph.parent, nodes.section)
            if alone and said and said != paragraph.parent.children[0].astext():
                figure = nodes.figure("", image, nodes.caption(said, said))
                self.document.set_id(figure)  # which the site asks of all that have captions
                paragraph.replace_self(figure)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(Captions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
