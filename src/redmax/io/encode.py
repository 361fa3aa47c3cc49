"""What is written for a value: the kind of an object and the arguments that it was made with; functions as traces of one section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.constraints.own import FunctionConstraint
from redmax.errors import RedmaxError, SceneError
from redmax.forces.base import Force
from redmax.forces.joint_force import JointForce
from redmax.forces.own import FunctionForce, FunctionPath
from redmax.io import arrays, trace_text
from redmax.io.kinds import arguments_of, kinds, meaning_of, names, shapes
from redmax.io.own import RecordedLaw, RecordedMaterial, own
from redmax.io.own_constraints import function_constraint
from redmax.io.recorded import Recorded
from redmax.io.traces import SITE, Shape, TableShape, Trace, record
from redmax.io.valid_trace import mistakes
from redmax.joints.base import FunctionJoint, name_of
from redmax.muscles.curves.base import Curves
from redmax.muscles.curves.named import NAMES, curves_by_name
from redmax.trace import Table


@dataclass
class Writer:
    """functions: those met so far, as they will be written, by name; known: their names, by what they are."""

    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # of each body's joint, by the names of both: "dof" and "nq"
    functions: dict[str, Any] = field(default_factory=dict)
    known: dict[Any, str] = field(default_factory=dict)
    alive: list[Any] = field(default_factory=list)  # so that the identities in `known` stay those of the functions

    def value(
        self, x: Any, of: tuple[str, str] = ("", ""), sizes: Mapping[str, int] | None = None, parameters: Mapping[str, Any] | None = None
    ) -> Any:
        """of: the kind and the argument that it is the value of."""
        if x is None or isinstance(x, bool | str):
            return x
        if isinstance(x, np.bool_ | np.integer | np.floating):
            return x.item()
        if isinstance(x, int | float):
            return x
        if isinstance(x, np.ndarray):
            return arrays.encoded(x) if x.dtype != object else self.value(x.tolist(), of, sizes, parameters)
        if isinstance(x, BodyHandle):
            return {"body": x.name}
        if isinstance(x, Point):
            return {"body": x.body.name, "point": list(x.position)}
        if isinstance(x, FrameHandle):
            body, E = x.on_body
            return {"body": body.name, "pose": (E[:3, 3] if np.array_equal(E[:3, :3], np.eye(3)) else E).tolist()}
        if isinstance(x, Table):
            return {"Table": arrays.encoded(x.array)}
        if isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], BodyHandle) and x[1] is not None:
            return {"body": x[0].name, "pose": self.value(x[1])}
        if isinstance(x, list | tuple):
            return self.sequence(x, of, sizes, parameters)
        if isinstance(x, dict) and meaning_of(*of).by_joint:
            return {key.joint if isinstance(key, BodyHandle) else key: self.value(c) for key, c in x.items()}
        if isinstance(x, Curves) and x.name in NAMES and x is curves_by_name(x.name):
            return x.name
        if isinstance(x, FunctionJoint):
            return {"joint": self.function_joint(x)}
        if isinstance(x, FunctionForce | FunctionPath):
            return {"force": self.function_force(x)}
        if isinstance(x, FunctionConstraint):
            return {"constraint": function_constraint(self, x)}
        if isinstance(x, RecordedLaw | RecordedMaterial):
            return own(self, x)
        if type(x) in names():
            return self.object(x)
        family = own(self, x)
        if family is not None:
            return family
        if meaning_of(*of).called is not None and callable(x):
            return self.function(x, shapes(*of, dict(sizes or {})), parameters or {})
        raise SceneError(unsavable(x, of))

    def sequence(self, x: Any, of: tuple[str, str], sizes: Any, parameters: Any) -> Any:
        """A list, or an array where all are numbers and many."""
        flat = np.asarray(x) if is_numbers(x) else None
        if flat is not None and flat.size > arrays.INLINE and flat.dtype.kind in "fiub":
            return arrays.encoded(flat)
        return [self.value(v, of, sizes, parameters) for v in x]

    def object(self, x: Any) -> dict[str, Any]:
        """{kind: arguments} of an object of a public class."""
        name = names()[type(x)]
        check_unchanged(x)
        given = arguments_of(x)
        if "name" in kinds()[name].parameters and getattr(x, "name", None) is not None:
            given = {"name": x.name, **{k: v for k, v in given.items() if k != "name"}}
        parameters = given.get("parameters", {})
        body = given.get("joint")
        of_joint = self.sizes.get(body.name if isinstance(body, BodyHandle) else body) if isinstance(body, BodyHandle | str) else None
        sizes = {"dof": 0, "nq": 0} if of_joint is None and isinstance(body, BodyHandle | str) else of_joint or {}
        written: dict[str, Any] = {}
        for argument, value in given.items():
            if argument == "parameters":
                written[argument] = {n: self.value(v) for n, v in value.items()}
            elif isinstance(value, str) and meaning_of(name, argument).body:
                written[argument] = {"body": value}
            else:
                written[argument] = self.value(value, (name, argument), sizes, parameters)
        return {name: written}

    def function_joint(self, x: FunctionJoint) -> dict[str, Any]:
        """As `redmax.joint` is called."""
        arguments: dict[str, Shape] = {"q": (x.dof,), "t": ()} if x.timed else {"q": (x.dof,)}
        written: dict[str, Any] = {"function": self.function(x.function, arguments, x.parameters), "dof": x.dof}
        written |= {} if x.domain is None else {"domain": [list(pair) for pair in x.domain]}
        written |= {"check": False} if not x.needs_check() else {}
        return written | ({"parameters": {n: self.value(v) for n, v in x.parameters.items()}} if x.names else {})

    def function_force(self, x: FunctionForce | FunctionPath) -> dict[str, Any]:
        """As `redmax.force` is called."""
        on_path = isinstance(x, FunctionPath)
        positional, by_name = x.made
        places = positional[0] if positional else by_name["points" if on_path else "places"]
        written: dict[str, Any] = {"name": x.name, "path" if on_path else "bodies": [self.value(p) for p in places]}
        for argument, given in (("tension" if on_path else "function", x.law), ("potential", x.energy)):
            if given is None:
                continue
            called: dict[str, Shape] = {"length": (), "rate": ()} if on_path else {f"site{i + 1}": SITE for i in range(len(places))}
            if on_path and argument == "potential":
                called = {"length": ()}
            called |= {"t": ()} if given.timed else {}
            written[argument] = self.function(given.function, called, given.parameters)
            if given.names:
                written["parameters"] = {n: self.value(v) for n, v in given.parameters.items()}
        return written | ({"stiffness_kind": x.stiffness_kind} if x.stiffness_kind != "definite" else {})

    def function(self, f: Callable[..., Any], arguments: Mapping[str, Shape], parameters: Mapping[str, Any]) -> Any:
        """A constant as numbers; anything else as the name of its trace in the section of functions."""
        key = (id(f), tuple(arguments.items()), tuple((n, np.shape(getattr(v, "array", v))) for n, v in parameters.items()))
        if key not in self.known:
            trace = recorded(f, arguments, parameters)
            if trace.is_constant() and not parameters:
                return trace.constants()
            name = fresh(name_of(f), self.functions)
            self.functions[name] = written_trace(trace)
            self.known[key] = name
            self.alive.append(f)
        return {"function": self.known[key]}


def check_unchanged(x: Any) -> None:
    """Raise for a force whose numbers were replaced: its arguments would not say so."""
    if isinstance(x, Force | JointForce):
        positional, by_name = x.made
        now, first = x.data(), type(x)(*positional, **by_name).data()
        changed = [n for n, v in now.items() if n not in first or np.asarray(first[n]).tobytes() != np.asarray(v).tobytes()]
        if changed:
            raise SceneError(f"{x.label} cannot be saved: its {changed[0]} was replaced after it was made. Make another one with it.")


def recorded(f: Callable[..., Any], arguments: Mapping[str, Shape], parameters: Mapping[str, Any]) -> Trace:
    """The trace of a function with these shapes of arguments, or an error that says why there is none."""
    if isinstance(f, Recorded) and dict(f.trace.arguments) == dict(arguments):
        return f.trace
    try:
        trace = record(f, name_of(f), arguments, parameters)
    except RedmaxError as error:
        raise SceneError(f"The function {name_of(f)!r} cannot be saved, because it cannot be traced. {error}") from None
    for part, _, why in mistakes(trace):  # what is written can be read again
        raise SceneError(f"The function {name_of(f)!r} cannot be saved: in its {part}, {why}.")
    return trace


def written_trace(trace: Trace) -> dict[str, Any]:
    """A trace as an entry of the section of functions."""
    found: dict[str, Any] = {"arguments": {n: s if isinstance(s, str) else list(s) for n, s in trace.arguments.items()}}
    if trace.parameters:
        found["parameters"] = {n: {"table": list(s.shape)} if isinstance(s, TableShape) else list(s) for n, s in trace.parameters.items()}
    return found | {"returns": trace.returns, "operations": trace_text.written(trace.operations)}


def fresh(name: str, taken: Mapping[str, Any]) -> str:
    """A name for a function: its own where that is free and a name."""
    base = name if name.isidentifier() else "function"
    return base if base not in taken else next(f"{base}{i}" for i in range(2, len(taken) + 3) if f"{base}{i}" not in taken)


def is_numbers(x: Any) -> bool:
    """Whether nested lists hold nothing but numbers, in full rows."""
    try:
        return np.asarray(x).dtype.kind in "fiub"
    except ValueError:
        return False


def unsavable(x: Any, of: tuple[str, str]) -> str:
    """The sentence for a value that files know no form of."""
    where = f" ({of[1]} of {of[0]})" if of[1] else ""
    if isinstance(x, type) or callable(x):
        return f"{x!r}{where} cannot be saved: a file knows no function in its place."
    return (
        f"{type(x).__name__}{where} cannot be saved: it is no class of redmax. Write it as a function, such as redmax.joint(function, dof)."
    )
