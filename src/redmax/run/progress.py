"""How far a run is: a bar on standard error, a function of the user's, or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from redmax.arguments import brief
from redmax.errors import SceneError
from redmax.text import one_line

Progress = Callable[[float, float], None]  # told after each portion: simulated seconds, and how many there will be
Energies = Callable[[], tuple[float, float]]  # kinetic and potential now, of all worlds together
PAUSE = 0.25  # s of wall time between two looks at the energy


class Watch:
    """Tells a progress that asks for it, by having a method `energy(kinetic, potential)`, what the energy is, a few times a second.

    computing: what to be in while samples are computed, the progress's own if it has one: there a run may be interrupted anywhere.
    """

    def __init__(self, progress: Progress) -> None:
        self.tell: Callable[[float, float], None] | None = getattr(progress, "energy", None)
        self.computing: Callable[[], AbstractContextManager[None]] = getattr(progress, "computing", nullcontext)
        self.due = 0.0

    def look(self, energies: Energies, always: bool = False) -> None:
        """energies: called only when it is time to tell them, or `always`, as at the end."""
        if self.tell is not None and (always or time.monotonic() >= self.due):
            self.tell(*energies())
            self.due = time.monotonic() + PAUSE


@contextmanager
def showing_progress(progress: Progress | bool | None) -> Iterator[Progress]:
    """The function to call while a run goes on."""
    if progress is True:
        with bar() as show:
            yield show
    else:
        yield progress if callable(progress) else lambda t, end: None


@contextmanager
def showing_parts(progress: Callable[[int, int], object] | bool | None, what: str) -> Iterator[Callable[[int, int], object]]:
    """The function to call with how many parts are done, of how many. what: is done, as the bar says; True asks for one."""
    if progress is None or isinstance(progress, bool):
        if not progress:
            yield lambda done, count: None
            return
        with parts_bar(what) as show:
            yield show
    elif callable(progress):
        yield progress
    else:
        raise SceneError(f"progress is True for a bar, a function (done, count), or None. Got {brief(progress)}.")


@contextmanager
def parts_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error that goes when all is done."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Display

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), TimeRemainingColumn(compact=True))
    with Display(*columns, console=Console(stderr=True), expand=True, transient=True) as display:
        task = display.add_task(one_line(what), total=None)
        yield lambda done, count: display.update(task, completed=done, total=count)


def check_progress(progress: object) -> None:
    """Raise unless `showing_progress` knows what to do with it."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise SceneError(f"progress is True for a bar, a function (t, end), or None. Got {brief(progress)}.")


@contextmanager
def bar(*, conservative: bool = False, energy_unit: str = "") -> Iterator[Progress]:
    """A bar on standard error. conservative: whether the energy should stay, so that its drift is shown in place of the energy."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Display

    facts = [TextColumn(f"{{task.fields[{name}]}}", style=style) for name, style in (("now", ""), ("pace", "cyan"), ("energy", "dim"))]
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), *facts, TimeRemainingColumn(compact=True))
    with Display(*columns, console=Console(stderr=True), expand=True) as display:
        task = display.add_task("compiling", total=None, now="", pace="", energy="")  # without a total the bar pulses
        yield Meter(lambda **fields: display.update(task, **fields), conservative, energy_unit)


class Meter:
    """What a bar says of a run: how far it is, how fast compared with the clock, and what becomes of its energy.

    update: told the fields of the bar that changed. It is compiling until the first report.
    """

    def __init__(self, update: Callable[..., None], conservative: bool, energy_unit: str) -> None:
        self.update, self.conservative, self.unit = update, conservative, energy_unit
        self.started: float | None = None
        self.first, self.largest = 0.0, 0.0

    def start(self) -> float:
        """When simulating began, on the clock."""
        if self.started is None:
            self.started = time.perf_counter()
            self.update(description="simulating", total=1.0)
        return self.started

    def __call__(self, t: float, end: float) -> None:
        passed = time.perf_counter() - self.start()
        self.update(completed=t / end, now=f"{t:.2f} of {end:g} s", pace=pace(t, passed))

    def energy(self, kinetic: float, potential: float) -> None:
        """The drift |E - E0| / max T, of what was seen so far."""
        if self.started is None:
            self.start()
            self.first = kinetic + potential
        self.largest = max(self.largest, kinetic)
        change = abs(kinetic + potential - self.first)
        if not self.conservative:
            self.update(energy=f"energy {kinetic + potential:.4g} {self.unit}".rstrip())
        elif self.largest > 0:
            self.update(energy=f"drift {change / self.largest:.0e}")


def pace(simulated: float, passed: float) -> str:
    """How many times as fast as the clock, with two or three digits that mean something."""
    if simulated <= 0 or passed <= 0:
        return ""
    ratio = simulated / passed
    return f"{ratio:.0f}x real time" if ratio >= 100 else f"{ratio:.1f}x real time" if ratio >= 0.1 else f"{ratio:.1g}x real time"
