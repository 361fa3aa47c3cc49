// The lamp: a distant light from above. It lights a box, in which u, v and depth run from 0 to 1: the shadow map
// holds the depth of what the lamp sees at u, v, and the ground light how much of it reaches the ground there.

const SHADOW_PIXELS = 2048; // along a side of the shadow map, and of the ground light
const GROUND_PIXELS = 768;
const WIDEST_RIM = 0.085; // of the lit box, a little more than the widest blur
const SOFTNESS = 0.036; // tangent of the half angle of the lamp

/** The lit box holds the whole motion and the part of the ground that it can shade; detail 0..1 is a share of pixels. */
function createLamp({ hull, ground, azimuth }, detail) {
  const axes = viewAxes(direction(azimuth - 0.65, 0.86));
  const [u, v, w] = [axes.right, axes.up, axes.back].map((axis) => hull.map((p) => dot(axis, p)));
  const onGround = hull.map((p, i) => w[i] - Math.max(p[2] - ground, 0) / axes.back[2]);
  const middle = (x) => (Math.min(...x) + Math.max(...x)) / 2;
  const extent = (x) => Math.max(...x) - Math.min(...x);
  const width = 1.1 * Math.max(extent(u), extent(v)) || 1;
  const top = Math.max(...w) + 0.02 * width;
  const depth = top - Math.min(...onGround, ...w) + 0.02 * width;
  const [shadowPixels, groundPixels] = [SHADOW_PIXELS, GROUND_PIXELS].map((pixels) => Math.round(pixels * detail));
  const corner = [middle(u) - width / 2, middle(v) - width / 2, top];
  return {
    lightMatrix: boxMatrix(axes, corner, [width, width, -depth]),
    groundDepth: groundDepth(axes, corner, width, depth, ground),
    lightRight: axes.right,
    lightUp: axes.up,
    lightBack: axes.back,
    lightBox: [width, depth, width / shadowPixels],
    softness: SOFTNESS,
    "taps[0]": discPoints(24),
    fillBack: direction(azimuth + 1.3, 0.35),
    groundTexel: 1 / groundPixels,
    shadowPixels,
    groundPixels,
    shadowMap: 0,
    groundLight: 1,
  };
}

/** Depth of the plane z = ground: its slope along u (none, as that is level) and v, and its value at the corner. */
function groundDepth({ up, back }, corner, width, depth, ground) {
  const rise = up[2] / back[2];
  return [0, (rise * width) / depth, (corner[2] + corner[1] * rise - ground / back[2]) / depth];
}

/** x, y of points spread over the unit disc, in an order that spreads the first few as well. */
function discPoints(count) {
  return Array.from({ length: count }, (_, i) => {
    const radius = Math.sqrt((0.5 + i * 0.61803399) % 1);
    return [radius * Math.cos(2.39996323 * i), radius * Math.sin(2.39996323 * i)];
  }).flat();
}

/** World to 0..1 in each direction of a box with one corner and signed sizes. */
function boxMatrix({ right, up, back }, corner, sizes) {
  const m = new Float32Array(16);
  [right, up, back].forEach((axis, row) => {
    for (let k = 0; k < 3; k++) m[4 * k + row] = axis[k] / sizes[row];
    m[12 + row] = -corner[row] / sizes[row];
  });
  m[15] = 1;
  return m;
}

/** The part of the lit box, [u, v, width, height], that solid things and the soft rim of their shadows cover. */
function shadedPart(lamp, solids, poses) {
  const [low, high] = [[1, 1], [0, 0]];
  const m = lamp.lightMatrix;
  solids.forEach(({ mesh }, i) => {
    const [x, y, z] = poses[i].subarray(12, 15);
    const margin = mesh.radius / lamp.lightBox[0] + WIDEST_RIM;
    [0, 1].forEach((k) => {
      const at = m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k];
      low[k] = clamp(at - margin, 0, low[k]);
      high[k] = clamp(at + margin, high[k], 1);
    });
  });
  return [...low, high[0] - low[0], high[1] - low[1]];
}
