"""`redmax cache`: the compiled code that is kept between runs."""

from __future__ import annotations

import typer

from redmax.cli.console import say
from redmax.cli.options import Debug

cache_app = typer.Typer(help="The compiled code that is kept between runs.", rich_markup_mode="rich")


@cache_app.callback(invoke_without_command=True)
def cache(context: typer.Context) -> None:
    """The compiled code that is kept between runs."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cache_app.command("clear")
def clear(debug: Debug = False) -> None:
    """Remove the compiled code that is kept on disk. Nothing is lost: it is compiled again when it is needed."""
    from redmax.backends.llvm.cache import default_cache, default_folder

    count = default_cache().clear()
    say(f"Removed {count} compiled {'part' if count == 1 else 'parts'} from {default_folder() or 'memory'}.")
