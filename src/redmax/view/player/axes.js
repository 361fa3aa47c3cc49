// The small cross of x, y and z in the corner that turns with the camera.

const AXES = [
  ["x", [1, 0, 0], "#d9534f"],
  ["y", [0, 1, 0], "#4fa35a"],
  ["z", [0, 0, 1], "#4a86d0"],
];

function drawAxes(canvas, camera, ratio) {
  const size = canvas.clientWidth;
  canvas.width = canvas.height = Math.round(size * ratio);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.translate(size / 2, size / 2);
  pen.font = "600 11px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineWidth = 2;
  pen.lineCap = "round";
  const { right, up, back } = camera.axes;
  const seen = AXES.map(([name, axis, colour]) => ({ name, colour, x: dot(right, axis), y: -dot(up, axis), z: dot(back, axis) }));
  seen.sort((a, b) => a.z - b.z); // far ones first
  for (const { name, colour, x, y, z } of seen) {
    pen.globalAlpha = z < -0.3 ? 0.75 : 1;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(0, 0);
    pen.lineTo(0.32 * size * x, 0.32 * size * y);
    pen.stroke();
    pen.fillText(name, 0.43 * size * x, 0.43 * size * y);
  }
}
