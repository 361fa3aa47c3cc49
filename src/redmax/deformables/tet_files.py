"""Tetrahedral meshes from files and to files.

.node, .ele     TetGen: two files of one name, numbered from 0 or from 1; either may be given
.tet            text: lines "node x y z" and "tet a b c d", nodes numbered from 0 in their order; what follows a # is a remark
anything else   what meshio reads (Gmsh, VTK, Abaqus, ...): its tetrahedra; needs the extra redmax[mesh]
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from redmax.arguments import as_path
from redmax.deformables.base import Array, Numbers
from redmax.errors import SceneError
from redmax.writing import whole_file, write_text


def read(path: str | PathLike[str]) -> tuple[Array, Numbers]:
    """Nodes (N, 3) in the unit of the file, and tetrahedra (n, 4) numbered from 0."""
    file = as_path(path, "Tetrahedra: the file", "beam.msh")
    if file.suffix in (".node", ".ele"):
        return read_tetgen(file)
    return read_text(file) if file.suffix == ".tet" else read_meshio(file)


def write(path: str | PathLike[str], nodes: Array, tets: Numbers) -> None:
    """A .tet file, or whatever meshio writes under another ending; a .node or .ele file comes with the other."""
    file = as_path(path, "Tetrahedra: the file", "beam.tet")
    if file.suffix == ".tet":
        lines = [f"node {x!r} {y!r} {z!r}" for x, y, z in nodes.tolist()] + ["tet {} {} {} {}".format(*t) for t in tets.tolist()]
        write_text(file, "\n".join(lines) + "\n")
    elif file.suffix in (".node", ".ele"):
        points = [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(nodes.tolist())]
        rows = ["{} {} {} {} {}".format(i, *t) for i, t in enumerate(tets.tolist())]
        with whole_file(file.with_suffix(".node")) as first, whole_file(file.with_suffix(".ele")) as second:
            first.write("\n".join([f"{len(points)} 3 0 0", *points, ""]).encode())
            second.write("\n".join([f"{len(rows)} 4 0", *rows, ""]).encode())
    else:
        write_meshio(file, nodes, tets)


def write_meshio(file: Path, nodes: Array, tets: Numbers) -> None:
    """Elsewhere at first: it may be several files, which name each other, and meshio may give up between them."""
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    meshio = imported(file)
    with TemporaryDirectory() as folder:
        try:
            meshio.Mesh(nodes, [("tetra", tets)]).write(str(Path(folder, file.name)))
        except (Exception, SystemExit) as error:
            raise SceneError(
                f"Tetrahedra: cannot write {str(file)!r} ({error}), expected an ending that meshio knows, or .tet.",
                owner="Tetrahedra",
                argument="path",
            ) from error
        for made in Path(folder).iterdir():
            with made.open("rb") as source, whole_file(file.with_name(made.name)) as target:
                copyfileobj(source, target)


def words(file: Path) -> Iterator[tuple[int, list[str]]]:
    """(line number, its words) of the lines that say something."""
    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(
            f"Tetrahedra: cannot read {str(file)!r} ({error}), expected a text file.", owner="Tetrahedra", argument="path"
        ) from error
    for number, line in enumerate(text.splitlines(), start=1):
        found = line.split("#")[0].split()
        if found:
            yield number, found


def read_text(file: Path) -> tuple[Array, Numbers]:
    nodes: list[list[float]] = []
    tets: list[list[int]] = []
    for number, found in words(file):
        try:
            if found[0] == "node" and len(found) == 4:
                nodes.append([float(x) for x in found[1:]])
            elif found[0] == "tet" and len(found) == 5:
                tets.append([int(x) for x in found[1:]])
            else:
                raise ValueError
        except ValueError:
            what = f'line {number} is {" ".join(found)!r}, expected "node x y z" or "tet a b c d"'
            raise SceneError(f"Tetrahedra: in the file {str(file)!r}, {what}.", owner="Tetrahedra", argument="path") from None
    return np.array(nodes, float).reshape(-1, 3), np.array(tets, np.int64).reshape(-1, 4)


def read_tetgen(file: Path) -> tuple[Array, Numbers]:
    """Nodes may have attributes and markers behind their coordinates, and tetrahedra attributes: these are passed over."""
    points = tetgen_table(file.with_suffix(".node"), 1, 3)
    tets = tetgen_table(file.with_suffix(".ele"), 1, 4)
    first = int(points[0, 0]) if len(points) else 0
    if first not in (0, 1) or not np.array_equal(points[:, 0], first + np.arange(len(points))):
        raise SceneError(
            f"Tetrahedra: the nodes of {str(file.with_suffix('.node'))!r} are not numbered from 0 or from 1 without gaps.",
            owner="Tetrahedra",
            argument="path",
        )
    return points[:, 1:], tets[:, 1:].astype(np.int64) - first


def tetgen_table(file: Path, header: int, columns: int) -> Array:
    """(n, 1 + columns): number of each row and what follows it; the header says n and what else the file holds."""
    lines = list(words(file))
    valid = f"a TetGen file: a header with the number of lines and {columns}, then each line's number and {columns} values"
    try:
        count, width = int(lines[0][1][0]), int(lines[0][1][1])
        table = np.array([[float(x) for x in found[: 1 + columns]] for _, found in lines[header:]]).reshape(-1, 1 + columns)
    except (IndexError, ValueError):
        raise SceneError(f"Tetrahedra: cannot understand {str(file)!r}, expected {valid}.", owner="Tetrahedra", argument="path") from None
    if len(table) != count or width != columns:
        got = f"has {len(table)} lines of {width} values where its header says {count}"
        raise SceneError(f"Tetrahedra: {str(file)!r} {got}, expected {valid}.", owner="Tetrahedra", argument="path")
    return table


def read_meshio(file: Path) -> tuple[Array, Numbers]:
    meshio = imported(file)
    try:
        mesh = meshio.read(str(file))
    except (Exception, SystemExit) as error:  # meshio exits the program on a file that it cannot read
        valid = "a file of tetrahedra that meshio reads, such as .msh or .vtk, or .tet, .node, .ele"
        raise SceneError(
            f"Tetrahedra: cannot read {str(file)!r} ({error}), expected {valid}.", owner="Tetrahedra", argument="path"
        ) from error
    tets = [np.asarray(block.data, np.int64) for block in mesh.cells if block.type == "tetra"]
    if not tets:
        kinds = ", ".join(sorted({block.type for block in mesh.cells})) or "nothing"
        raise SceneError(
            f"Tetrahedra: the file {str(file)!r} has {kinds}, expected tetrahedra of four nodes (tetra).",
            owner="Tetrahedra",
            argument="path",
        )
    return np.asarray(mesh.points, float), np.concatenate(tets)


def imported(file: Path) -> Any:
    try:
        import meshio
    except ImportError as error:
        what = f"Tetrahedra: the file {str(file)!r} needs the package meshio"
        raise SceneError(
            f"{what}; install it with: pip install 'redmax[mesh]', or use .tet, .node and .ele files.", owner="Tetrahedra", argument="path"
        ) from error
    return meshio
