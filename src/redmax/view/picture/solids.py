"""All solid things of a picture as one list of triangles, and the colour of each of them at a place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.camera import Camera
from redmax.view.picture.lamp import Lamp
from redmax.view.picture.raster import edges_from_first
from redmax.view.picture.shading import Surroundings, roll_off, shaded, smoothstep, unit
from redmax.view.picture.theme import to_screen
from redmax.view.picture.things import SeenSurface

Array = NDArray[np.float64]
Single = NDArray[Any]  # of single precision
Whole = NDArray[np.signedinteger]
MARK, WEAVE = 0.17, 0.2  # by how much octants and edges of cloth are darker
THROUGH = 0.4  # of the lamp shines through cloth


@dataclass(frozen=True, eq=False)
class Solids:
    """places (m, 3, 2), nearness (m, 3): of the corners in the picture; normals (m, 3, 3), turned to the eye; thing (m,): whose they are.

    tone (k, 3), is_thin (k,), is_marked (k,), marks (k, 4, 4): of the k things; weave (m, 3): edges that show on cloth
    """

    places: Array
    nearness: Array
    normals: Single
    thing: Whole
    weave: NDArray[np.bool_]
    tone: Single
    is_thin: NDArray[np.bool_]
    is_marked: NDArray[np.bool_]
    marks: Single


def solids(surfaces: Sequence[SeenSurface], camera: Camera) -> Solids:
    """The triangles that the camera can see: in front of it, and not on the far side of something closed."""
    corners = np.concatenate([s.corners for s in surfaces])
    thing = np.repeat(np.arange(len(surfaces)), [len(s.corners) for s in surfaces])
    places, nearness = camera.project(corners)
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces_eye = np.einsum("ij,ij->i", flat, camera.eye - corners[:, 0]) > 0
    is_closed = np.array([s.is_closed for s in surfaces], bool)
    keep = (nearness > 0).all(axis=1) & (faces_eye | ~is_closed[thing])
    normals = np.concatenate([s.normals for s in surfaces]) * np.where(faces_eye, 1.0, -1.0)[:, None, None]
    none = np.eye(4)
    return Solids(
        places=places[keep],
        nearness=nearness[keep],
        normals=normals[keep].astype(np.float32),
        thing=thing[keep],
        weave=np.concatenate([np.zeros((len(s.corners), 3), bool) if s.weave is None else s.weave for s in surfaces])[keep],
        tone=np.array([s.colour for s in surfaces], np.float32),
        is_thin=np.array([s.weave is not None for s in surfaces], bool),
        is_marked=np.array([s.marks is not None for s in surfaces], bool),
        marks=np.array([none if s.marks is None else s.marks for s in surfaces], np.float32),
    )


def colours(scene: Solids, owner: Whole, place: Single, near: Single, world: Single, lights: tuple[Lamp, Single, Surroundings]) -> Single:
    """(n, 3) as the screen has them, of the triangles `owner` (n,) at places (n, 2) of the picture, points `world` (n, 3)."""
    lamp, shadow_map, around = lights
    if not len(owner):
        return np.zeros((0, 3), np.float32)
    share, height = shares(scene.places, owner, place)
    weights = share * scene.nearness[owner].astype(np.float32) / near[:, None]  # linear in the world, not on the picture
    n = unit(np.einsum("nk,nkx->nx", weights, scene.normals[owner]))
    thing = scene.thing[owner]
    base, thin = scene.tone[thing] * toned(scene, owner, thing, share, height, world)[:, None], scene.is_thin[thing]
    away = thin & (np.einsum("ij,j->i", n, around.back) < 0)
    key = lamp.reaches(shadow_map, world, np.where(away[:, None], -n, n), grain(place)) * np.where(away, THROUGH, 1).astype(np.float32)
    return to_screen(roll_off(shaded(base, n, around.theme.key_light * key, world, around)))


def shares(places: Array, owner: Whole, place: Single) -> tuple[Single, Single]:
    """(n, 3) each: how near a place is to each corner of its triangle, 0 on the edge across to 1; and how high the corner is, pixels."""
    u, v = edges_from_first(places)
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    across = np.roll(places, 1, axis=1) - np.roll(places, -1, axis=1)  # the edge across each corner
    heights = np.abs(area)[:, None] / np.maximum(np.linalg.norm(across, axis=2), 1e-12)
    p = place.astype(np.float64) - places[owner, 0]
    u, v, inverse = u[owner], v[owner], 1 / area[owner]
    second = (p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0]) * inverse
    third = (u[:, 0] * p[:, 1] - u[:, 1] * p[:, 0]) * inverse
    return np.stack([1 - second - third, second, third], axis=1).astype(np.float32), heights[owner].astype(np.float32)


def toned(scene: Solids, owner: Whole, thing: Whole, share: Single, height: Single, world: Single) -> Single:
    """(n,): what the marks of round bodies and the weave of cloth leave of a colour."""
    tone = np.ones(len(owner), np.float32)
    for k in np.flatnonzero(scene.is_marked):
        here = np.flatnonzero(thing == k)
        local = (world[here] - scene.marks[k, :3, 3]) @ scene.marks[k, :3, :3]
        tone[here[np.prod(local, axis=1) < 0]] -= MARK
    here = np.flatnonzero(scene.is_thin[thing])
    if len(here):
        pixel = 1 / np.maximum(height[here], np.float32(1e-6))
        cover = (1 - smoothstep(0.3, 1.3, share[here] * height[here])) * (1 - smoothstep(0.08, 0.3, pixel))
        tone[here] -= WEAVE * (cover * scene.weave[owner[here]]).max(axis=1)
    return tone


def grain(place: Single) -> Single:
    """(n,) angles that differ between neighbouring places, evenly over any few of them: interleaved gradient noise (Jimenez 2014)."""
    return np.float32(2 * np.pi) * ((52.9829189 * ((place.astype(np.float64) * 2 @ [0.06711056, 0.00583715]) % 1)) % 1).astype(np.float32)
