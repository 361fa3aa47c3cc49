"""Small files that ask for much: parameters and expressions."""

from __future__ import annotations

from bombs.registry import BODY, bomb


def parameters(expression: str, count: int) -> str:
    return "parameters:\n" + "".join(f"  p{i}: {expression}\n" for i in range(count)) + BODY


@bomb
def chained_parameters(n: int) -> str:
    return "parameters:\n  p0: 1\n" + "".join(f"  p{i}: p{i - 1} + 1\n" for i in range(1, 1000 * n)) + BODY


@bomb
def functions_of_many_parameters(n: int) -> str:
    parameters = "".join(f"  p{i}: {i}\n" for i in range(300 * n))
    return f"parameters:\n{parameters}{BODY}wrenches:\n" + "  - {on: a, force: [0, 0, 'sin(t)']}\n" * 100 * n


@bomb
def long_expressions(n: int) -> str:
    return parameters("+".join(["1.5"] * 490), 10 * n)


@bomb
def nested_parentheses(n: int) -> str:
    return parameters("(" * 90 + "1" + ")" * 90, 50 * n)


@bomb
def powers_of_powers(n: int) -> str:
    return parameters("**".join(["9"] * 200), 10 * n)


@bomb
def growing_numbers(n: int) -> str:
    return parameters("*".join(["999**64"] * 150), 10 * n)


@bomb
def many_digits(n: int) -> str:
    return parameters("1." + "9" * 3900, 50 * n)


@bomb
def squares_of_squares(n: int) -> str:
    """Whose factors would fill any memory."""
    power = "q[0]"
    for _ in range(min(n, 40)):
        power = f"({power})**16"
    return BODY.replace("Free", f"{{joint: {{dof: 1, function: {rotated(f'{power} - 2*{power}*q[0]')}}}}}")


def rotated(angle: str) -> str:
    a = angle
    return f"[['cos({a})', '-sin({a})', 0, 0], ['sin({a})', 'cos({a})', 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"


@bomb
def long_motion(n: int) -> str:
    """Which is differentiated twice."""
    angle = "+".join(f"0.001*sin({k + 2}*q[0])" for k in range(min(12 * n, 160)))
    return BODY.replace("Free", f"{{joint: {{dof: 1, function: {rotated(angle)}}}}}")


@bomb
def many_motions(n: int) -> str:
    bodies = "".join(
        f"  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: {{joint: {{dof: 1, function: {rotated(f'{i + 1}.5*q[0]')}}}}}}}\n"
        for i in range(2 * n)
    )
    return f"bodies:\n{bodies}"


@bomb
def many_kinds_of_motion(n: int) -> str:
    joint = "CurveOnCurve: {{parent: {{curves.Ellipse: {{a: {0}, b: 1}}}}, child: {{curves.Ellipse: {{a: 1, b: {0}}}}}}}"
    return "bodies:\n" + "".join(f"  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: {{{joint.format(i + 1.5)}}}}}\n" for i in range(n))
