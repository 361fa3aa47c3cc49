"""The documentation site: `make docs` writes build/docs/index.html. Pages are plain Markdown that also reads well on a code host."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]

import redmax  # noqa: E402  (from this checkout)

project = "redmax"
author = "The redmax developers"
copyright = "the redmax developers, MIT licence"
version = release = redmax.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "captions", "contents", "docstrings", "mathml", "search", "sources"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
exclude_patterns = ["_ext", "_static"]
nitpicky = True
smartquotes = False  # "x" is what one types
highlight_language = "python"
pygments_dark_style = "github-dark"

autodoc_typehints = "none"  # docstrings say units and shapes, which types do not
autodoc_mock_imports = ["jax", "torch", "casadi"]  # which bridges lead to: nobody need install them to read about these
autodoc_member_order = "bysource"
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "redmax"
html_logo = "images/logo.svg"
html_favicon = "images/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it would fetch pages, which browsers refuse where there is no server: see _ext/search.py
html_math_renderer = "mathml"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#b4481a", "color-brand-content": "#1f5f99", "color-brand-visited": "#1f5f99"},
    "dark_css_variables": {"color-brand-primary": "#f0945a", "color-brand-content": "#7cb7ea", "color-brand-visited": "#7cb7ea"},
    "footer_icons": [],
}
