"""All contacts of a run as a list, a line for each: arrays by name, and a text file of numbers."""

from __future__ import annotations

import csv
from io import TextIOWrapper
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from redmax.arguments import as_path
from redmax.errors import RedmaxError
from redmax.text import one_line
from redmax.writing import whole_file

if TYPE_CHECKING:
    from redmax.run.contact.history import Contacts

XYZ = ("x", "y", "z")
VECTORS = ("point", "normal", "force", "slip", "moment")


def listed(contacts: Contacts) -> dict[str, np.ndarray]:
    """(n,) or (n, 3) of all contacts of all samples: "t", "sample" and, of a batch, "world" (n, axes); then as a ContactSample has them."""
    rows, place = contacts.all_rows
    at = np.stack(np.unravel_index(place, contacts.count.shape), axis=-1)
    found = {"t": np.asarray(contacts.t)[at[:, 0]], "sample": at[:, 0]} | ({"world": at[:, 1:]} if contacts.count.ndim > 1 else {})
    return found | contacts.read(rows)


def write_csv(contacts: Contacts, path: str | PathLike[str]) -> Path:
    """A line for each contact; numbers are written so that reading them gives the same bits."""
    found, target = listed(contacts), as_path(path, "A table", "contacts.csv", RedmaxError)
    axes = contacts.count.ndim - 1
    worlds = ["world"] if axes == 1 else [f"world{k}" for k in range(axes)]
    units = {"point": contacts.units[0], "normal": "1", "force": contacts.units[1], "slip": f"{contacts.units[0]}/s"}
    units["moment"] = f"{contacts.units[1]} {contacts.units[0]}"
    soft = bool((contacts.nodes >= 0).any())
    heads = [f"gap ({contacts.units[0]})"]
    heads += [f"{name}.{axis} ({units[name]})" for name in VECTORS for axis in XYZ]
    heads += [f"energy ({units['moment']})", "friction"]
    with whole_file(target) as raw, TextIOWrapper(raw, encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["t (s)", *worlds, "first", "second", "state", *heads, *["node"] * soft])
        for k in range(len(found["t"])):
            names = [one_line(str(found[name][k])) for name in ("first", "second", "state")]
            numbers = [found["gap"][k], *[x for name in VECTORS for x in found[name][k]], found["energy"][k], found["friction"][k]]
            world = found["world"][k].tolist() if axes else []
            table.writerow([float(found["t"][k]), *world, *names, *map(float, numbers), *[int(found["node"][k])] * soft])
    return target
