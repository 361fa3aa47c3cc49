// Triangles made ready for drawing: soft normals across shallow edges, flat ones and a drawn line at sharp ones.

const CREASE = Math.cos((40 * Math.PI) / 180);

/** Returns flat arrays: positions and normals per triangle corner, feature edges as pairs of points. */
function prepareMesh({ vertices, faces }) {
  const point = (i) => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]];
  const weld = weldVertices(vertices);
  const triangles = [];
  for (let k = 0; k < faces.length; k += 3) {
    const corners = [faces[k], faces[k + 1], faces[k + 2]];
    const p = corners.map(point);
    const n = cross(subtract(p[1], p[0]), subtract(p[2], p[0]));
    if (length(n) > 0) triangles.push({ p, ids: corners.map((i) => weld[i]), normal: normalize(n) });
  }
  const { normals, isSmooth } = cornerNormals(triangles);
  return {
    positions: new Float32Array(triangles.flatMap((t) => t.p.flat())),
    normals: new Float32Array(normals),
    edges: new Float32Array(featureEdges(triangles)),
    isSmooth,
    thickness: thickness(vertices),
    radius: triangles.reduce((r, t) => Math.max(r, ...t.p.map(length)), 0),
  };
}

/** The smallest extent along x, y or z. */
function thickness(vertices) {
  const extents = [0, 1, 2].map((k) => {
    const along = vertices.filter((_, i) => i % 3 === k);
    return along.reduce((a, b) => Math.max(a, b)) - along.reduce((a, b) => Math.min(a, b));
  });
  return Math.min(...extents);
}

/** One id for all vertices at the same place. */
function weldVertices(vertices) {
  const size = vertices.reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1;
  const seen = new Map();
  const ids = [];
  for (let i = 0; i < vertices.length; i += 3) {
    const key = [0, 1, 2].map((k) => Math.round((vertices[i + k] / size) * 1e5)).join();
    if (!seen.has(key)) seen.set(key, seen.size);
    ids.push(seen.get(key));
  }
  return ids;
}

/** The mean normal, weighted by angle, of the triangles around a corner that are not across a sharp edge. */
function cornerNormals(triangles) {
  const around = new Map();
  for (const triangle of triangles)
    triangle.ids.forEach((id, k) => {
      if (!around.has(id)) around.set(id, []);
      around.get(id).push([triangle.normal, cornerAngle(triangle.p, k)]);
    });
  let isSmooth = false;
  const normals = [];
  for (const { ids, normal } of triangles)
    for (const id of ids) {
      let sum = [0, 0, 0];
      for (const [n, angle] of around.get(id)) if (dot(n, normal) > CREASE) sum = add(sum, scale(n, angle));
      const mean = normalize(sum);
      isSmooth ||= dot(mean, normal) < 0.9999;
      normals.push(...mean);
    }
  return { normals, isSmooth };
}

function cornerAngle(p, k) {
  const a = normalize(subtract(p[(k + 1) % 3], p[k]));
  const b = normalize(subtract(p[(k + 2) % 3], p[k]));
  return Math.acos(clamp(dot(a, b), -1, 1));
}

/** Edges between triangles at a sharp angle, and open borders: six numbers each. */
function featureEdges(triangles) {
  const edges = new Map();
  for (const { p, ids, normal } of triangles)
    for (let k = 0; k < 3; k++) {
      const [a, b] = [k, (k + 1) % 3];
      const key = ids[a] < ids[b] ? `${ids[a]},${ids[b]}` : `${ids[b]},${ids[a]}`;
      const edge = edges.get(key) ?? { ends: [...p[a], ...p[b]], normals: [] };
      edge.normals.push(normal);
      edges.set(key, edge);
    }
  const isSharp = ({ normals: [first, second] }) => !second || dot(first, second) < CREASE;
  return [...edges.values()].filter(isSharp).flatMap((edge) => edge.ends);
}
