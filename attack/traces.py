"""Functions of scene files, as traces: random operations over arguments, parameters and tables, in the places that take a function; with
shapes that are not those of what is given, references that lead nowhere, and indices of any size. What is let through is run.

A hole: as for scenes. A table that is read beyond its end shows as a crash, or as numbers that depend on whether they were compiled.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import prod
from pathlib import Path

from attack.hole import SOON, within
from attack.scenes import loaded, ran

COUNT = 2_000
NUMBERS = [
    "0.0",
    "-0.0",
    "1.0",
    "-1.0",
    "0.5",
    "3.7",
    "100.0",
    "1e9",
    "-1e9",
    "4294967297.0",
    "1e18",
    "1e300",
    "-1e300",
    "nan",
    "inf",
    "-inf",
]
WRONG = ["0", "-1", "7", "99999999", "2147483648", "-2147483649", "18446744073709551617", "1e5", "x", ""]
ONE = [
    "neg",
    "inv",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "exp",
    "log",
    "sinh",
    "cosh",
    "tanh",
    "sqrt",
    "floor",
    "abs",
    "not",
    "frozen",
]
METHODS = ("forward-euler", "euler", "rk4", "implicit", "bdf1", "bdf2")  # adaptive follows a force of 1e18 N, step by step
TWO = ["add", "sub", "mul", "pow", "atan2", "lt", "le", "eq", "and"]
SITE = {"site1.x": 3, "site1.v": 3, "site1.R": 9, "site1.omega": 3}
BODY = "bodies:\n  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: "
SLIDER = BODY + "{Prismatic: {axis: x}}, q: 0.3, qdot: 0.5"
FORCE = SLIDER + "}\nforces:\n  - force: "
ROPE = "deformables:\n  - Deformable: {nodes: [[0, 0, 0], [0, 0, -0.3]], masses: [1, 1], elements: [{Elements: "
POSE = "[[1, 0, 0, LAST], [0, 1, 0, ANY], [0, 0, 1, ANY], [0, 0, 0, 1]]"


@dataclass(frozen=True)
class Place:
    """arguments: as declared, and how many inputs each has; returns: with LAST and ANY for operations; rest: with OWN for parameters."""

    arguments: str
    inputs: dict[str, int]
    returns: str
    rest: str


PLACES = [
    Place("q: [1]", {"q": 1}, POSE, BODY + "{joint: {function: {function: f}, dof: 1, check: false OWN}}}\n"),
    Place("q: [1], t: []", {"q": 1, "t": 1}, POSE, BODY + "{joint: {function: {function: f}, dof: 1 OWN}}}\n"),
    Place("s: []", {"s": 1}, "[0, ANY, ANY]", BODY + "{CurveJoint: {curve: {curves.Curve: {function: {function: f} OWN}}}}}\n"),
    Place("t: [], q: [1], qdot: [1]", {"t": 1, "q": 1, "qdot": 1}, "[LAST]", FORCE + "{joint: a, torque: {function: f} OWN}\n"),
    Place("site1: site", SITE, "[LAST, ANY, ANY]", FORCE + "{bodies: [{body: a}], function: {function: f} OWN}\n"),
    Place("site1: site", SITE, "LAST", FORCE + "{bodies: [{body: a}], potential: {function: f} OWN}\n"),
    Place("length: [], rate: []", {"length": 1, "rate": 1}, "LAST", FORCE + "{path: [{body: a}, [2, 0, 1]], tension: {function: f} OWN}\n"),
    Place("t: [], q: [1], qdot: [1]", {"t": 1, "q": 1, "qdot": 1}, "[LAST]", SLIDER + ", torque: {function: f}}\n"),
    Place("t: []", {"t": 1}, "[LAST]", SLIDER + ", motion: {function: f}}\n"),
    Place("t: [], R: [3, 3]", {"t": 1, "R": 9}, "[LAST]", SLIDER + "}\ntwists:\n  - {body: a, rows: [3], velocity: {function: f}}\n"),
    Place("x: [2, 3], data: [1]", {"x": 6, "data": 1}, "[[LAST, ANY, ANY], [ANY, ANY, ANY]]",
          ROPE + "{law: {law: {nodes: 2, numbers: 1, energy: 'x[0, 0]', forces: {function: f}}}, nodes: [[0, 1]], data: [[1.0]]}}]}\n"),
]  # fmt: skip


class Part:
    def __init__(self, folder: Path, seed: int, quick: bool = False) -> None:
        self.folder, self.seed, self.path = folder, seed, folder / "input.yaml"

    def prepare(self, index: int) -> None:
        self.path.write_text(Function(random.Random(f"traces {self.seed} {index}")).scene())

    def attempt(self, index: int) -> str:
        with within(SOON, "reading the file"):
            scene = loaded(self.path)
        return "refused" if scene is None else ran(scene, random.Random(f"run {self.seed} {index}"), METHODS)


class Function:
    """A scene with one random function."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.place = rng, rng.choice(PLACES)
        self.declared: list[str] = []
        self.given: list[str] = []
        self.tables: dict[str, list[int]] = {}
        self.lines = ["const 0.0", "const 1.0"]

    def scene(self) -> str:
        own = "OWN" in self.place.rest
        self.lines += [f"input {name} {i}" for name, size in self.place.inputs.items() for i in range(size)]
        for name in self.rng.sample(["tab", "k", "Z", "other"], self.rng.randint(0, 3) if own else 0):
            self.parameter(name)
        for _ in range(self.rng.randint(0, 14)):
            self.lines.append(self.operation())
        self.lines.append(f"add 2 {len(self.lines) - 1}")
        if self.rng.random() < 0.3:
            self.break_one()
        head = f"redmax: 1\nfunctions:\n  f:\n    arguments: {{{self.arguments()}}}\n"
        head += f"    parameters: {{{', '.join(self.declared)}}}\n" if self.declared else ""
        given = f", parameters: {{{', '.join(self.given)}}}" if self.given else ""
        text = "".join(f"      {line}\n" for line in self.lines)
        return f"{head}    returns: {self.returns()}\n    operations: |\n{text}{self.place.rest.replace('OWN', given)}"

    def arguments(self) -> str:
        found = self.place.arguments
        return found.replace("[1]", str(self.odd([1])), 1) if self.rng.random() < 0.1 else found

    def returns(self) -> str:
        last, found = len(self.lines) - 1, self.place.returns
        if self.rng.random() < 0.05:
            return self.rng.choice(["[]", "[[0], [0, 0]]", "0", "[[[0]]]", "null", "[null]", "[-1]", "[true]", f"[{last + 1}]", "{a: 1}"])
        while "ANY" in found:
            found = found.replace("ANY", str(self.rng.randrange(last + 1)), 1)
        return found.replace("LAST", str(last))

    def parameter(self, name: str) -> None:
        shape = [self.rng.choice([1, 1, 2, 3, 7]) for _ in range(self.rng.choice([1, 1, 2, 3]))]
        said = self.odd(shape) if self.rng.random() < 0.1 else shape
        if self.rng.random() < 0.7:
            self.tables[name] = said if said and min(said) > 0 else shape
            self.declared.append(f"{name}: {{table: {said}}}")
            self.given.append(f"{name}: {{Table: {self.numbers(shape)}}}")
        else:
            self.declared.append(f"{name}: {said}")
            self.given.append(f"{name}: {self.numbers(shape)}")
            self.lines.append(f"input {name} {self.rng.randrange(prod(shape))}")

    def numbers(self, shape: list[int]) -> str:
        if not shape:
            return self.rng.choice(["0.5", "-1.5", "2.0", "1e300"])
        return f"[{', '.join(self.numbers(shape[1:]) for _ in range(shape[0]))}]"

    def odd(self, shape: list[int]) -> list[int]:
        """Another shape."""
        others = [[], [*shape, 1], shape[:-1], [10_000] * 3, [0], [-1], shape[::-1], [n + 1 for n in shape], [2**31], [1] * 4, [1] * 5]
        return self.rng.choice(others)

    def operation(self) -> str:
        rng, n = self.rng, len(self.lines)
        kind, a, b, c = rng.random(), *(rng.randrange(n) for _ in range(3))
        if self.tables and kind < 0.3:
            return self.gather(*rng.choice(list(self.tables.items())), a)
        if kind < 0.4:
            return f"const {rng.choice(NUMBERS)}"
        if kind < 0.5:
            return f"lookup {','.join(rng.choice(NUMBERS[:6]) for _ in range(rng.randint(1, 5)))} {a}"
        if kind < 0.7:
            return f"{rng.choice(ONE)} {a}"
        if kind < 0.9:
            return f"{rng.choice(TWO)} {a} {b}"
        return f"select {a} {b} {c}" if kind < 0.95 else f"stumpff {rng.choice([0, 1, 2, 5, 40])} {a}"

    def gather(self, name: str, shape: list[int], index: int) -> str:
        rows, width = shape[0], prod(shape[1:])
        first = self.rng.randrange(rows)
        return f"gather {name} {first * width + self.rng.randrange(width)} {width} {self.rng.randint(1, rows - first)} {index}"

    def break_one(self) -> None:
        """One line that is not what it was."""
        i = self.rng.randrange(len(self.lines))
        words = self.lines[i].split()
        how = self.rng.randrange(4)
        if how == 0:
            del self.lines[i]
        elif how == 1:
            words[0] = self.rng.choice([*ONE, *TWO, "gather", "lookup", "input", "const", "evil"])
            self.lines[i] = " ".join(words)
        else:
            words[self.rng.randrange(1, len(words))] = self.rng.choice([*WRONG, str(len(self.lines)), str(i)])
            self.lines[i] = " ".join(words)
