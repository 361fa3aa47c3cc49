// The data of the page, decoded, and the poses of what it shows at any time.

const FLOATS = ["vertices", "poses", "values", "points", "modes", "weights", "twists", "feet", "vectors", "q", "qdot", "pushes", "friction"];
const WHOLES = { lines: Uint32Array, differences: Uint8Array, levels: Uint8Array, active: Uint8Array, states: Uint8Array, begins: Uint32Array };
const ENCODED = { ...WHOLES, ...Object.fromEntries(FLOATS.map((name) => [name, Float32Array])) };

function decode(text, type) {
  return new type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
}

function decodeFields(object) {
  const read = (key, value) => (key === "faces" ? decodeCorners(value) : key in ENCODED ? decode(value, ENCODED[key]) : value);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, read(key, value)]));
}

/** Vertex numbers, of which the differences are stored. */
function decodeCorners(text) {
  let sum = 0;
  return Uint32Array.from(shortNumbers(decode(text, Uint8Array)), (difference) => (sum += difference));
}

function readScene(text) {
  const scene = JSON.parse(text);
  scene.times = decode(scene.times, Float64Array);
  for (const list of ["meshes", "tracks", "bodies", "drawings", "paths", "soft", "marks", "frames", "arrows", "trails", "energy"]) scene[list] = scene[list].map(decodeFields);
  for (const thing of [...scene.bodies, ...scene.drawings, ...scene.marks, ...scene.frames]) thing.poses = scene.tracks[thing.track].poses;
  for (const thing of [...scene.paths, ...scene.soft]) if (thing.differences) Object.assign(thing, placesOf(thing.differences, scene.times.length));
  if (scene.contacts) scene.contacts = decodeFields(scene.contacts);
  scene.camera.moves = decode(scene.camera.moves, Float32Array);
  scene.start = scene.times[0];
  scene.end = scene.times[scene.times.length - 1];
  return scene;
}

/** The sample at or before t, and how far t is on the way to the next one: [index, 0..1]. */
function locate(times, t) {
  let low = 0;
  let high = times.length - 1;
  if (high === 0 || t >= times[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return [low, clamp((t - times[low]) / (times[high] - times[low]), 0, 1)];
}

/** poses: rows of position and quaternion, one per sample, or a single one of what never moves. */
function poseAt(poses, at) {
  const [i, s] = poses.length > 7 ? at : [0, 0];
  const row = (k) => poses.subarray(7 * k, 7 * k + 7);
  const a = row(i);
  if (s === 0) return poseMatrix(a, a.subarray(3));
  const b = row(i + 1);
  const p = [0, 1, 2].map((k) => a[k] + s * (b[k] - a[k]));
  return poseMatrix(p, slerp(a.subarray(3), b.subarray(3), s));
}

/** A row of numbers between samples, of what is the same at all times if there is one row only. */
function rowAt(rows, width, at) {
  const [i, s] = rows.length > width ? at : [0, 0];
  const row = (k) => rows.subarray(width * k, width * k + width);
  return s === 0 ? [...row(i)] : [...row(i)].map((x, k) => x + s * (row(i + 1)[k] - x));
}

/** The orientation of a pose between samples: w, x, y, z. */
function quaternionAt(poses, at) {
  const [i, s] = poses.length > 7 ? at : [0, 0];
  const row = (k) => poses.subarray(7 * k + 3, 7 * k + 7);
  return s === 0 ? [...row(i)] : slerp(row(i), row(i + 1), s);
}
