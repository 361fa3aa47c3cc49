"""Small files that ask for much: the text itself."""

from __future__ import annotations

from bombs.registry import BODY, bomb


@bomb
def many_items(n: int) -> str:
    return f"{BODY}gravity: [{','.join(['0'] * 1000 * n)}]\n"


@bomb
def many_mappings(n: int) -> str:
    return f"{BODY}gravity: [{','.join(['{a: {}}'] * 1000 * n)}]\n"


@bomb
def nested_aliases(n: int) -> str:
    lines = "".join(f"  k{i + 1}: &a{i + 1} [*a{i}, *a{i}, *a{i}, *a{i}]\n" for i in range(min(n, 30)))
    return f"{BODY}title:\n  k0: &a0 [1, 2, 3, 4]\n{lines}"


@bomb
def one_alias_many_times(n: int) -> str:
    return f"{BODY}title: &a [{','.join(['0'] * 100)}]\ngravity: [{','.join(['*a'] * 100 * n)}]\n"


@bomb
def long_text(n: int) -> str:
    return f"title: '{'x' * 1_000_000 * n}'\n{BODY}"


@bomb
def long_wide_text(n: int) -> str:
    return f"title: '\N{GRINNING FACE}{'x' * 1_000_000 * n}'\n{BODY}"


@bomb
def long_comment(n: int) -> str:
    return f"# {'x' * 1_000_000 * n}\n{BODY}"


@bomb
def empty_lines_and_a_mistake(n: int) -> str:
    newlines = "\n" * 1_000_000 * n
    return f"{BODY}{newlines}gravity: [1\n\tx: }}\n"


@bomb
def many_anchors(n: int) -> str:
    return f"{BODY}gravity: [{','.join(f'&a{i} 0' for i in range(1000 * n))}]\n"


@bomb
def many_keys(n: int) -> str:
    return BODY + "".join(f"key{i}: 1\n" for i in range(1000 * n))


@bomb
def twice_the_same_key(n: int) -> str:
    return BODY + "title: x\n" * 1000 * n


@bomb
def large_wrong_values(n: int) -> str:
    """Each of many mistakes has a large value to quote."""
    return f"units: &big [{','.join(['[1, 2, [3, 4]]'] * 5 * n)}]\nbodies:\n" + "  - {shape: *big, joint: *big, at: *big}\n" * 30
