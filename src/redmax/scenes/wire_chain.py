"""A chain of rings that slides along a Bezier curve of degree 6 (Si & Guenter Fig. 3).

The curve goes through the centre of the first ring, whose axis stays along it; the others hang from it as in torus_chain. Let go high
at one end, the chain slides down, over the hump in the middle and up the other side; it swings out behind itself where it is slow and
to the side in the bends.
"""

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.torus_chain import RING, UPRIGHT, hang_rings

RINGS = 6
POINTS = np.array(  # m; the ends are high, so that the chain does not leave them
    [(-1.9, 0.0, 1.5), (-1.7, 0.9, -0.4), (-0.9, 1.0, -0.9), (0.0, 0.0, 1.5), (0.9, -1.0, -0.9), (1.7, -0.9, -0.4), (1.9, 0.0, 1.5)]
)


def build() -> rm.Scene:
    scene = rm.Scene()
    bead = rm.CompositeJoint(rm.CurveJoint(rm.curves.Bezier(POINTS)), rm.pose(UPRIGHT, (0, 0, 0)))
    ring = scene.add_body(RING, joint=bead, q=0.05, name="ring1")
    hang_rings(scene, ring, RINGS - 1)
    return scene


FEATURES = ("curve joint", "surface contact", "composite joint", "Bezier curve")
ENTRIES = (Entry("bezier-torus-chain", "Chain of rings on a Bezier curve", build, FEATURES, duration=10.0),)
