// The energy strip: curves over time with a moving cursor, in line with the slider below.

const THUMB_HALF = 8; // px, half of the slider's thumb
const KNOWN_CURVES = ["kinetic", "potential", "total"];

class EnergyStrip {
  constructor(scene) {
    this.canvas = document.getElementById("curves");
    this.times = scene.times;
    this.unit = scene.units.energy;
    this.curves = scene.energy;
    const values = this.curves.map((curve) => [...curve.values].filter(Number.isFinite)).flat();
    this.low = values.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    this.span = this.high - this.low || 1;
    document.getElementById("energy").hidden = false;
    this.labels = this.curves.map((curve) => this.addLabel(curve.name));
  }

  addLabel(name) {
    const item = document.createElement("li");
    const [line, value] = [document.createElement("i"), document.createElement("b")];
    line.style.background = `var(${this.colourName(name)})`;
    item.append(line, name, value);
    document.getElementById("legend").append(item);
    return value;
  }

  colourName(name) {
    return KNOWN_CURVES.includes(name) ? `--${name}` : "--other";
  }

  /** Draws the curves once into a picture that draw() copies; call it when size or theme changes. */
  resize(ratio) {
    const { clientWidth, clientHeight } = this.canvas;
    Object.assign(this, { width: clientWidth, height: clientHeight, ratio });
    this.picture = document.createElement("canvas");
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
    }
    this.style = getComputedStyle(document.documentElement);
    const pen = this.picture.getContext("2d");
    pen.scale(ratio, ratio);
    this.drawZero(pen);
    for (const curve of this.curves) this.drawCurve(pen, curve);
  }

  x(time) {
    const duration = this.times[this.times.length - 1] - this.times[0] || 1;
    return THUMB_HALF + ((time - this.times[0]) / duration) * (this.width - 2 * THUMB_HALF);
  }

  y(value) {
    return this.height - 5 - ((value - this.low) / this.span) * (this.height - 10);
  }

  timeAt(x) {
    const share = (x - THUMB_HALF) / (this.width - 2 * THUMB_HALF);
    return this.times[0] + share * (this.times[this.times.length - 1] - this.times[0]);
  }

  drawZero(pen) {
    if (this.low > 0 || this.high < 0) return;
    pen.strokeStyle = this.style.getPropertyValue("--panel-edge");
    pen.beginPath();
    pen.moveTo(THUMB_HALF, this.y(0));
    pen.lineTo(this.width - THUMB_HALF, this.y(0));
    pen.stroke();
  }

  drawCurve(pen, { name, values }) {
    pen.strokeStyle = this.style.getPropertyValue(this.colourName(name));
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    values.forEach((value, i) => pen.lineTo(this.x(this.times[i]), this.y(value)));
    pen.stroke();
  }

  draw(time) {
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.picture, 0, 0);
    pen.scale(this.ratio, this.ratio);
    pen.strokeStyle = this.style.getPropertyValue("--soft-ink");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(this.x(time), 0);
    pen.lineTo(this.x(time), this.height);
    pen.stroke();
    this.curves.forEach((curve, i) => this.drawValue(pen, curve, time, this.labels[i]));
  }

  drawValue(pen, { name, values }, time, label) {
    const [i, s] = locate(this.times, time);
    const value = s === 0 ? values[i] : values[i] + s * (values[i + 1] - values[i]);
    label.textContent = `${significant(value)} ${this.unit}`;
    pen.fillStyle = this.style.getPropertyValue(this.colourName(name));
    pen.beginPath();
    pen.arc(this.x(time), this.y(value), 3, 0, 2 * Math.PI);
    pen.fill();
  }
}

/** Four digits, with a true minus sign. */
function significant(value) {
  const large = Math.abs(value) >= 1e5 || (Math.abs(value) < 1e-3 && value !== 0);
  return (large ? value.toExponential(2) : value.toPrecision(4)).replace("-", "\u2212");
}
