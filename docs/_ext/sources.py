"""Links to files of the repository: on a code host they open there, on the site they lead to a page with the file, highlighted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import JsonLexer, get_lexer_for_filename
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

PLACE = "_files"


class LinkSources(SphinxTransform):
    """MyST makes downloads of such links; here they become references to pages."""

    default_priority = 400  # before files to download are gathered

    def apply(self, **options: Any) -> None:
        root = Path(self.env.srcdir).parent
        for node in list(self.document.findall(addnodes.download_reference)):
            here = Path(self.env.doc2path(self.env.docname)).parent
            target = (here / node["reftarget"]).resolve().relative_to(root)
            up = "../" * self.env.docname.count("/")
            link = nodes.reference("", "", *node.children, refuri=f"{up}{PLACE}/{target}.html", internal=True)
            node.replace_self(link)
            linked(self.env).setdefault(self.env.docname, set()).add(str(target))


def linked(env: Any) -> dict[str, set[str]]:
    """The files that each page leads to."""
    if not hasattr(env, "linked_sources"):
        env.linked_sources = {}
    return env.linked_sources


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    root = Path(app.srcdir).parent
    for name in sorted(set().union(*linked(app.env).values())):
        text = (root / name).read_text("utf-8")
        lexer = JsonLexer() if name.endswith(".ipynb") else get_lexer_for_filename(name, stripnl=False)
        body = highlight(text, lexer, HtmlFormatter(linenos=False))
        yield f"{PLACE}/{name}", {"title": name, "body": f"<h1>{name}</h1>\n{body}"}, "page.html"


class Around:
    """The list of all pages beside that of a file: the same for all files as deep in folders. Made for each, it took a fifth of a build."""

    def __init__(self) -> None:
        self.found: dict[tuple[Any, ...], str] = {}

    def __call__(self, app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
        if name.startswith(f"{PLACE}/"):
            context["toctree"] = partial(self.tree, name.count("/"), context["toctree"])

    def tree(self, depth: int, make: Callable[..., str], **options: Any) -> str:
        key = (depth, *sorted(options.items()))
        if key not in self.found:
            self.found[key] = make(**options)
        return self.found[key]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(LinkSources)
    app.connect("html-collect-pages", pages)
    app.connect("html-page-context", Around(), priority=400)  # before the theme's
    app.connect("env-purge-doc", lambda app, env, docname: linked(env).pop(docname, None))
    return {"parallel_read_safe": False, "parallel_write_safe": True}
