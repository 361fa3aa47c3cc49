"""Accelerations under forces, as another engine has them: MuJoCo's tendons, joint springs, actuators, viscous medium and applied forces.

One mechanism is written twice, with hinges and slides, whose coordinates mean the same in both: a swinging arm of two links with a
slider at its end, and a block that turns and slides beside it.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import redmax as rm

OBLIQUE = np.array([0.6, 0.0, 0.8])
MECHANISM = """
<mujoco>
  <option gravity="0 0 -9.81" viscosity="{viscosity}"/>
  <default><geom type="box" contype="0" conaffinity="0"/></default>
  <worldbody>
    <site name="hook" pos="0.2 -0.5 0.9"/>
    <body name="upper">
      <joint name="upper" type="hinge" axis="0 1 0" {upper}/>
      <geom pos="0.2 0 0" size="0.2 0.03 0.02" mass="1.5"/>
      <site name="upper1" pos="0.15 0.02 0.1"/><site name="upper2" pos="0.35 -0.05 0.06"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="lower" type="hinge" axis="0.6 0 0.8" {lower}/>
        <geom pos="0.15 0 0" size="0.15 0.02 0.03" mass="0.7"/>
        <site name="lower1" pos="0.2 0.03 0.07"/>
        <body name="slider" pos="0.3 0 0">
          <joint name="slider" type="slide" axis="1 0 0" {slider}/>
          <geom size="0.05 0.04 0.03" mass="0.4"/>
          <site name="slider1" pos="0.01 0.02 -0.03"/>
        </body>
      </body>
    </body>
    <body name="carriage" pos="0.1 0.6 -0.2">
      <joint name="carriage" type="slide" axis="0 1 0"/>
      <geom size="0.1 0.1 0.02" mass="0.9"/>
      <body name="block" pos="0 0 0.1">
        <joint name="block" type="hinge" axis="0 0 1"/>
        <geom pos="0.05 0 0" size="0.08 0.05 0.1" mass="1.1"/>
        <site name="block1" pos="-0.02 0.04 0.05"/>
      </body>
    </body>
  </worldbody>
  {more}
</mujoco>
"""
COM = {"upper": (0.2, 0, 0), "lower": (0.15, 0, 0), "slider": (0, 0, 0), "carriage": (0, 0, 0), "block": (0.05, 0, 0)}
SITES = {
    "upper1": (0.15, 0.02, 0.1), "upper2": (0.35, -0.05, 0.06), "lower1": (0.2, 0.03, 0.07), "slider1": (0.01, 0.02, -0.03),
    "block1": (-0.02, 0.04, 0.05),
}  # fmt: skip
HOOK = (0.2, -0.5, 0.9)


def mechanism() -> rm.Scene:
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((0.4, 0.06, 0.04), mass=1.5), joint=rm.Revolute("y"), com=COM["upper"], name="upper")
    lower = scene.add_body(
        rm.Cuboid((0.3, 0.04, 0.06), mass=0.7), joint=rm.Revolute(OBLIQUE), parent=upper, at=(0.4, 0, 0), com=COM["lower"], name="lower"
    )
    scene.add_body(rm.Cuboid((0.1, 0.08, 0.06), mass=0.4), joint=rm.Prismatic("x"), parent=lower, at=(0.3, 0, 0), name="slider")
    carriage = scene.add_body(rm.Cuboid((0.2, 0.2, 0.04), mass=0.9), joint=rm.Prismatic("y"), at=(0.1, 0.6, -0.2), name="carriage")
    scene.add_body(
        rm.Cuboid((0.16, 0.1, 0.2), mass=1.1), joint=rm.Revolute("z"), parent=carriage, at=(0, 0, 0.1), com=COM["block"], name="block"
    )
    return scene


def site(scene: rm.Scene, name: str):
    """A site of the other engine is in the joint frame, a point of a body in the frame at its centre."""
    if name == "hook":
        return HOOK
    body = name.rstrip("12")
    return scene.find(body).point(*np.subtract(SITES[name], COM[body]))


def tendon(sites: list[str], attributes: str) -> str:
    return f'<tendon><spatial name="t" {attributes}>{"".join(f"""<site site="{s}"/>""" for s in sites)}</spatial></tendon>'


def model(more: str = "", viscosity: float = 0.0, **joints: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(
        MECHANISM.format(more=more, viscosity=viscosity, **{"upper": "", "lower": "", "slider": ""} | joints)
    )


def check(scene: rm.Scene, other: mujoco.MjModel, prepare=lambda data: None, seed: int = 0) -> None:
    """The same accelerations at random states, to 1e-9; and others than without the force."""
    rng = np.random.default_rng(seed)
    data, dynamics, plain = mujoco.MjData(other), rm.Dynamics(scene.model()), rm.Dynamics(mechanism().model())
    for _ in range(6):
        q, qdot = rng.uniform(-0.6, 0.6, 5), rng.uniform(-2, 2, 5)
        data.qpos[:], data.qvel[:] = q, qdot
        prepare(data)
        mujoco.mj_forward(other, data)
        found = dynamics.forward(q, qdot)
        assert np.abs(found - data.qacc).max() < 1e-9 * np.abs(data.qacc).max()
        assert np.abs(found - plain.forward(q, qdot)).max() > 1e-3


@pytest.mark.parametrize(("a", "b"), [("upper1", "block1"), ("hook", "slider1"), ("upper2", "slider1"), ("block1", "hook")])
def test_a_spring_and_damper_between_two_points(a, b):
    scene = mechanism()
    scene.add_force(rm.SpringDamper(site(scene, a), site(scene, b), stiffness=300, damping=12, rest=0.35))
    check(scene, model(tendon([a, b], 'stiffness="300" damping="12" springlength="0.35"')))


def test_a_point_spring_is_a_tendon_without_length():
    scene = mechanism()
    scene.add_force(rm.PointSpring(site(scene, "lower1"), site(scene, "block1"), stiffness=80))
    check(scene, model(tendon(["lower1", "block1"], 'stiffness="80" springlength="0"')))


@pytest.mark.parametrize(
    "course",
    [
        ["hook", "upper1", "upper2", "lower1", "slider1"],
        ["block1", "upper1", "upper2", "block1"],
        ["slider1", "hook", "lower1", "upper2", "block1"],
    ],
)
@pytest.mark.parametrize("rest", [0.5, 1.6])
def test_a_cable_through_several_points(course, rest):
    scene = mechanism()
    scene.add_force(rm.Cable([site(scene, s) for s in course], stiffness=150, rest=rest))
    scene.add_force(rm.Cable([site(scene, s) for s in course[:2]], stiffness=200, damping=3, rest=0.01))  # always taut, and moved by both
    second = tendon(course[:2], 'stiffness="200" damping="3" springlength="0.01"').replace('"t"', '"u"')
    check(scene, model(tendon(course, f'stiffness="150" springlength="0 {rest}"') + second))


def test_a_tension_of_ones_own_along_a_path():
    scene = mechanism()
    course = ["hook", "upper2", "lower1", "block1"]
    scene.add_force(rm.force(tension=lambda length, rate, pull: pull, path=[site(scene, s) for s in course], pull=25.0))
    motor = '<actuator><motor tendon="t"/></actuator>'

    def prepare(data):
        data.ctrl[:] = -25.0

    check(scene, model(tendon(course, "") + motor), prepare)


def test_springs_and_dampers_in_joints():
    scene = mechanism()
    scene.add_force(rm.JointSpring("upper", 12.0, 0.3))
    scene.add_force(rm.JointDamper("upper", 0.4))
    scene.add_force(rm.JointDamper("lower", 0.7))
    scene.add_force(rm.JointSpring("slider", 90.0, -0.1))
    check(
        scene,
        model(
            upper='stiffness="12" springref="17.188733853924697" damping="0.4"',
            lower='damping="0.7"',
            slider='stiffness="90" springref="-0.1"',
        ),
    )


@pytest.mark.parametrize("limit", [1e6, 3.0])
def test_a_servo_with_the_torque_it_can_exert(limit):
    scene = mechanism()
    scene.add_force(rm.Servo("lower", 0.4, kp=30, kd=2, limit=limit))
    servo = f'<actuator><position joint="lower" kp="30" kv="2" forcelimited="true" forcerange="-{limit} {limit}"/></actuator>'

    def prepare(data):
        data.ctrl[:] = 0.4

    check(scene, model(servo), prepare)


def test_damping_of_bodies_is_a_viscous_medium():
    """MuJoCo's drag of a box of mean side D: 3 pi D times the viscosity against the velocity, pi D^3 against the angular velocity."""
    scene, viscosity = mechanism(), 0.8
    for link in list(scene.links):
        D = float(np.mean(link.shape.size))
        scene.add_force(rm.BodyDamping(scene.find(link.name), linear=3 * np.pi * D * viscosity, angular=np.pi * D**3 * viscosity))
    check(scene, model(viscosity=viscosity))


def test_applied_wrenches_and_point_forces():
    scene = mechanism()
    torque, force, pull = np.array([0.5, -1.2, 0.8]), np.array([3.0, -2.0, 5.0]), np.array([4.0, 1.0, -6.0])
    scene.add_force(rm.AppliedWrench(scene.find("slider"), torque=torque, force=force, frame="world"))
    scene.add_force(rm.PointForce(site(scene, "upper2"), pull, strength=1.5))
    other = model()

    def prepare(data):
        mujoco.mj_kinematics(other, data)
        data.xfrc_applied[other.body("slider").id] = [*force, *torque]
        arm = data.site("upper2").xpos - data.body("upper").xipos
        data.xfrc_applied[other.body("upper").id] = [*(1.5 * pull), *np.cross(arm, 1.5 * pull)]

    check(scene, other, prepare)
