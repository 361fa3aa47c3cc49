"""Small files that ask for much: files that read files."""

from __future__ import annotations

from bombs.registry import SCENE, bomb


@bomb
def one_file_many_times(n: int) -> dict[str, str]:
    part = "bodies:\n" + "".join(f"  - {{name: b{i}, shape: {{Sphere: {{radius: 1}}}}, joint: Free}}\n" for i in range(50 * n))
    return {SCENE: "include:\n" + "".join(f"  - {{file: part.yaml, prefix: p{i}.}}\n" for i in range(20)), "part.yaml": part}


@bomb
def one_long_file_many_times(n: int) -> dict[str, str]:
    return {SCENE: "include:\n" + "  - part.yaml\n" * 60, "part.yaml": f"# {'x' * 100_000 * n}\ntitle: x\n"}


@bomb
def files_in_files(n: int) -> dict[str, str]:
    made = {SCENE: "include: [part0.yaml, part0.yaml]\n"}
    made |= {f"part{i}.yaml": f"include: [part{i + 1}.yaml, part{i + 1}.yaml]\ntitle: x\n" for i in range(10)}
    return made | {"part10.yaml": f"title: {'x' * 1000 * n}\n"}
