// The curves and surfaces that joints move along, ready for the renderer: wires are drawn as bodies are, sheets are translucent.

const { WIRE_RADIUS, WIDEST_WIRE } = SIZES; // shares, see view/geometry/sizes.py

class Wire {
  constructor(gl, entry, sceneSize) {
    Object.assign(this, { gl, entry, poses: entry.poses });
    this.radius = Math.min(WIRE_RADIUS * sceneSize, WIDEST_WIRE * extentOf(entry.points));
    this.mesh = { edges: [], isSmooth: false };
    this.shape(entry.points);
  }

  shape(points) {
    const { positions, normals } = wireMesh(points, this.radius);
    const attributes = { position: [3, positions], normal: [3, normals] };
    this.mesh.surface = replaceGeometry(this.gl, this.mesh.surface, attributes);
    this.mesh.radius = farthest(positions);
  }

  update(at) {
    if (this.entry.modes) this.shape(pointsAt(this.entry, at));
  }
}

class Sheet {
  constructor(gl, entry) {
    Object.assign(this, { gl, entry, poses: entry.poses, grid: prepareSheet(entry.points, entry.shape) });
    this.shape(entry.points);
  }

  shape(points) {
    this.points = points;
    const attributes = { position: [3, points], normal: [3, sheetNormals(points, this.grid)], place: [2, this.grid.cells] };
    this.surface = replaceGeometry(this.gl, this.surface, attributes);
  }

  update(at) {
    if (this.entry.modes) this.shape(pointsAt(this.entry, at));
  }

  /** Vertex numbers in painting order for an eye in the world. */
  order(pose, eye) {
    return paintingOrder(this.points, this.grid, intoPose(pose, eye, true));
  }
}

function createDrawings(gl, scene, sceneSize) {
  const isCurve = ({ shape }) => shape.length === 1;
  return {
    wires: scene.drawings.filter(isCurve).map((entry) => new Wire(gl, entry, sceneSize)),
    sheets: scene.drawings.filter((entry) => !isCurve(entry)).map((entry) => new Sheet(gl, entry)),
  };
}

/** Sheets with their poses, in the order in which they must be painted. */
function farthestFirst(sheets, at, eye) {
  const placed = sheets.map((sheet) => {
    const pose = poseAt(sheet.poses, at);
    return { sheet, pose, far: length(subtract(intoPose(pose, eye, true), centreOf(sheet.points))) };
  });
  return placed.sort((p, q) => q.far - p.far);
}

function centreOf(points) {
  const sum = [0, 0, 0];
  points.forEach((x, i) => (sum[i % 3] += (3 * x) / points.length));
  return sum;
}

/** The diagonal of the box around points. */
function extentOf(points) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  points.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  });
  return length(subtract(high, low));
}

function farthest(positions) {
  let most = 0;
  for (let k = 0; k < positions.length; k += 3) {
    const square = positions[k] * positions[k] + positions[k + 1] * positions[k + 1] + positions[k + 2] * positions[k + 2];
    if (square > most) most = square;
  }
  return Math.sqrt(most);
}
