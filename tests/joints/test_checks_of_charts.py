"""Checks of what a class adds to its motion: changes of charts keep pose and twist, forces have the right size."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm


class Doubled(rm.Joint):
    """An angle, or half of it: in the second chart one unit turns by two radians."""

    dof = 1
    discrete = (("whole", "half"),)
    speed = 0.5

    def transform(self, q):
        return rm.pose(rm.rotation_about("z", rm.math.where(q[1] > 0.5, 2.0, 1.0) * q[0]), np.zeros(3))

    def rechart(self, states):
        far = rm.math.logical_and(states[0][0][0] > 1.0, states[0][0][1] < 0.5)
        return [self.changed(far, q, qdot) for q, qdot in states]

    def changed(self, far, q, qdot):
        where = rm.math.where
        return rm.math.array([where(far, 0.5 * q[0], q[0]), where(far, 1.0, q[1])]), rm.math.array([where(far, self.speed, 1.0) * qdot[0]])


def test_a_change_of_charts_must_keep_pose_and_twist():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(1), joint=Doubled())
    forgetful = type("Forgetful", (Doubled,), {"speed": 1.0})
    with pytest.raises(rm.SceneError, match=r"keep the twist from q = 1\.\d+ in chart 'whole' to q = 0\.\d+ in chart 'half': .* by 1\."):
        scene.add_body(rm.Sphere(1), joint=forgetful())
    with pytest.raises(rm.SceneError, match="does not keep the twist"):
        scene.add_body(rm.Sphere(1), joint=rm.CompositeJoint(rm.Prismatic("x"), rm.Inverted(forgetful())))

    class Short(rm.Joint):
        dof = 1

        def transform(self, q):
            return rm.pose(rm.rotation_about("z", q[0]), np.zeros(3))

        def rechart(self, states):
            return [(q - 6.2 * rm.math.floor(q / 6.2 + 0.5), qdot) for q, qdot in states]

    with pytest.raises(rm.SceneError, match=r"does not keep the pose from q = -?3\.1\d+ to q = -?3\.0\d+: it changes by 0\.08"):
        scene.add_body(rm.Sphere(1), joint=Short())
    empty = type("Empty", (Short,), {"rechart": lambda self, states: []})
    with pytest.raises(rm.SceneError, match=r"Empty\.rechart\(states\) must return as many pairs"):
        scene.add_body(rm.Sphere(1), joint=empty())


def test_a_force_has_one_number_for_each_coordinate():
    class Pushed(rm.Joint):
        dof = 1

        def transform(self, q):
            return rm.pose(rm.rotation_about("z", q[0]), np.zeros(3))

        def force(self, q, qdot):
            return rm.math.array([-q[0], 0.0])

    with pytest.raises(rm.SceneError, match=r"Pushed\.force\(q, qdot\) must return 1 numbers\. Got shape \(2,\)"):
        rm.Scene().add_body(rm.Sphere(1), joint=Pushed())
