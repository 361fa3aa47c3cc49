"""A run that pictures are taken of, and which of their pixels have the hue of a colour."""

import colorsys
from functools import cache

import numpy as np

import redmax as rm
from redmax.components.colours import hex_colour
from redmax.view.looks import look_of
from redmax.view.picture.pictures import pixels
from redmax.view.stage import stage_of

SIZE = (200, 120)


def flying() -> rm.Scene:
    """A ball that is thrown far, with a bar on it; and a block that stays behind."""
    scene = rm.Scene(title="flying")
    ball = scene.add_body(rm.Sphere(0.2), joint=rm.Free3D(), qdot=[6, 2, 5, 0, 1, 0], name="ball", color="tomato")
    scene.add_body(rm.Cuboid((0.5, 0.05, 0.05)), parent=ball, joint=rm.Revolute("z"), com=(0.3, 0, 0), name="bar", color="gray")
    scene.add_body(rm.Cuboid((0.6, 0.6, 0.6)), at=(0, 1.5, 0), name="block", color="#2040d0")
    return scene


@cache
def run() -> rm.Trajectory:
    return rm.simulate(flying(), 1.0, 0.02)


def seen(t: float = 1.0, size: tuple[int, int] = SIZE, **look) -> np.ndarray:
    return pixels(stage_of(run(), look_of(run().model, look)), t=t, size=size)


def hue(rgb) -> float:
    return colorsys.rgb_to_hsv(*(np.asarray(rgb, float)[:3] / 255))[0] * 360


def of_hue(picture: np.ndarray, colour: str) -> np.ndarray:
    """Which pixels have about the hue of a colour, and are no grey."""
    wanted = hue([int(hex_colour(colour, "test")[i : i + 2], 16) for i in (1, 3, 5)])
    hsv = np.array([colorsys.rgb_to_hsv(*rgb) for rgb in picture[..., :3].reshape(-1, 3) / 255])
    near = np.abs((hsv[:, 0] * 360 - wanted + 180) % 360 - 180) < 8
    return (near & (hsv[:, 1] > 0.35)).reshape(picture.shape[:2])
