"""`redmax run`: simulate a scene."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from redmax.cli import completion
from redmax.cli.complain import INTERRUPTED, WRONG_INPUT, complain, said
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.options import PAGE, Budget, Debug, Host, NoBrowser, Port, Settings
from redmax.cli.report import first_world, summary, write
from redmax.cli.request import Request, checked_request, with_unmet
from redmax.cli.simulated import Outcome, simulated
from redmax.cli.watched import watched
from redmax.dynamics.choose import FRICTION
from redmax.dynamics.choose import NAMES as DYNAMICS
from redmax.errors import Interrupted, SimulationError
from redmax.integrators import METHODS


def listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


HOW, WRITE = "How to simulate", "What to write"
Scene = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENE", help="A name or reference id of `redmax scenes`, or a scene file.", show_default="sculpture",
        autocompletion=completion.scene_names,
    ),
]  # fmt: skip
Dynamics = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help=f"How accelerations are found: {listed(DYNAMICS)}.", rich_help_panel=HOW, autocompletion=completion.dynamics
    ),
]
Integrator = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=f"How time advances: {listed(METHODS)}.", rich_help_panel=HOW, autocompletion=completion.integrators),
]
Dt = Annotated[float | None, typer.Option(metavar="S", help="Time step; for adaptive the sampling interval (s).", rich_help_panel=HOW)]
Duration = Annotated[float | None, typer.Option(metavar="S", help="Time to simulate (s).", rich_help_panel=HOW)]
Rtol = Annotated[float | None, typer.Option(metavar="R", help="Relative tolerance of adaptive; 1e-8 unless given.", rich_help_panel=HOW)]
Atol = Annotated[
    float | None, typer.Option(metavar="A", help="Absolute tolerance of adaptive; as --rtol unless given.", rich_help_panel=HOW)
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="SE3|SO3xR3",
        help="The group of each body, for generalized-alpha and explicit Lie methods; SE3 unless given. SE3-right, SO3xR3-right: "
        "seen from the world.",
        rich_help_panel=HOW,
    ),
]  # fmt: skip
Index = Annotated[
    int | None,
    typer.Option(
        metavar="3|2|1", help="How generalized-alpha holds joints: by positions, by velocities too, or by accelerations.",
        rich_help_panel=HOW,
    ),
]  # fmt: skip
Rho = Annotated[
    float | None,
    typer.Option(metavar="R", help="What generalized-alpha leaves of fast motion, 0 to 1; 0.9 unless given.", rich_help_panel=HOW),
]
FrameOfBodies = Annotated[
    str | None,
    typer.Option(
        "--frame", metavar="body|joint|NAMES", help="By which bodies move on groups, or names of the scene's frames; body unless given.",
        rich_help_panel=HOW,
    ),
]  # fmt: skip
Friction = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help=f"How friction of contact is solved for: {listed(FRICTION)}; exact unless given.", rich_help_panel=HOW,
        autocompletion=completion.friction,
    ),
]  # fmt: skip
FrictionSides = Annotated[
    int | None,
    typer.Option("--friction-sides", metavar="N", help="Sides of cones of friction, 3 to 64; round unless given.", rich_help_panel=HOW),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE.h5", help="Keep the run, to look at it later.", rich_help_panel=WRITE)]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="The animation as one page that plays offline.", rich_help_panel=WRITE)]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="The energy plot (.png, .svg or .pdf).", rich_help_panel=WRITE)]
Mp4 = Annotated[Path | None, typer.Option("--mp4", metavar="FILE", help="The animation as a film.", rich_help_panel=WRITE)]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE|-", help="The final state as JSON.", rich_help_panel=WRITE)]
View = Annotated[bool, typer.Option("--view", metavar="", help="Watch while it is simulated, in a browser.", rich_help_panel=PAGE)]


@with_examples(
    ("redmax run", "a kinetic sculpture"),
    ("redmax run windmill --html windmill.html", "an animation that plays offline"),
    ("redmax run redmax:14 --integrator adaptive", "a published scene, accurately"),
    ("redmax run mine.yaml --set mass=2 --view", "watch a scene of yours"),
    ("redmax run arm --out arm.h5", "keep it for redmax view and plot"),
    ("redmax run redmax:3 --json -", "the final state, for programs"),
)
def run(
    scene: Scene = None,
    settings: Settings = None,
    budget: Budget = None,
    dynamics: Dynamics = None,
    integrator: Integrator = None,
    dt: Dt = None,
    duration: Duration = None,
    rtol: Rtol = None,
    atol: Atol = None,
    group: Group = None,
    index: Index = None,
    rho: Rho = None,
    frame: FrameOfBodies = None,
    friction: Friction = None,
    friction_sides: FrictionSides = None,
    out: Out = None,
    html: Html = None,
    plot: Plot = None,
    mp4: Mp4 = None,
    to_json: Json = None,
    view: View = False,
    port: Port = 8080,
    host: Host = "127.0.0.1",
    no_browser: NoBrowser = False,
    debug: Debug = False,
) -> int:
    """Simulate a scene. Ctrl-C stops it and keeps what was computed.

    Without options, a published scene (redmax:N) runs with its own step and duration, by implicit on redmax dynamics, or by bdf1 for
    redmax-diff:N; a scene file as its section run says; all others by adaptive on recursive, or by implicit where bodies touch,
    joints rub, or there are deformables. With --integrator alone, explicit ones run on recursive wherever that can do the scene,
    implicit ones on the scene's usual dynamics.
    """
    request = checked_request(
        scene, settings=settings, budget=budget, dynamics=dynamics, integrator=integrator, dt=dt, duration=duration, rtol=rtol, atol=atol,
        group=group, index=index, rho=rho, frame=frame, friction=friction, friction_sides=friction_sides,
        out=out, html=html, plot=plot, mp4=mp4, json=to_json, view=view, port=port, host=host, browser=not no_browser,
    )  # fmt: skip
    for sentence in request.unmet.values():  # said first, so that one may stop and install it; the rest is done
        say(f"Error: {sentence}", err=True)
    try:
        outcome = watched(request) if request.with_live_page else simulated(request)
    except KeyboardInterrupt:
        say("Interrupted; nothing was written.", err=True)
        return INTERRUPTED
    return finished(request, outcome, debug)


def finished(request: Request, outcome: Outcome, debug: bool = False) -> int:
    """Write what was asked for and say how it went; the exit status."""
    whole, failure = outcome
    trajectory = first_world(whole)
    failed = write(request, trajectory)
    if not request.quiet:
        not_made = {option: said(error)[0] for option, error in failed.items()}
        if failure and not isinstance(failure, Interrupted | SimulationError):  # the result file's
            not_made["--out"] = said(failure)[0]
        say(summary(with_unmet(request, {**request.unmet, **not_made}), whole))
    for error in failed.values():
        if debug:
            raise error
        complain(error)
    if isinstance(failure, Interrupted):
        say(f"Interrupted at t = {trajectory.t[-1]:g} s{'; the files hold what there is' if request.files else ''}.", err=True)
        return INTERRUPTED
    if failure:
        return complain(failure)
    if failed:
        return said(next(iter(failed.values())))[1]
    return WRONG_INPUT if request.unmet else 0
