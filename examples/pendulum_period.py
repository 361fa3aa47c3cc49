"""The period of a physical pendulum, against its closed form.

A body of mass m and inertia I about its hinge, whose centre hangs at distance l below it, obeys

    I q'' = -m g l sin q.

Let go at rest from the angle a, it is back after

    T = 4 K(sin^2(a/2)) sqrt(I / (m g l)),

where K is the complete elliptic integral of the first kind with parameter k^2 (scipy.special.ellipk). For small a this is
2 pi sqrt(I / (m g l)); at 170 degrees it is 2.4 times as long. The example simulates exactly one period for several amplitudes and prints
how far from its start each run ends, of the order of the integrator's tolerance.
"""

from math import radians, sin, sqrt

from scipy.special import ellipk

import redmax as rm

G = 9.81
ROD = rm.Cuboid((0.05, 0.05, 0.8), density=700)
BELOW = 0.4  # of the hinge: the rod hangs by its end


def period(amplitude: float) -> float:
    """T (s) for an amplitude (rad)."""
    inertia = ROD.inertia[1, 1] + ROD.mass * BELOW**2  # about the hinge: parallel axes
    return 4 * float(ellipk(sin(amplitude / 2) ** 2)) * sqrt(inertia / (ROD.mass * G * BELOW))


def pendulum(amplitude: float) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -G), title="Pendulum")
    scene.add_body(ROD, joint=rm.Revolute("y"), com=(0, 0, -BELOW), q=amplitude, name="rod")
    return scene


def miss(amplitude: float, rtol: float = 1e-10) -> float:
    """How far (rad) from its start the pendulum is after one period."""
    T = period(amplitude)
    run = rm.simulate(pendulum(amplitude), duration=T, dt=T / 100, rtol=rtol)
    return abs(float(run.q[-1, 0]) - amplitude)


def main() -> None:
    print("amplitude   period (s)   |q(T) - q(0)| (rad)")
    for degrees in (5, 45, 90, 135, 170):
        print(f"{degrees:6d} deg  {period(radians(degrees)):10.6f}   {miss(radians(degrees)):.1e}")


if __name__ == "__main__":
    main()
