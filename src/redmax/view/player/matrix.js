// 4x4 matrices, column by column as WebGL wants them.

function multiply(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++)
      c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
  return c;
}

/** World to the frame with rows `axes` (right, up, back) at `origin`. */
function viewMatrix({ right, up, back }, origin) {
  const m = new Float32Array(16);
  [right, up, back].forEach((axis, row) => {
    for (let k = 0; k < 3; k++) m[4 * k + row] = axis[k];
    m[12 + row] = -dot(axis, origin);
  });
  m[15] = 1;
  return m;
}

/** Perspective with half-angle tangents tx, ty; the picture is moved to the right by `shift` half widths and up by `lift` half heights. */
function perspective(tx, ty, near, far, shift, lift) {
  const m = new Float32Array(16);
  m[0] = 1 / tx;
  m[5] = 1 / ty;
  m[8] = -shift;
  m[9] = -lift;
  m[10] = (far + near) / (near - far);
  m[11] = -1;
  m[14] = (2 * far * near) / (near - far);
  return m;
}

function poseMatrix(p, [w, x, y, z]) {
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    p[0], p[1], p[2], 1,
  ]);
}

/** A world point or direction in the frame of a rigid pose matrix. */
function intoPose(m, v, isPoint) {
  const d = isPoint ? subtract(v, [m[12], m[13], m[14]]) : v;
  return [0, 4, 8].map((k) => m[k] * d[0] + m[k + 1] * d[1] + m[k + 2] * d[2]);
}
