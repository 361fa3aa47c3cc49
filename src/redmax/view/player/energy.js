// The energy plot: curves over time with a moving cursor; beside the scene, or in line with the slider below.

const THUMB_HALF = 8; // px, half of the slider's thumb
const KNOWN_CURVES = ["kinetic", "potential", "total"];

class EnergyPlot {
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
    document.getElementById("energy-unit").textContent = this.unit;
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

  /** Draws the curves once into a picture that draw() copies; call it when size or theme changes. isTall: room for numbers. */
  resize(ratio, isTall) {
    const { clientWidth, clientHeight } = this.canvas;
    Object.assign(this, { width: clientWidth, height: clientHeight, ratio, isTall });
    this.margin = isTall ? { side: THUMB_HALF, top: 18, bottom: 34 } : { side: THUMB_HALF, top: 5, bottom: 5 };
    this.picture = document.createElement("canvas");
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
    }
    this.style = getComputedStyle(document.documentElement);
    const pen = this.picture.getContext("2d");
    pen.scale(ratio, ratio);
    this.drawZero(pen);
    if (isTall) this.drawNumbers(pen);
    for (const curve of this.curves) this.drawCurve(pen, curve);
  }

  x(time) {
    const duration = this.times[this.times.length - 1] - this.times[0] || 1;
    return this.margin.side + ((time - this.times[0]) / duration) * (this.width - 2 * this.margin.side);
  }

  y(value) {
    const { top, bottom } = this.margin;
    return this.height - bottom - ((value - this.low) / this.span) * (this.height - top - bottom);
  }

  timeAt(x) {
    const share = (x - this.margin.side) / (this.width - 2 * this.margin.side);
    return this.times[0] + share * (this.times[this.times.length - 1] - this.times[0]);
  }

  line(pen, y) {
    pen.beginPath();
    pen.moveTo(this.margin.side, y);
    pen.lineTo(this.width - this.margin.side, y);
    pen.stroke();
  }

  drawZero(pen) {
    if (this.low > 0 || this.high < 0) return;
    pen.strokeStyle = this.style.getPropertyValue("--plot-line");
    this.line(pen, Math.round(this.y(0)) + 0.5);
  }

  /** The highest and the lowest value, and the time at both ends. */
  drawNumbers(pen) {
    const [start, end] = [this.times[0], this.times[this.times.length - 1]];
    const base = this.height - 20.5;
    pen.strokeStyle = this.style.getPropertyValue("--plot-line");
    this.line(pen, base);
    pen.fillStyle = this.style.getPropertyValue("--soft-ink");
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const write = (text, x, y, align) => {
      pen.textAlign = align;
      pen.fillText(text, x, y);
    };
    write(significant(this.high, 3), this.margin.side, 11, "left");
    write(significant(this.low, 3), this.margin.side, base - 3, "left");
    write(`${Number(start.toPrecision(4))}`, this.margin.side, this.height - 5, "left");
    write(`${Number(end.toPrecision(4))} s`, this.width - this.margin.side, this.height - 5, "right");
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
    if (!this.picture.width || !this.picture.height) return; // there is no room for it
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.picture, 0, 0);
    pen.scale(this.ratio, this.ratio);
    pen.strokeStyle = this.style.getPropertyValue("--soft-ink");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(this.x(time), this.isTall ? this.margin.top - 3 : 0); // between the numbers above and below, which it must not cross
    pen.lineTo(this.x(time), this.height - (this.isTall ? this.margin.bottom - 1 : 0));
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

/** Four digits, with a true minus sign, and powers of ten where a number is very large or small. */
function significant(value, digits = 4) {
  const size = Math.abs(value);
  if (size >= 1e6 || (size < 1e-3 && size > 0)) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${mantissa}\u00d710${[...`${Number(power)}`].map((c) => RAISED[c]).join("")}`.replace("-", "\u2212");
  }
  return (size >= 1000 ? value.toFixed(0) : value.toPrecision(digits)).replace("-", "\u2212");
}

const RAISED = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075", 6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };
