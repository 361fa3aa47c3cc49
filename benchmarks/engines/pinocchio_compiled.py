"""Pinocchio's derivatives as C++ compiled for this machine, where its headers, Eigen and a compiler are at hand; else from Python.

The headers come with the wheel `pin`; Eigen's are looked for in /usr/include/eigen3, or where REDMAX_EIGEN says. Building takes minutes,
once: the library is kept in the folder of the cache by the hash of its source and of the compiler's flags. From Python each evaluation is
one call, whose overhead (about a microsecond beside what it computes) is part of its time: the peer's name in a row says which it was.

Joints are added depth first: Pinocchio's derivatives are wrong in other orders.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pinocchio as pin

import redmax as rm
from benchmarks.cases import States
from benchmarks.coordinates import Twists
from benchmarks.engines.pinocchio import build
from benchmarks.timing import Contestant
from redmax.backends.llvm.cache import default_folder

SOURCE = Path(__file__).with_name("pinocchio_derivatives.cpp")
FLAGS = ["-std=c++17", "-O3", "-march=native", "-fPIC", "-shared"]
Doubles = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
Wholes = np.ctypeslib.ndpointer(np.int32, flags="C_CONTIGUOUS")


def depth_first(scene: rm.Scene) -> list[int]:
    """The links of a scene, depth first."""
    children: dict[int, list[int]] = {}
    for i, link in enumerate(scene.links):
        children.setdefault(link.parent, []).append(i)
    found, waiting = [], list(reversed(children.get(-1, [])))
    while waiting:
        found.append(waiting.pop())
        waiting += reversed(children.get(found[-1], []))
    return found


def includes() -> list[str] | None:
    """Where headers are, if all are there."""
    wheel = Path(pin.__file__).parents[4] / "include"
    eigen = Path(os.environ.get("REDMAX_EIGEN", "/usr/include/eigen3"))
    found = (wheel / "pinocchio" / "multibody.hpp").exists() and (wheel / "boost").exists() and (eigen / "Eigen").exists()
    return [f"-I{wheel}", f"-I{eigen}"] if found and shutil.which("g++") else None


def library() -> ctypes.CDLL | None:
    """Built, or found as it was built."""
    paths, folder = includes(), default_folder()
    if paths is None or folder is None:
        return None
    text = SOURCE.read_text() + " ".join(FLAGS) + pin.__version__ + machine_of(FLAGS)
    target = folder / f"pinocchio-{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
    if not target.exists():
        print(f"Building {target.name} with g++: some minutes, once.")
        beside = target.with_suffix(".tmp")
        if subprocess.run(["g++", *FLAGS, *paths, str(SOURCE), "-o", str(beside)], check=False).returncode:
            return None
        beside.replace(target)
    found = ctypes.CDLL(str(target))
    found.peer_new.restype = ctypes.c_void_p
    found.peer_new.argtypes = [ctypes.c_int, Wholes, Wholes, *[Doubles] * 7]
    for name in ("forward_derivatives", "inverse_derivatives"):
        getattr(found, name).argtypes = [ctypes.c_void_p, ctypes.c_int, *[Doubles] * 4]
    found.inverse_second.argtypes = [ctypes.c_void_p, ctypes.c_int, *[Doubles] * 5]
    return found


def machine_of(flags: list[str]) -> str:
    """What -march=native means here."""
    asked = subprocess.run(["g++", *flags[2:3], "-Q", "--help=target"], check=False, capture_output=True, text=True)
    return asked.stdout


def kind_of(joint: rm.Joint) -> tuple[int, np.ndarray]:
    """Its number in the source, and its axis."""
    if isinstance(joint, rm.Free | rm.Spherical):
        return (5 if isinstance(joint, rm.Free) else 4), np.zeros(3)
    axis = np.asarray(joint.axis, float)
    return (int(axis.argmax()) if axis.max() == 1 else 3), axis


class Derivatives:
    """Of one scene, at states in its own coordinates: body twists, depth first."""

    def __init__(self, scene: rm.Scene, states: States) -> None:
        self.twists, self.order, self.states = Twists(scene, states), depth_first(scene), states
        links = [scene.links[i] for i in self.order]
        seen = self.twists.states()
        self.columns = np.concatenate([np.arange(s.start, s.stop) for s in (self.twists.columns[i] for i in self.order)])
        sizes = [7 if isinstance(link.joint, rm.Free) else 4 if isinstance(link.joint, rm.Spherical) else 1 for link in scene.links]
        ends = np.cumsum(sizes)
        q = np.concatenate([np.arange(ends[i] - sizes[i], ends[i]) for i in self.order])
        self.q, self.v, self.third = (np.ascontiguousarray(x) for x in (seen.q[:, q], seen.v[:, self.columns], seen.tau[:, self.columns]))
        self.n, self.library = len(self.columns), library()
        self.out = np.zeros((3, self.n, self.n))
        if self.library is None:
            self.model = build(reordered(scene, self.order))
            self.data = self.model.createData()
            return
        number = {old: new for new, old in enumerate(self.order)} | {-1: -1}
        kinds = [kind_of(link.joint) for link in links]
        arrays = [np.array([number[link.parent] for link in links], np.int32), np.array([k for k, _ in kinds], np.int32)]
        inertias = [link.body[:3, :3] @ link.shape.inertia @ link.body[:3, :3].T for link in links]
        numbers = ([a for _, a in kinds], [x.at[:3, :3] for x in links], [x.at[:3, 3] for x in links], [x.shape.mass for x in links])
        given = (*numbers, [x.body[:3, 3] for x in links], inertias, scene.gravity)
        self.peer = self.library.peer_new(len(links), *arrays, *[np.ascontiguousarray(x, float) for x in given])

    @property
    def name(self) -> str:
        """As the table has it."""
        return "Pinocchio (C++)" if self.library else "Pinocchio (Python)"

    def contestant(self, what: str) -> Contestant:
        """what: "forward" or "inverse"."""
        if self.library is not None:
            compiled = getattr(self.library, f"{what}_derivatives")
            return Contestant(
                self.name, lambda: compiled(self.peer, len(self.q), self.q, self.v, self.third, self.out), len(self.q), self.last
            )
        function = pin.computeABADerivatives if what == "forward" else pin.computeRNEADerivatives

        def call() -> None:
            for q, v, x in zip(self.q, self.v, self.third, strict=True):
                found = function(self.model, self.data, q, v, x)
            self.out[:] = [np.triu(m) + np.triu(m, 1).T if k == 2 else m for k, m in enumerate(found)]

        return Contestant(self.name, call, len(self.q), self.last)

    def second(self, weights: np.ndarray) -> Contestant | None:
        """The tensors of second derivatives of inverse dynamics; the last state's contracted with weights, (n,), into (2n, 2n)."""
        if self.library is None:
            return None
        H, compiled = np.zeros((2 * self.n, 2 * self.n)), self.library.inverse_second
        given = np.ascontiguousarray(weights[self.columns])
        return Contestant(self.name, lambda: compiled(self.peer, len(self.q), self.q, self.v, self.third, given, H), len(self.q), lambda: H)

    def last(self) -> np.ndarray:
        """(3, n, n): of the last state, in Pinocchio's coordinates."""
        return self.out


def reordered(scene: rm.Scene, order: list[int]) -> rm.Scene:
    """The same scene with its links depth first."""
    from dataclasses import replace

    other = scene.copy()
    number = {old: new for new, old in enumerate(order)} | {-1: -1}
    other.links[:] = [replace(scene.links[i], parent=number[scene.links[i].parent]) for i in order]
    return other
