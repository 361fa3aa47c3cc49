// A deforming surface of triangles: what never changes about it is prepared once, its normals follow the vertices.

const DIAGONAL = 1.05; // times as long as the other edges of both its triangles, an edge goes across a quadrilateral: it is not drawn

/** points: flat, at the first time; faces: flat vertex numbers. A surface without a border keeps the sharp edges it has then. */
function prepareMembrane(points, faces) {
  const normals = faceNormals(points, faces);
  const normal = (f) => normalize(normals.subarray(3 * f, 3 * f + 3));
  const sides = edgesOf(faces);
  const isOpen = sides.some(({ starts }) => starts.length === 1);
  const areSmooth = (f, g) => f === g || isOpen || dot(normal(f), normal(g)) > CREASE;
  const isDrawn = ({ starts: [k, l] }) => l === undefined || !areSmooth(faceOf(k), faceOf(l));
  const inside = insideEdges(points, faces, sides);
  return { faces, inside, corners: smoothCorners(faces, areSmooth), edges: sides.filter(isDrawn).flatMap(({ ends }) => ends) };
}

/** The face of a corner, and the next corner around it. */
const faceOf = (k) => Math.floor(k / 3);
const after = (k) => (k % 3 === 2 ? k - 2 : k + 1);

/** Each edge once: its ends, and the corners at which it starts in the faces that it belongs to. */
function edgesOf(faces) {
  const edges = new Map();
  faces.forEach((a, k) => {
    const b = faces[after(k)];
    const key = a < b ? `${a},${b}` : `${b},${a}`;
    if (!edges.has(key)) edges.set(key, { ends: [a, b], starts: [] });
    edges.get(key).starts.push(k);
  });
  return [...edges.values()];
}

/** For each corner of the triangles, the list of faces whose normals it shares; one list for all corners that have the same. */
function smoothCorners(faces, areSmooth) {
  const around = new Map();
  faces.forEach((vertex, k) => {
    if (!around.has(vertex)) around.set(vertex, []);
    around.get(vertex).push(faceOf(k));
  });
  const lists = new Map();
  const group = Uint32Array.from(faces, (vertex, k) => {
    const list = around.get(vertex).filter((f) => areSmooth(f, faceOf(k)));
    const key = `${vertex}:${list}`;
    if (!lists.has(key)) lists.set(key, { number: lists.size, list });
    return lists.get(key).number;
  });
  return { group, lists: [...lists.values()].map(({ list }) => list) };
}

/** Three numbers per corner, each zero along one edge of the triangle and one at the corner across; ever one for a diagonal. */
function insideEdges(points, faces, sides) {
  const at = (k) => points.subarray(3 * faces[k], 3 * faces[k] + 3);
  const long = (k) => length(subtract(at(after(k)), at(k)));
  const isLongest = (k) => long(k) > DIAGONAL * Math.max(long(after(k)), long(after(after(k))));
  const inside = Float32Array.from({ length: 3 * faces.length }, (_, i) => (faceOf(i) % 3 === i % 3 ? 1 : 0));
  for (const { starts } of sides)
    if (starts.length === 2 && starts.every(isLongest))
      for (const k of starts) {
        const across = after(after(k)) % 3;
        for (let corner = 0; corner < 3; corner++) inside[9 * faceOf(k) + 3 * corner + across] = 1;
      }
  return inside;
}

/** Flat normals of the faces, as long as twice their area. */
function faceNormals(points, faces) {
  const normals = new Float32Array(faces.length);
  for (let k = 0; k < faces.length; k += 3) {
    const [a, b, c] = [3 * faces[k], 3 * faces[k + 1], 3 * faces[k + 2]];
    const [ux, uy, uz] = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
    const [vx, vy, vz] = [points[c] - points[a], points[c + 1] - points[a + 1], points[c + 2] - points[a + 2]];
    normals[k] = uy * vz - uz * vy;
    normals[k + 1] = uz * vx - ux * vz;
    normals[k + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** Flat positions and normals per triangle corner: means over the faces around, weighted by area. */
function membraneMesh(points, { faces, corners }) {
  const ofFaces = faceNormals(points, faces);
  const means = corners.lists.map((list) => {
    const sum = [0, 0, 0];
    for (const f of list) for (let x = 0; x < 3; x++) sum[x] += ofFaces[3 * f + x];
    return normalize(sum);
  });
  const [positions, normals] = [0, 1].map(() => new Float32Array(3 * faces.length));
  for (let k = 0; k < faces.length; k++)
    for (let x = 0; x < 3; x++) {
      positions[3 * k + x] = points[3 * faces[k] + x];
      normals[3 * k + x] = means[corners.group[k]][x];
    }
  return { positions, normals };
}
