// Straight round rods between points, and beads on the points: simple enough to be made anew for each picture.

const ROD_SIDES = 10;
const BEAD_BANDS = 6;
const CIRCLE = Array.from({ length: ROD_SIDES + 1 }, (_, k) => (2 * Math.PI * (k % ROD_SIDES)) / ROD_SIDES).map((a) => [Math.cos(a), Math.sin(a)]);
const ROD_NUMBERS = 18 * ROD_SIDES; // flat coordinates of its triangles

/** Cosine and sine around the rod, and 0 or 1 for the end, of the corners of two triangles for each side, flat. */
const ROD_CORNERS = new Float32Array(
  Array.from({ length: ROD_SIDES }, (_, k) =>
    [[k, 0], [k + 1, 0], [k + 1, 1], [k, 0], [k + 1, 1], [k, 1]].map(([j, end]) => [...CIRCLE[j], end]),
  ).flat(2),
);

/** Corners of the triangles of a unit ball, flat. */
const BALL = new Float32Array(ballCorners());

function ballCorners() {
  const at = (band, k) => {
    const angle = (Math.PI * band) / BEAD_BANDS;
    const wide = band % BEAD_BANDS ? Math.sin(angle) : 0;
    return [wide * CIRCLE[k][0], wide * CIRCLE[k][1], -Math.cos(angle)];
  };
  const corners = [];
  for (let band = 0; band < BEAD_BANDS; band++)
    for (let k = 0; k < ROD_SIDES; k++) {
      const [a, b, c, d] = [at(band, k), at(band, k + 1), at(band + 1, k + 1), at(band + 1, k)];
      if (band) corners.push(a, b, c);
      if (band + 1 < BEAD_BANDS) corners.push(a, c, d);
    }
  return corners.flat();
}

/** points: flat; pairs: numbers of the ends of each rod, flat; beads: numbers of points. Returns flat positions and normals. */
function rodMesh(points, pairs, beads, radius, beadRadius) {
  const rods = pairs.length / 2;
  const [positions, normals] = [0, 1].map(() => new Float32Array(rods * ROD_NUMBERS + beads.length * BALL.length));
  for (let i = 0; i < rods; i++) writeRod(positions, normals, i * ROD_NUMBERS, points, 3 * pairs[2 * i], 3 * pairs[2 * i + 1], radius);
  let at = rods * ROD_NUMBERS;
  for (const bead of beads) {
    normals.set(BALL, at);
    const [x, y, z] = [points[3 * bead], points[3 * bead + 1], points[3 * bead + 2]];
    for (let j = 0; j < BALL.length; j += 3) {
      positions[at++] = x + beadRadius * BALL[j];
      positions[at++] = y + beadRadius * BALL[j + 1];
      positions[at++] = z + beadRadius * BALL[j + 2];
    }
  }
  return { positions, normals };
}

/** The triangles of the rod from the coordinate number a to b; one without length has no area. */
function writeRod(positions, normals, at, points, a, b, radius) {
  const along = normalize([points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]]);
  const side = normalize(cross(along, Math.abs(along[2]) < 0.7 ? [0, 0, 1] : [1, 0, 0]));
  const up = cross(along, side);
  for (let k = 0; k < 6 * ROD_SIDES; k++) {
    const [c, s, end] = [ROD_CORNERS[3 * k], ROD_CORNERS[3 * k + 1], ROD_CORNERS[3 * k + 2] ? b : a];
    for (let x = 0; x < 3; x++) {
      normals[at] = c * side[x] + s * up[x];
      positions[at] = points[end + x] + radius * normals[at];
      at++;
    }
  }
}
