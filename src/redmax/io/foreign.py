"""Files of other programs, which are no scene files: what one is, and what reads it, told by its suffix or by how it begins."""

from __future__ import annotations

from pathlib import Path

ROBOT = "a robot description (URDF), which pinocchio.buildModelFromUrdf and MuJoCo read"
MUJOCO = "a model of MuJoCo (MJCF), which mujoco.MjModel.from_xml_path reads"
OPENSIM = "a model of OpenSim, which opensim.Model reads"
GAZEBO = "a model of Gazebo (SDF), which Gazebo and Drake read"
STAGE = "a stage of OpenUSD, which pxr.Usd.Stage.Open reads"
RESULT = "the result of a run (HDF5), which redmax.load reads"
MESH = "a mesh, of which redmax.Mesh.load makes the shape of a body"
SUFFIXES = {
    ".urdf": ROBOT, ".xacro": ROBOT, ".mjcf": MUJOCO, ".osim": OPENSIM, ".sdf": GAZEBO, ".usd": STAGE, ".usda": STAGE, ".usdc": STAGE,
    ".h5": RESULT, ".hdf5": RESULT, ".stl": MESH, ".obj": MESH, ".ply": MESH, ".py": "a Python program: run it with python",
    ".mat": "a file of MATLAB, which scipy.io.loadmat reads",
}  # fmt: skip
BEGINNINGS = {
    b"<robot": ROBOT, b"<mujoco": MUJOCO, b"<OpenSimDocument": OPENSIM, b"<sdf": GAZEBO, b"#usda": STAGE, b"\x89HDF\r\n\x1a\n": RESULT,
}  # fmt: skip
HEAD = 4096  # bytes in which the name of an XML file's first element is looked for
NO_SCENE = "Scene.load reads scene files (YAML): `redmax new FILE` writes one to begin with, and docs/files.md says what is in it."


def foreign(path: Path) -> str:
    """The sentence for a file of another program; "" for what may be a scene."""
    what = SUFFIXES.get(path.suffix.lower(), "") or begins_as(path)
    return f"this is {what}. {NO_SCENE}" if what else ""


def begins_as(path: Path) -> str:
    """What a file is by its first bytes."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except (OSError, ValueError):
        return ""
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"#usda", b"\x89HDF")):
        return ""
    return next((what for mark, what in BEGINNINGS.items() if mark in head), "an XML file")
