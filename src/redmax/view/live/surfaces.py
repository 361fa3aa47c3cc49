"""Surfaces of bodies in viser's scene. One of plastic is a mesh as viser has it; any other material is sent as binary glTF, whose materials
have a roughness and a share of metal (glTF 2.0 specification, sections 3.9 and 4.4)."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.components.appearance import Appearance
from redmax.view.geometry.creases import split_at_creases
from redmax.view.live.look import rgb
from redmax.view.picture.theme import linear_colour

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]
Faces = NDArray[np.int64]
ROUGHNESS_AND_METAL = {"matte": (1.0, 0.0), "glossy": (0.08, 0.0), "metal": (0.28, 1.0)}
GLTF, JSON, BIN = 0x46546C67, 0x4E4F534A, 0x004E4942  # "glTF" and the kinds of its two parts
FLOAT, WHOLE = 5126, 5125  # types of numbers
VERTICES, CORNERS = 34962, 34963  # what a buffer is for


def add_surface(
    server: viser.ViserServer, name: str, vertices: Array, faces: Faces, colour: str, seen: Appearance
) -> viser.MeshHandle | viser.GlbHandle:
    """A body in the scene, smooth but for its creases. colour: "#rrggbb"; seen: opacity and material."""
    origin, corners = split_at_creases(vertices, faces)
    if seen.material not in ROUGHNESS_AND_METAL:
        clear: dict[str, Any] = {"opacity": seen.opacity} if seen.opacity < 1 else {}
        return server.scene.add_mesh_simple(name, vertices[origin], corners, color=rgb(colour), **clear)
    rough, metal = ROUGHNESS_AND_METAL[seen.material]
    return server.scene.add_glb(name, glb(vertices[origin], corners, material(colour, seen.opacity, rough, metal)))


def material(colour: str, opacity: float, rough: float, metal: float) -> dict[str, Any]:
    """As glTF has it: colours are light, not as the screen counts it."""
    base = [*map(float, linear_colour(colour)), opacity]
    found = {"pbrMetallicRoughness": {"baseColorFactor": base, "roughnessFactor": rough, "metallicFactor": metal}}
    return found | ({"alphaMode": "BLEND"} if opacity < 1 else {})


def glb(vertices: Array, faces: Faces, surface: dict[str, Any]) -> bytes:
    """A mesh of one material as a binary glTF file."""
    parts = [vertices.astype("<f4"), normals(vertices, faces).astype("<f4"), faces.astype("<u4")]
    data, count = b"".join(part.tobytes() for part in parts), [len(vertices), len(vertices), faces.size]
    starts = np.cumsum([0, *[part.nbytes for part in parts[:-1]]]).tolist()
    views = [
        {"buffer": 0, "byteOffset": start, "byteLength": part.nbytes, "target": target}
        for start, part, target in zip(starts, parts, (VERTICES, VERTICES, CORNERS), strict=True)
    ]
    kinds = ((FLOAT, "VEC3"), (FLOAT, "VEC3"), (WHOLE, "SCALAR"))
    accessors: list[dict[str, Any]] = [
        {"bufferView": k, "componentType": number, "count": n, "type": kind}
        for k, (n, (number, kind)) in enumerate(zip(count, kinds, strict=True))
    ]
    accessors[0] |= {"min": parts[0].min(axis=0).tolist(), "max": parts[0].max(axis=0).tolist()}
    mesh = {"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2, "material": 0}]}
    whole = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "meshes": [mesh]}
    text = json.dumps(
        {**whole, "materials": [surface], "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}]}
    )
    return packed(text.encode(), data)


def packed(text: bytes, data: bytes) -> bytes:
    """The two parts of a file, each of a length that four divides."""
    text, data = text + b" " * (-len(text) % 4), data + b"\0" * (-len(data) % 4)
    chunks = struct.pack("<II", len(text), JSON) + text + struct.pack("<II", len(data), BIN) + data
    return struct.pack("<III", GLTF, 2, 12 + len(chunks)) + chunks


def normals(vertices: Array, faces: Faces) -> Array:
    """(n, 3): at each vertex, the mean of the faces around it by their size."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    across, out = np.cross(b - a, c - a), np.zeros_like(vertices)
    for k in range(3):
        np.add.at(out, faces[:, k], across)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-300)
