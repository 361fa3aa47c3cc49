"""The power of a shortening muscle, against the closed form of the cubic force-velocity curve.

A fully active muscle at its optimal length, without passive force, pulls with f = f_opt f_V(v~) while it shortens, and so gives the power

    P = -v f = -v~ f_V(v~) l_opt v_max f_opt.

Nothing is gained by holding still, nor by shortening as fast as possible, when no force is left. The force-velocity curve of the
RedMax notes is one cubic from v~ = -1 to -0.05, with a triple zero at -1: f_V = c (1 + v~)^3. There dP/dv~ = 0 means

    (1 + v~)^2 (1 + 4 v~) = 0,

so the power is largest at exactly a quarter of the maximum velocity. The other curves have their largest power at about a third, as
measured muscles do. With --picture FILE the example also draws all curves, as in docs/muscles.md.
"""

import sys

import numpy as np
from scipy.optimize import minimize_scalar

from redmax.muscles import Hill, curves

NAMES = curves.NAMES


def fastest_work(name: str) -> tuple[float, float]:
    """The normalised velocity of the largest power, and that power over f_opt l_opt v_max."""
    muscle = Hill(force=1, optimal_length=1, max_velocity=1, curves=name)
    found = minimize_scalar(lambda v: v * muscle.tension(1.0, v, 1.0), bounds=(-1, 0), method="bounded", options={"xatol": 1e-10})
    return float(found.x), float(-found.fun)


def picture(path: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2), layout="constrained", facecolor="white")
    shown = [
        ("active_length", "active, by length", "fibre length / optimal", (0.2, 2.0)),
        ("passive_length", "passive, by length", "fibre length / optimal", (0.8, 1.8)),
        ("velocity", "active, by velocity", "velocity / maximum (lengthening > 0)", (-1.2, 1.2)),
    ]
    for axes, (part, title, label, (low, high)) in zip(figure.subplots(1, 3), shown):
        x = np.linspace(low, high, 400)
        for name in NAMES:
            axes.plot(x, getattr(curves.curves_of("picture", name), part)(x), label=name)
        axes.set(title=title, xlabel=label, ylim=(-0.05, 1.9))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("force / optimal force")
    figure.axes[0].legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    for name in NAMES:
        v, power = fastest_work(name)
        print(f"{name:<16} largest power {power:.3f} f_opt l_opt v_max, when shortening at {-v:.3f} of the maximum velocity")
    if "--picture" in sys.argv[:-1]:
        picture(sys.argv[sys.argv.index("--picture") + 1])


if __name__ == "__main__":
    main()
