"""What a run was asked for, checked before time is spent on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redmax.cli.extras import missing
from redmax.cli.methods import choose_methods
from redmax.cli.outputs import check_files
from redmax.cli.sources import FROM_FILE, find_scene, parsed_settings
from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from redmax.run.options import RunOptions
    from redmax.scenes import Entry


@dataclass(frozen=True)
class Request:
    """What to run, and how, checked: paths are None where nothing is to be written, and `json` may be "-".

    file: where the scene comes from, if not from the catalogue
    settings: other values for the parameters of a scene file
    budget: how many times the usual one reading the file may take
    unmet: sentences, by option, on what cannot be done for want of a package
    """

    entry: Entry
    file: Path | None
    options: RunOptions
    out: Path | None = None
    html: Path | None = None
    plot: Path | None = None
    mp4: Path | None = None
    json: str | None = None
    view: bool = False
    port: int = 8080
    host: str = "127.0.0.1"
    browser: bool = True
    settings: Mapping[str, float] = field(default_factory=dict)
    budget: float | None = None
    unmet: Mapping[str, str] = field(default_factory=dict)

    @property
    def quiet(self) -> bool:
        """Standard output belongs to the JSON object."""
        return self.json == "-"

    @property
    def files(self) -> dict[str, Path]:
        """What is to be written, by the option that asks for it."""
        to_json = Path(self.json) if self.json is not None and not self.quiet else None
        files = {"--out": self.out, "--html": self.html, "--plot": self.plot, "--mp4": self.mp4, "--json": to_json}
        return {option: path for option, path in files.items() if path is not None and option not in self.unmet}

    @property
    def with_live_page(self) -> bool:
        """Whether to show the live page."""
        return self.view and "--view" not in self.unmet


def checked_request(
    scene: str | None, *, settings: Sequence[str] | None = None, budget: float | None = None, dynamics: str | None = None,
    integrator: str | None = None, dt: float | None = None, duration: float | None = None, rtol: float | None = None,
    atol: float | None = None, group: str | None = None, index: int | None = None, rho: float | None = None, frame: str | None = None,
    friction: str | None = None, friction_sides: int | None = None, **outputs: Any,
) -> Request:  # fmt: skip
    """Everything that can be wrong is found here, before time is spent on the run. outputs: out, html, plot, ..., browser of a Request."""
    from redmax.arguments import positive
    from redmax.run.absolute_conditions import ON_GROUPS
    from redmax.run.combinations import broken
    from redmax.run.options import RunOptions, beside

    values = parsed_settings(settings)
    entry = find_scene(scene, values, budget)
    more = {"group": group, "index": index, "rho": rho, "frame": frame, "friction": friction, "friction_sides": friction_sides}
    more = {name: value for name, value in more.items() if value is not None}
    usual = beside(entry.scene().defaults, {**more, **({} if integrator is None else {"integrator": integrator})})
    if dynamics is None and (group is not None or frame is not None) and integrator in (None, *ON_GROUPS):
        dynamics = "maximal"
    dynamics, integrator = choose_methods(entry, dynamics, integrator)
    for option, given in (("--rtol", rtol), ("--atol", atol)):
        if given is not None and integrator != "adaptive":
            raise RedmaxError(f"{option} is for --integrator adaptive; {integrator} takes steps of --dt.")
    asked: dict[str, Any] = {
        "dynamics": dynamics, "integrator": integrator,
        "dt": positive(entry.dt if dt is None else dt, "--dt"),
        "duration": positive(entry.duration if duration is None else duration, "--duration"),
        "rtol": positive(usual.get("rtol", RunOptions.rtol) if rtol is None else rtol, "--rtol"),
    }  # fmt: skip
    asked |= {} if atol is None else {"atol": positive(atol, "--atol")}
    options = RunOptions(**{**usual, **asked, **more}).checked()
    for _, said in broken(entry.scene().model(), options):
        raise RedmaxError(said)
    options.steps()
    file = Path(scene) if scene and entry.features == FROM_FILE else None
    request = Request(entry, file, options, settings=values, budget=budget, **outputs)
    check_files(request.files, request.file, further={"--out": check_result})
    wanted = [*request.files, *(["--view"] if request.view else [])]
    return with_unmet(request, {option: missing(option) for option in wanted if missing(option)})


def check_result(path: Path) -> None:
    """Raise where something lies that is not the result of an earlier run: what a person wrote is not overwritten."""
    from redmax.results import check_target

    check_target(path)


def with_unmet(request: Request, unmet: Mapping[str, str]) -> Request:
    from dataclasses import replace

    return replace(request, unmet=unmet)
