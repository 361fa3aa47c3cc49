"""What a file says of its run before the first sample: the settings, who writes it, the joints.

Attributes say it to everybody, in texts that HDF5 keeps in heaps without checksums; reading one that is damaged may never end. So the
dataset `header` says it once more, as JSON in plain bytes whose checksum is known before they are read. Only files of version 1, which
had none, are read by their attributes, once their heaps have been looked through.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from redmax.errors import RedmaxError
from redmax.results.contents import ATTRIBUTE, Contents, check_room
from redmax.results.layout import FORMAT, SETTINGS, VERSION
from redmax.results.provenance import this_version
from redmax.results.storage import check_heaps, descriptor_of

HEADER = "header"
ABOUT = "what the attributes of the file say, and the names of its joints, as JSON; header_check is its checksum (CRC-32)"
BYTES = 8 * 2**20
FACTS = {"format": "text", "id": "text", "batch": "I", "integrator": "text", "dynamics": "text", "dt": "f"}
WRITER = {"writer_host": "text", "writer_pid": "i", "writer_began": "text"}
PARAMETERS = {"parameters": "TEXT", "parameters_check": "i"}  # of a run whose worlds differ
OPTIONAL = SETTINGS | WRITER | PARAMETERS
TEXTS = {"missing": "text", "prescribed": "TEXT", "joints": "TEXT"}
AS_WRITTEN = {
    "text": str,
    "i": int,
    "f": float,
    "b": bool,
    "I": lambda found: [int(n) for n in found],
    "F": lambda found: [float(x) for x in found],
    "TEXT": list,
}
IS = {"text": str, "i": int, "f": int | float, "b": bool, "I": int, "F": int | float, "TEXT": str}


def header_bytes(facts: Mapping[str, Any], missing: str, prescribed: Sequence[str], joints: Sequence[str]) -> bytes:
    """facts: the attributes of the file; missing: why it has no scene."""
    kinds = FACTS | OPTIONAL | TEXTS
    given = {**facts, "missing": missing, "prescribed": prescribed, "joints": joints}
    text = json.dumps({name: AS_WRITTEN[kind](given[name]) for name, kind in kinds.items() if name in given})
    if len(text) > BYTES:
        raise RedmaxError(f"The names of the joints have {len(text)} characters, expected at most {BYTES}. Give shorter ones.")
    return text.encode()


def header_of(file: Contents) -> dict[str, Any]:
    """By the names of FACTS, OPTIONAL and TEXTS; and `version`, that of the format."""
    version = file.attribute("format_version", "i") if file.has_attribute("format_version") else 0
    if version > VERSION:
        here = f"redmax {this_version()} reads up to version {VERSION}. Update redmax: pip install -U redmax"
        raise RedmaxError(f"{str(file.path)!r} has version {version} of the format (a later redmax wrote it); {here}.")
    found = from_attributes(file) if version == 1 else from_json(file) if version > 1 and file.has(HEADER) else {}
    if found.get("format") != FORMAT:
        raise RedmaxError(f"{str(file.path)!r} is an HDF5 file, but not a result file of redmax. Open it with h5py.")
    for name, value in found.items():
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise ValueError(f"{name} is {value}")
    return found | {"version": version}


def from_json(file: Contents) -> dict[str, Any]:
    stored = file.dataset(HEADER, np.dtype("uint8"), (None,))
    if len(stored) > min(BYTES, file.bytes):
        file.refuse(HEADER, f"declares {len(stored)} bytes, expected at most {min(BYTES, file.bytes)}")
    data = stored[()].tobytes()
    if crc32(data) != file.attribute("header_check", "i"):
        raise ValueError("its header is not as it was written")
    found = json.loads(data)
    for name, kind in (FACTS | OPTIONAL | TEXTS).items():
        if name in found or name not in OPTIONAL:
            check_kind(file, name, found[name], kind)
    return found


def check_kind(file: Contents, name: str, value: Any, kind: str) -> None:
    many = kind.isupper()
    right = isinstance(value, list) if many else True
    for entry in value if many and right else [value] if right else ():
        right = right and isinstance(entry, IS[kind]) and (kind == "b" or not isinstance(entry, bool))
    if not right or (kind == "text" and len(value) > ATTRIBUTE):
        file.refuse(name, f"is not what the header of a result has there, {'a list of ' if many else ''}{kind.lower()}")


def from_attributes(file: Contents) -> dict[str, Any]:
    check_room(file)
    try:
        check_heaps(descriptor_of(file.file))
    except ValueError as error:
        file.refuse("a text", str(error))
    kinds = {name: kind for name, kind in (FACTS | OPTIONAL).items() if name not in OPTIONAL or file.has_attribute(name)}
    if not file.has_attribute("format"):
        return {}
    found = {name: AS_WRITTEN[kind](file.attribute(name, kind)) for name, kind in kinds.items()}
    missing = file.attribute("missing", "text", file.dataset("scene", str, ()))
    return found | {"missing": missing, "prescribed": file.words("joints/prescribed"), "joints": file.words("joints/names")}


def identity(file: Contents) -> str:
    """What tells a run from others, quickly."""
    return str(file.attribute("number", "i")) if file.has_attribute("number") else file.attribute("id", "text")
