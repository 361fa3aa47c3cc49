"""The catalogue: scenes to run, to look at and to copy from. `find` answers to names and to reference ids such as "redmax:14"."""

from redmax.errors import SceneError, unknown
from redmax.scenes import (
    arm,
    as_rows,
    ball_chains,
    banner,
    beads,
    board_rider,
    branching,
    cable_drive,
    composite_joint,
    coupled_chain,
    deforming_surface,
    dominoes,
    driven_bodies,
    driven_chain,
    falling_chain,
    falling_figure,
    flexion,
    free_bodies,
    free_cube,
    free_in_a_plane,
    gears,
    globe,
    gripper,
    hand,
    heavy_tops,
    helix,
    humanoid,
    kick,
    knee,
    letters,
    limited_chain,
    linkages,
    long_chain,
    loops,
    machines,
    marbles,
    mass_springs,
    measured_scapula,
    passive_walker,
    reaching_leg,
    revolute_axes,
    rolling,
    rubbing_joints,
    rubbing_linkages,
    satellite,
    scapula,
    screw_chain,
    sculpture,
    serial_chain,
    shapes,
    sliding_plate,
    slope,
    soft_contact,
    soft_gripper,
    spherical_chain,
    spline_chain,
    sprung_links,
    sprung_loop,
    stacks,
    terrain,
    thrown_on_ground,
    tops,
    torus_chain,
    track,
    two_bars,
    universal_chain,
    windmill,
    wire_chain,
    wrecking_ball,
)
from redmax.scenes.base import Entry

OURS = (
    sculpture, humanoid, helix, long_chain, torus_chain, windmill, wire_chain, board_rider, beads, globe, letters, deforming_surface, knee,
    flexion, reaching_leg,
    arm, kick, scapula, measured_scapula, hand,
    soft_gripper, banner, mass_springs, linkages, machines, rolling, passive_walker, track, two_bars,
    slope, stacks, dominoes, wrecking_ball, gripper, falling_chain, falling_figure, marbles, tops, terrain, soft_contact, as_rows,
    screw_chain, heavy_tops, free_bodies, ball_chains, satellite,
)  # fmt: skip
PUBLISHED = (
    serial_chain, revolute_axes, branching, spherical_chain, driven_chain, universal_chain, sliding_plate, free_cube, shapes,
    coupled_chain, driven_bodies, gears, composite_joint, spline_chain, free_in_a_plane,
    sprung_links, sprung_loop, cable_drive, limited_chain, loops, rubbing_joints, rubbing_linkages,
    thrown_on_ground,
)  # fmt: skip


def published_order(entry: Entry) -> tuple[str, int]:
    code, number = entry.reference.split(":")
    return code, int(number)


CATALOGUE: tuple[Entry, ...] = (
    *[entry for module in OURS for entry in module.ENTRIES],
    *sorted([*mass_springs.PUBLISHED, *[entry for module in PUBLISHED for entry in module.ENTRIES]], key=published_order),
)
DEFAULT = "sculpture"


def find(name: str) -> Entry:
    """The entry with this name or reference id."""
    for entry in CATALOGUE:
        if name and name in (entry.name, entry.reference):  # most have no reference
            return entry
    references = [entry.reference for entry in CATALOGUE if entry.reference]
    raise SceneError(unknown("scene", name, references if ":" in name else [entry.name for entry in CATALOGUE]))


__all__ = ["CATALOGUE", "DEFAULT", "Entry", "find"]
