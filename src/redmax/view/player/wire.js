// A curve made ready for drawing: a round tube whose rings follow it without twist.

const WIRE_SIDES = 12;
const CAP_RINGS = 3; // of each round end

/** points: flat x, y, z along the curve. Returns flat positions and normals per triangle corner. */
function wireMesh(points, radius) {
  const path = distinctPoints(points);
  const isClosed = path.length > 3 && length(subtract(path[0], path[path.length - 1])) < 1e-4 * curveLength(path);
  if (isClosed) path.pop();
  const rings = tubeRings(path, radius, isClosed);
  const last = isClosed ? rings.length : rings.length - 1;
  const [positions, normals] = [0, 1].map(() => new Float32Array(18 * WIRE_SIDES * last));
  let at = 0;
  for (let i = 0; i < last; i++) {
    const [a, b] = [rings[i], rings[(i + 1) % rings.length]];
    for (let k = 0; k < WIRE_SIDES; k++) {
      const l = (k + 1) % WIRE_SIDES;
      for (const [ring, j] of [[a, k], [a, l], [b, l], [a, k], [b, l], [b, k]]) {
        positions.set(ring.points[j], at);
        normals.set(ring.normals[j], at);
        at += 3;
      }
    }
  }
  return { positions, normals };
}

function distinctPoints(points) {
  const path = [];
  for (let k = 0; k < points.length; k += 3) {
    const p = [points[k], points[k + 1], points[k + 2]];
    if (!path.length || length(subtract(p, path[path.length - 1])) > 0) path.push(p);
  }
  return path.length > 1 ? path : [path[0], add(path[0], [1e-9, 0, 0])];
}

function curveLength(path) {
  return path.slice(1).reduce((sum, p, i) => sum + length(subtract(p, path[i])), 0);
}

function tubeRings(path, radius, isClosed) {
  const frames = pathFrames(path, isClosed);
  const rings = path.map((p, i) => ringAt(p, frames[i], radius, 1, 0));
  if (isClosed) return rings;
  const end = path.length - 1;
  const cap = (p, frame, way) =>
    Array.from({ length: CAP_RINGS }, (_, k) => {
      const angle = ((k + 1) / CAP_RINGS) * (Math.PI / 2);
      return ringAt(p, frame, radius, Math.cos(angle), way * Math.sin(angle));
    });
  return [...cap(path[0], frames[0], -1).reverse(), ...rings, ...cap(path[end], frames[end], 1)];
}

/** A ring on the ball of this radius about p: `wide` and `ahead` are its radius and offset along the curve, over the ball's radius. */
function ringAt(p, { along, side, up }, radius, wide, ahead) {
  const normals = Array.from({ length: WIRE_SIDES }, (_, k) => {
    const angle = (2 * Math.PI * k) / WIRE_SIDES;
    const out = add(scale(side, Math.cos(angle)), scale(up, Math.sin(angle)));
    return add(scale(out, wide), scale(along, ahead));
  });
  return { normals, points: normals.map((n) => add(p, scale(n, radius))) };
}

/** Right-handed axes at each point, each turned from the last one by the smallest rotation; those of a closed path also meet. */
function pathFrames(path, isClosed) {
  const count = path.length;
  const tangents = path.map((_, i) => {
    const [before, after] = isClosed ? [(i + count - 1) % count, (i + 1) % count] : [Math.max(i - 1, 0), Math.min(i + 1, count - 1)];
    return normalize(subtract(path[after], path[before]));
  });
  const least = [0, 1, 2].reduce((best, k) => (Math.abs(tangents[0][k]) < Math.abs(tangents[0][best]) ? k : best), 0);
  const axis = [0, 0, 0];
  axis[least] = 1;
  const sides = [normalize(cross(tangents[0], axis))];
  for (let i = 1; i < count; i++) sides.push(carriedSide(sides[i - 1], tangents[i - 1], tangents[i]));
  const gap = isClosed ? closingAngle(carriedSide(sides[count - 1], tangents[count - 1], tangents[0]), sides[0], tangents[0]) : 0;
  return tangents.map((along, i) => {
    const turned = turnedAbout(sides[i], along, (gap * i) / count);
    return { along, side: turned, up: cross(along, turned) };
  });
}

/** A vector across the tangent a, turned with it onto the tangent b. */
function carriedSide(side, a, b) {
  const middle = add(a, b);
  const square = dot(middle, middle);
  const reflected = square < 1e-12 ? side : subtract(side, scale(middle, (2 * dot(middle, side)) / square)); // a goes to -b
  const off = subtract(reflected, scale(b, dot(b, reflected)));
  return normalize(off);
}

function closingAngle(from, to, about) {
  return Math.atan2(dot(about, cross(from, to)), dot(from, to));
}

function turnedAbout(v, axis, angle) {
  return add(scale(v, Math.cos(angle)), scale(cross(axis, v), Math.sin(angle)));
}
