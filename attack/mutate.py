"""Changes to a scene file, drawn at random: of its values, its structure, the operations of its functions, and its bytes."""

from __future__ import annotations

import copy
import random
from typing import Any

import yaml

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

NUMBERS = (
    0, -1, 1, 2, 3, 0.5, -0.0, 1e308, -1e308, 1e-308, 5e-324, 1e300, 1e-300, 2**31, 2**63, -(2**63), 10**18, 10**400, 1e16, 255, 65536,
    float("nan"), float("inf"), -float("inf"),
)  # fmt: skip
WORDS = (
    "", "arm", "Sphere", "Revolute", "Free", "t", "2*t", "q[0]", "q[9]", "1/0", "0**-1", "log(0)", "sqrt(-1)", "1e999", "x y", "[", "-",
    "redmax", "true", "null", "~", "<<", "../x", "/etc/passwd", "\x1b[31mred\x1b[0m", "\x00", "\x07\x08", "\u202etxt", "=1+1", "@SUM(A1)",
    "</script><script>alert(1)</script>", "a" * 5000, "%s%n", "{0.__class__}", "__import__('os')", "9**9**9", "10**400", "t" + "+t" * 900,
    "🦊", "é" * 300, "sin(" * 30 + "t" + ")" * 30, "floor(1e300)", "q[t]", "stumpff(40, t)", "stumpff(-1, t)", "where(t, 1e308*10, nan)",
)  # fmt: skip
SHAPES = ([], {}, [1], [0, 0, 0], [[1, 2], [3]], {"body": "x"}, {"array": 1}, {"function": "function"}, {"Table": [0.5]}, None, True, False)
OPERATIONS = (
    "add", "sub", "mul", "neg", "inv", "pow", "atan2", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh",
    "sqrt", "floor", "abs", "lt", "le", "eq", "and", "not", "select", "frozen", "stumpff", "lookup", "gather", "input", "const", "",
)  # fmt: skip


def mutated(text: str, other: str, rng: random.Random) -> bytes:
    """A text with one to four changes. other: that of another file, to take parts from."""
    if rng.random() < 0.1:
        return of_bytes(text.encode(), other.encode(), rng)
    try:
        data = yaml.load(text, Loader=Loader)
        assert isinstance(data, dict)
        places(data)
    except Exception:  # no YAML, or deeper than Python goes
        return of_bytes(text.encode(), other.encode(), rng)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        data = of_trace(data, rng) if rng.random() < 0.35 and data.get("functions") else of_structure(data, rng)
        if not isinstance(data, dict) or not data:
            break
    try:
        written = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1000)
    except Exception:  # a structure that YAML cannot write
        written = text
    if rng.random() < 0.05:
        lines = written.splitlines(keepends=True)
        at = rng.randrange(len(lines))
        written = "".join(lines[:at] + [lines[at]] * rng.choice((2, 3)) + lines[at + 1 :])  # a key twice
    return written.encode("utf-8", "surrogatepass")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything in nested lists and mappings."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, x in inner for p in places(x, (*path, key)))]


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def nasty(value: Any, rng: random.Random) -> Any:
    """Another value in the place of one, often of its own kind."""
    if isinstance(value, bool) or rng.random() < 0.15:
        return copy.deepcopy(rng.choice(SHAPES))
    if isinstance(value, int | float) and rng.random() < 0.8:
        if isinstance(value, int) and (abs(value) > 1e300 or rng.random() < 0.4):
            return value + rng.choice((-1, 1, 1000))
        return rng.choice((value * 1e300, value * 1e-300, -value, value * 1.001 + 1e-3, rng.choice(NUMBERS), rng.uniform(-10, 10)))
    return rng.choice(WORDS) if rng.random() < 0.7 else rng.choice(NUMBERS)


def of_structure(data: Any, rng: random.Random) -> Any:
    ways = places(data)[1:]
    if not ways:
        return data
    mild = [way for way in ways if isinstance(at(data, way), float)] if rng.random() < 0.3 else []
    *way, last = rng.choice(mild or ways)
    holder = at(data, tuple(way))
    value = holder[last]
    if mild:  # still a scene, most likely
        holder[last] = rng.choice((value * rng.uniform(0.1, 3), -value, 0.0, value + rng.uniform(-1, 1), value * 1e6, value * 1e-9))
        return data
    how = rng.choice(("nasty",) * 6 + ("remove", "rename", "repeat", "empty", "swap", "move", "wrap", "many"))
    if how == "remove":
        del holder[last]
    elif how == "rename" and isinstance(holder, dict):
        holder[rng.choice((str(last)[:-1], str(last) + rng.choice("xs_"), rng.choice(WORDS)))] = holder.pop(last)
    elif how == "repeat" and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(value))
    elif how == "many" and isinstance(value, list) and value:
        holder[last] = value * rng.choice((2, 10, 1000))
    elif how == "empty" and isinstance(value, list | dict):
        holder[last] = type(value)()
    elif how in ("swap", "move"):
        holder[last] = copy.deepcopy(at(data, rng.choice(ways)))
    elif how == "wrap":
        for _ in range(rng.choice((1, 2, 50))):
            holder[last] = [holder[last]]
    else:
        holder[last] = nasty(value, rng)
    return data


def of_trace(data: Any, rng: random.Random) -> Any:
    """A change of a function from Python: an operand, an operator, a line, the shapes that it declares, what it returns, or its table."""
    functions = data["functions"]
    if not isinstance(functions, dict) or not isinstance(f := functions[rng.choice(list(functions))], dict):
        return of_structure(data, rng)
    how = rng.randrange(8)
    if how >= 5 or not isinstance(f.get("operations"), str):
        part = f.get(rng.choice(("arguments", "parameters", "returns")))
        ways = places(part)[1:]
        if not ways:
            return of_structure(data, rng)
        *way, last = rng.choice(ways)
        sizes = (0, 1, 2, 3, 7, 100, 10_000, 10**9, -1, 2**63, [], [3], [10_000, 10_000, 1000], {"table": [10_000, 10_000]}, "site", None)
        at(part, tuple(way))[last] = copy.deepcopy(rng.choice(sizes))
        return data
    lines = f["operations"].splitlines() or ["const 0"]
    number = rng.randrange(len(lines))
    words = lines[number].split() or ["const", "0"]
    if how == 0:
        words[0] = rng.choice(OPERATIONS)
    elif how in (1, 2):
        operand = (
            str(rng.randrange(len(lines))),
            "-1",
            "0",
            "1",
            "1e308",
            "nan",
            "inf",
            "99999999",
            "2147483648",
            "18446744073709551616",
            "q",
        )
        words[rng.randrange(len(words))] = rng.choice(operand)
    elif how == 3:
        gathers = (f"gather tab 0 1 {rng.choice((1, 3, 6, 10**9))} 0", f"lookup {','.join(['1.0'] * rng.choice((1, 3, 5000)))} 0")
        words = rng.choice((*gathers, "stumpff 40 0", "inv 0", "log 0", "pow 0 0", "const nan", "const -inf", "select 0 1 2")).split()
    else:
        lines.insert(number, rng.choice(lines))
    lines[number] = " ".join(words)
    f["operations"] = "\n".join(lines) + "\n"
    return data


def of_bytes(text: bytes, other: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice((0, 1, 1, 5, 30, 300)))
    how = rng.randrange(5)
    if how == 0:
        return text[:start] + rng.choice(WORDS).encode("utf-8", "surrogatepass") + text[end:]
    if how == 1:
        return text[:start] + bytes(rng.randrange(256) for _ in range(rng.choice((1, 2, 8)))) + text[end:]
    if how == 2:
        return text[:start]
    if how == 3:
        cut = rng.randrange(len(other) + 1)
        return text[:start] + other[cut : cut + rng.choice((10, 100, 1000))] + text[end:]
    return text[:start] + text[start:end] * rng.choice((2, 10, 500)) + text[end:]
