// Forces and torques as arrows: the longest of a kind has a fixed length, and one that is nearly nothing is not drawn.

const { LONGEST_ARROW, SHORTEST_ARROW, ARROW_RADIUS, ARROW_HEAD } = SIZES; // shares, see view/geometry/sizes.py

class Arrow extends Deforming {
  constructor(gl, entry, sceneSize, strongest) {
    super(gl, entry);
    Object.assign(this, { isArrow: true, stretch: (LONGEST_ARROW * sceneSize) / strongest, radius: ARROW_RADIUS * sceneSize });
    this.least = (SHORTEST_ARROW / LONGEST_ARROW) * strongest;
    this.unit = entry.unit;
  }

  vectorAt(at) {
    return rowAt(this.entry.vectors, 3, at);
  }

  update(at, theme) {
    const [foot, vector] = [rowAt(this.entry.feet, 3, at), this.vectorAt(at)];
    const heads = this.entry.kind === "torque" ? 2 : 1;
    const isShown = length(vector) >= this.least;
    this.reshape(isShown ? arrowMesh(foot, scale(vector, this.stretch), this.radius, heads) : NO_MESH);
    this.colour = theme[this.entry.kind];
  }

  caption(at) {
    return `${this.name} \u00b7 ${significant(length(this.vectorAt(at)))} ${this.unit}`;
  }
}

const NO_MESH = { positions: new Float32Array(0), normals: new Float32Array(0) };

/** A shaft with one or two heads from a foot along a vector: flat positions and normals. */
function arrowMesh(foot, vector, thick, heads) {
  const long = length(vector);
  const radius = Math.min(thick, long / 12);
  const [wide, high] = ARROW_HEAD.map((share) => share * radius);
  const neck = long - high;
  const second = heads === 2 ? [[radius, neck - 0.8 * high], [wide, neck - 0.8 * high], [radius, neck]] : [];
  const profile = [[0, 0], [radius, 0], ...second, [radius, neck], [wide, neck], [0, long]];
  return turned(profile, foot, normalize(vector));
}

/** A profile of radii and heights turned about an axis: each part between two of them has its own normal. */
function turned(profile, foot, axis) {
  const u = normalize(cross(axis, Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const v = cross(axis, u);
  const [positions, normals] = [[], []];
  const put = ([r, h], [c, s], [nr, nh]) => {
    for (let k = 0; k < 3; k++) {
      const out = c * u[k] + s * v[k];
      positions.push(foot[k] + h * axis[k] + r * out);
      normals.push(nr * out + nh * axis[k]);
    }
  };
  for (let i = 0; i + 1 < profile.length; i++) {
    const [a, b] = [profile[i], profile[i + 1]];
    const slope = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (slope === 0) continue;
    const normal = [(b[1] - a[1]) / slope, (a[0] - b[0]) / slope];
    for (let k = 0; k < ROD_SIDES; k++) {
      const [here, there] = [CIRCLE[k], CIRCLE[k + 1]];
      for (const [end, place] of [[a, here], [a, there], [b, there], [a, here], [b, there], [b, here]]) put(end, place, normal);
    }
  }
  return { positions: new Float32Array(positions), normals: new Float32Array(normals) };
}

function createArrows(gl, scene, sceneSize) {
  const strongest = {};
  for (const { kind, vectors } of scene.arrows)
    for (let k = 0; k < vectors.length; k += 3) strongest[kind] = Math.max(strongest[kind] ?? 0, length(vectors.subarray(k, k + 3)));
  const { force, length: long } = scene.units;
  return scene.arrows.map((entry) => {
    const unit = entry.kind === "torque" ? `${force} ${long}` : force;
    return new Arrow(gl, { ...entry, unit }, sceneSize, strongest[entry.kind] || 1);
  });
}
