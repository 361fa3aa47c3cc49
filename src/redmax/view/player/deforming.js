// What moves freely, ready for the renderer: paths, surfaces and nets, all in the world, each drawn as a body that changes its shape.

const { MUSCLE_RADIUS, ROD_RADIUS, PATH_BEAD, NET_BEAD } = SIZES; // shares, see view/geometry/sizes.py
const AT_REST = new Float32Array([0, 0, 0, 1, 0, 0, 0]);

class Deforming {
  constructor(gl, entry) {
    Object.assign(this, { gl, entry, name: entry.name, poses: AT_REST, mesh: { edges: [], isSmooth: false } });
    if (entry.colour) this.colour = linearColour(entry.colour);
    Object.assign(this, { opacity: entry.opacity ?? 1, material: entry.material ?? "plastic" });
  }

  reshape({ positions, normals }, more = {}) {
    Object.assign(this.mesh, { positions, radius: farthest(positions) });
    this.mesh.surface = replaceGeometry(this.gl, this.mesh.surface, { position: [3, positions], normal: [3, normals], ...more });
  }
}

/** A rod from each point that takes part to the next one; its colour is its level. */
class Path extends Deforming {
  constructor(gl, entry, sceneSize) {
    super(gl, entry);
    this.radius = entry.radius ?? (entry.levels ? MUSCLE_RADIUS : ROD_RADIUS) * sceneSize;
  }

  update(at, theme) {
    const points = pointsAt(this.entry, at);
    const beads = activePoints(this.entry, points.length / 3, at);
    const pairs = beads.slice(1).flatMap((bead, i) => [beads[i], bead]);
    this.reshape(rodMesh(points, pairs, beads, this.radius, (this.entry.smooth ? 1 : PATH_BEAD) * this.radius));
    if (this.entry.levels && !this.entry.colour) this.colour = levelColour(theme, levelAt(this.entry, at));
  }

  caption(at) {
    if (!this.entry.levels) return this.name;
    const [low, high] = this.entry.range;
    const digits = clamp(2 - Math.floor(Math.log10(high - low)), 0, 9);
    return `${this.name} \u00b7 ${(low + levelAt(this.entry, at) * (high - low)).toFixed(digits)}`;
  }
}

class Net extends Deforming {
  constructor(gl, entry, sceneSize) {
    super(gl, entry);
    this.radius = entry.radius ?? ROD_RADIUS * sceneSize;
    this.beads = [...new Set(entry.lines)];
  }

  update(at) {
    this.reshape(rodMesh(pointsAt(this.entry, at), this.entry.lines, this.beads, this.radius, NET_BEAD * this.radius));
  }
}

class Membrane extends Deforming {
  constructor(gl, entry) {
    super(gl, entry);
    const points = pointsAt(entry, [0, 0]);
    this.parts = prepareMembrane(points, entry.faces);
    this.isThin = true;
    Object.assign(this.mesh, { edges: this.parts.edges, thickness: extentOf(points) / 2 });
  }

  update(at) {
    const points = pointsAt(this.entry, at);
    this.reshape(membraneMesh(points, this.parts), { inside: [3, this.parts.inside] });
    const ends = Float32Array.from({ length: 3 * this.parts.edges.length }, (_, k) => points[3 * this.parts.edges[Math.floor(k / 3)] + (k % 3)]);
    this.mesh.lines = replaceGeometry(this.gl, this.mesh.lines, edgeAttributes(ends));
  }
}

function createDeforming(gl, scene, sceneSize) {
  return [
    ...scene.paths.map((entry) => new Path(gl, entry, sceneSize)),
    ...scene.soft.map((entry) => (entry.faces ? new Membrane(gl, entry) : new Net(gl, entry, sceneSize))),
  ];
}
