// A surface made ready for drawing: a grid of points with normals, and its cells in the order in which they must be painted.

const MOST_LINES = 8; // of the pattern, along the longer side

/** Vertices at one place, such as the seam of a closed surface, have one id and so one normal. */
function prepareSheet(points, [rows, columns]) {
  return { rows, columns, ids: weldVertices(points), cells: patternPlaces(points, rows, columns) };
}

/** Two numbers per vertex that count the lines of the pattern. */
function patternPlaces(points, rows, columns) {
  const at = (i, j) => points.subarray(3 * (i * columns + j), 3 * (i * columns + j) + 3);
  let [down, across] = [0, 0];
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      if (i) down += length(subtract(at(i, j), at(i - 1, j))) / columns;
      if (j) across += length(subtract(at(i, j), at(i, j - 1))) / rows;
    }
  const longer = Math.max(down, across) || 1;
  const [n, m] = [down, across].map((side) => Math.max(Math.round((MOST_LINES * side) / longer), 2));
  const places = new Float32Array(2 * rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) places.set([(n * i) / (rows - 1), (m * j) / (columns - 1)], 2 * (i * columns + j));
  return places;
}

/** Normals per vertex: the mean of those of the cells around it, weighted by their area. */
function sheetNormals(points, { rows, columns, ids }) {
  const sums = new Float32Array(points.length);
  const at = (k) => points.subarray(3 * k, 3 * k + 3);
  for (let i = 0; i + 1 < rows; i++)
    for (let j = 0; j + 1 < columns; j++) {
      const corners = cellCorners(i, j, columns);
      const [a, b, c, d] = corners.map(at);
      const n = cross(subtract(c, a), subtract(d, b));
      for (const corner of corners) for (let k = 0; k < 3; k++) sums[3 * ids[corner] + k] += n[k];
    }
  const normals = new Float32Array(points.length);
  ids.forEach((id, vertex) => normals.set(normalize(sums.subarray(3 * id, 3 * id + 3)), 3 * vertex));
  return normals;
}

function cellCorners(i, j, columns) {
  const a = i * columns + j;
  return [a, a + columns, a + columns + 1, a + 1];
}

/** Vertex numbers of two triangles per cell, those of the farthest cell from the eye first. */
function paintingOrder(points, { rows, columns }, eye) {
  const cells = [];
  for (let i = 0; i + 1 < rows; i++)
    for (let j = 0; j + 1 < columns; j++) {
      const [a, b, c, d] = cellCorners(i, j, columns);
      const away = [0, 1, 2].map((k) => (points[3 * a + k] + points[3 * c + k]) / 2 - eye[k]);
      cells.push({ far: dot(away, away), corners: [a, b, c, a, c, d] });
    }
  cells.sort((p, q) => q.far - p.far);
  return new Uint16Array(cells.flatMap((cell) => cell.corners));
}
