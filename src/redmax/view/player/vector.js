// Vectors are arrays of three numbers. Quaternions are w, x, y, z.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const normalize = (a) => scale(a, 1 / (length(a) || 1));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** Unit vector at an azimuth about z and an elevation above the xy plane, rad. */
function direction(azimuth, elevation) {
  const flat = Math.cos(elevation);
  return [flat * Math.cos(azimuth), flat * Math.sin(azimuth), Math.sin(elevation)];
}

/** Right, up and back of someone who looks along -back with z up. */
function viewAxes(back) {
  const right = normalize(cross([0, 0, 1], back));
  return { right, up: cross(back, right), back };
}

/** The constant-speed rotation from quaternion a to b; both on one half sphere. */
function slerp(a, b, s) {
  const cosine = clamp(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], -1, 1);
  const angle = Math.acos(cosine);
  const close = angle < 1e-3;
  const u = close ? 1 - s : Math.sin((1 - s) * angle) / Math.sin(angle);
  const v = close ? s : Math.sin(s * angle) / Math.sin(angle);
  return [0, 1, 2, 3].map((i) => u * a[i] + v * b[i]);
}
