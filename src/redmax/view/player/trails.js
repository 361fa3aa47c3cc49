// Lines that points leave behind: until the time shown, from the beginning or for as long as they stay.

const { TRAIL_RADIUS } = SIZES; // a share, see view/geometry/sizes.py
const MOST_PIECES = 700; // of a line that is made anew for each picture

class Trail extends Deforming {
  constructor(gl, entry, times, sceneSize) {
    super(gl, entry);
    Object.assign(this, { times, radius: TRAIL_RADIUS * sceneSize, isTrail: true, material: "matte" });
  }

  update(at) {
    const points = trailPoints(this.entry, this.times, at);
    const count = points.length / 3;
    const pairs = Array.from({ length: 2 * Math.max(count - 1, 0) }, (_, k) => (k + 1) >> 1);
    this.reshape(count > 1 ? rodMesh(points, pairs, [0, count - 1], this.radius, this.radius) : NO_MESH);
  }
}

/** Flat x, y, z of the samples of a trail that are seen at a sample and a share of the way to the next one, and of where it is now. */
function trailPoints({ points, seconds }, times, at) {
  const now = rowAt(points, 3, at);
  if (points.length <= 3) return new Float32Array(now);
  const t = times[at[0]] + at[1] * ((times[at[0] + 1] ?? times[at[0]]) - times[at[0]]);
  const from = seconds === undefined ? [0, 0] : locate(times, Math.max(times[0], t - seconds));
  const step = Math.max(1, Math.ceil((at[0] - from[0]) / MOST_PIECES));
  const found = [...rowAt(points, 3, from)];
  for (let i = from[0] + 1; i <= at[0]; i++) if (i % step === 0) found.push(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  return new Float32Array([...found, ...now]);
}
