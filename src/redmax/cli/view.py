"""`redmax view`: a run in the browser."""

from __future__ import annotations

from redmax.cli.examples import with_examples
from redmax.cli.extras import missing
from redmax.cli.options import Debug, Host, NoBrowser, Port, Settings, Source
from redmax.cli.simulated import trajectory_of
from redmax.errors import RedmaxError


@with_examples(
    ("redmax run arm --out arm.h5", "keep a run"),
    ("redmax view arm.h5", "look at it, until Ctrl-C"),
    ("redmax view arm.h5 --no-browser --port 9000", "from elsewhere, by ssh -L"),
    ("redmax view windmill", "run it first"),
)
def view(
    file: Source,
    settings: Settings = None,
    port: Port = 8080,
    host: Host = "127.0.0.1",
    no_browser: NoBrowser = False,
    debug: Debug = False,
) -> int:
    """Open a saved run in the browser: play, pause, drag the time line. Ctrl-C ends it."""
    unmet = missing("--view", "redmax view")
    if unmet:
        raise RedmaxError(f"{unmet} Without it: redmax export {file} --html page.html")
    trajectory, status = trajectory_of(file, settings)
    trajectory.view(port=port, open_browser=not no_browser, block=True, host=host)
    return status
