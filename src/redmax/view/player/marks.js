// The pins, balls and rails of joints, and the axes of frames, ready for the renderer: small solids that sit on what carries them.

function createMarks(marks, meshes) {
  return marks.map(({ name, kind, body, mesh, poses, place, colour }) => ({
    name,
    body,
    poses,
    mesh: meshes[mesh],
    place: poseMatrix(place, place.slice(3)),
    isMark: true,
    ...(colour ? { isFrame: true, colour: linearColour(colour) } : {}),
    caption: () => `${name} \u00b7 ${spaced(kind)}`,
  }));
}

/** "SphericalEuler" as "spherical euler", "Free3D" as "free 3D". */
function spaced(kind) {
  return kind.replace(/([a-z])(?=[A-Z0-9])/g, "$1 ").replace(/[A-Z][a-z]/g, (start) => start.toLowerCase());
}
