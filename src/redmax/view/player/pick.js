// Which thing with a name is under the pointer: the first one that the line of sight meets.

function pickNamed(things, poses, eye, ray) {
  let [nearest, found] = [Infinity, -1];
  things.forEach(({ mesh, isHidden }, i) => {
    if (isHidden || !mesh.positions) return;
    const [origin, along] = [intoPose(poses[i], eye, true), intoPose(poses[i], ray, false)];
    const missBy = length(cross(origin, along));
    if (missBy > mesh.radius) return;
    const distance = meetTriangles(mesh.positions, origin, along);
    if (distance < nearest) [nearest, found] = [distance, i];
  });
  return found;
}

/** Distance to the first triangle along a unit direction, or Infinity (Moeller and Trumbore). */
function meetTriangles(positions, origin, along) {
  let nearest = Infinity;
  for (let k = 0; k < positions.length; k += 9) {
    const a = positions.subarray(k, k + 3);
    const ab = subtract(positions.subarray(k + 3, k + 6), a);
    const ac = subtract(positions.subarray(k + 6, k + 9), a);
    const p = cross(along, ac);
    const determinant = dot(ab, p);
    if (determinant === 0) continue;
    const s = subtract(origin, a);
    const u = dot(s, p) / determinant;
    const q = cross(s, ab);
    const v = dot(along, q) / determinant;
    const distance = dot(ac, q) / determinant;
    if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0) nearest = Math.min(nearest, distance);
  }
  return nearest;
}
