"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from redmax.cli import completion

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Another value for a parameter of a scene file; may be an expression (pi/4).",
        autocompletion=completion.settings,
    ),
]  # fmt: skip
Budget = Annotated[
    float | None,
    typer.Option(metavar="N", help="How many times the usual work and memory a scene file that you trust may take to read."),
]
Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A result file (run --out), or a scene, which is run first.",
        show_default=False,
        autocompletion=completion.runs,
    ),
]
PAGE = "Page in the browser"
Port = Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="Where this machine serves the page.", rich_help_panel=PAGE)]
Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS", help="Who can reach the page: this machine alone, or with 0.0.0.0 others that have its address.",
        rich_help_panel=PAGE,
    ),
]  # fmt: skip
NoBrowser = Annotated[
    bool, typer.Option("--no-browser", metavar="", help="Serve the page without opening a browser.", rich_help_panel=PAGE)
]
Debug = Annotated[bool, typer.Option("--debug", metavar="", help="Show a traceback when something fails.")]
