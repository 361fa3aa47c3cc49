"""Scene files: what a scene is, as text that people read and write, and that runs nothing."""

from redmax.io.check import check, starter
from redmax.io.load import load, loads, parameters
from redmax.io.pickled import pickled
from redmax.io.problems import Problem, SceneFileError
from redmax.io.save import save, scene_data
from redmax.io.schema import schema

__all__ = ["Problem", "SceneFileError", "check", "load", "loads", "parameters", "pickled", "save", "scene_data", "schema", "starter"]
