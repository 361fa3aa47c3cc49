"""A chain of rings that slides along a Bezier curve of degree 6 (Si & Guenter Fig. 3).

The curve goes through the centre of the first ring, whose axis stays along it; the others hang from it as in torus_chain. Let go near one
of the high ends, the chain slides down into the bend, swings out there, runs up the other side, and comes back.
"""

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.torus_chain import RING, UPRIGHT, hang_rings

RINGS = 9
POINTS = np.array(  # m; a horseshoe with its ends high, so that the chain does not leave them
    [(-2.5, 0.0, 1.5), (-2.0, 1.0, 0.2), (-1.0, 1.7, -0.6), (0.0, 1.7, 0.9), (1.0, 1.7, -0.6), (2.0, 1.0, 0.2), (2.5, 0.0, 1.5)]
)
START = 0.15  # of the curve's parameter, 0 to 1


def build() -> rm.Scene:
    scene = rm.Scene()
    bead = rm.CompositeJoint(rm.CurveJoint(rm.curves.Bezier(POINTS)), rm.pose(UPRIGHT, (0, 0, 0)))
    ring = scene.add_body(RING, joint=bead, q=START, name="ring1")
    hang_rings(scene, ring, RINGS - 1)
    return scene


FEATURES = ("curve joint", "Bezier curve", "surface contact", "composite joint", "torus on torus")
ENTRIES = (Entry("bezier-torus-chain", "Chain of rings on a Bezier curve", build, FEATURES, duration=10.0),)
