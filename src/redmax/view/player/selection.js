// The card of what is selected: its name, the joint that moves it with its coordinates, its pose and its twist at the time that is shown.

const LOWERED = [..."\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089"];
const DIGITS = 5; // of the largest number that a fact has during the run

class Selection {
  constructor(scene, named, onChange) {
    Object.assign(this, { scene, named, onChange, chosen: -1 });
    this.card = document.getElementById("selection");
    this.list = document.getElementById("chosen");
    this.facts = document.getElementById("facts");
    named.forEach((thing, i) => this.list.add(new Option(thing.label ?? thing.name, i)));
    this.list.addEventListener("change", () => this.choose(Number(this.list.value)));
    document.getElementById("unselect").addEventListener("click", () => this.choose(-1));
    this.choose(-1);
  }

  /** Select the i-th of the named things, or nothing: -1. */
  choose(i) {
    this.chosen = this.named[i] ? i : -1;
    const thing = this.named[this.chosen];
    this.list.value = this.chosen;
    this.card.classList.toggle("empty", !thing);
    document.getElementById("unselect").hidden = !thing;
    document.getElementById("said").textContent = thing ? said(thing) : "Click something in the view, or choose it in this list.";
    this.shown = thing ? factsOf(thing, this.scene) : [];
    this.facts.replaceChildren(...this.shown.map((fact) => this.place(fact)));
    this.onChange();
  }

  /** Selects the one with a name; false if there is none. */
  chooseName(name) {
    const i = this.named.findIndex((thing) => thing.name === name);
    this.choose(i);
    return i >= 0;
  }

  step(count) {
    const n = this.named.length;
    this.choose(this.chosen < 0 ? (count > 0 ? 0 : n - 1) : (this.chosen + count + n) % n);
  }

  place(fact) {
    const row = document.createElement("div");
    const [term, value] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = fact.title;
    if (fact.unit) term.append(Object.assign(document.createElement("span"), { textContent: fact.unit }));
    value.id = `fact-${fact.id}`;
    value.classList.toggle("many", fact.axes.length > 4);
    fact.cells = [...fact.axes].map((axis) => {
      const [cell, letter, number] = ["span", "i", "b"].map((tag) => document.createElement(tag));
      letter.textContent = axis.trim();
      cell.append(letter, number);
      value.append(cell);
      return number;
    });
    row.append(term, value);
    return row;
  }

  show(at) {
    const thing = this.named[this.chosen];
    if (!thing) return;
    document.getElementById("swatch").style.background = screenColour(thing.colour);
    for (const fact of this.shown) {
      const numbers = fact.at(at);
      fact.cells.forEach((cell, k) => (cell.textContent = signed(numbers[k], fact.decimals)));
    }
  }
}

/** A line about what it is. */
function said({ name, joint, kind, entry }) {
  if (kind) return joint && joint !== name ? `${spaced(kind)} joint \u201c${joint}\u201d` : `${spaced(kind)} joint`;
  if (!entry) return "body";
  if (entry.vectors) return entry.kind;
  return entry.faces || entry.lines ? "soft body" : entry.levels ? "muscle" : "path";
}

/** What can be told of a thing, each with a function of the sample. */
function factsOf(thing, { units, size }) {
  const places = decimalsFor(size);
  if (thing.entry?.vectors) return arrowFacts(thing);
  if (thing.entry && !thing.entry.faces && !thing.entry.lines) return pathFacts(thing, units, places);
  if (thing.entry) return [];
  const { poses, twists } = thing;
  const facts = [
    { id: "position", title: "Position", unit: units.length, axes: "xyz", decimals: places, at: (at) => rowAt(poses, 7, at) },
    { id: "orientation", title: "Orientation", axes: "wxyz", decimals: 4, at: (at) => quaternionAt(poses, at) },
  ];
  facts.unshift(...coordinateFacts(thing));
  if (!twists) return facts;
  const [angular, linear] = [0, 3].map((from) => largestOf(twists, 6, from));
  const speed = `${units.length}/s \u00b7 body axes`;
  return [
    ...facts,
    { id: "angular", title: "Angular velocity", unit: "rad/s \u00b7 body axes", axes: "xyz", decimals: decimalsFor(angular), at: (at) => rowAt(twists, 6, at) },
    { id: "linear", title: "Linear velocity", unit: speed, axes: "xyz", decimals: decimalsFor(linear), at: (at) => rowAt(twists, 6, at).slice(3) },
  ];
}

/** Of the joint that moves it: as they are at the sample, since joints that change their coordinates have none between two of them. */
function coordinateFacts({ q, qdot, units, rateUnits }) {
  if (!q) return [];
  const fact = (id, title, rows, own, letter) => ({
    id,
    title,
    unit: [...new Set(own)].filter((unit) => unit !== "1").join(", "),
    axes: own.length > 1 ? own.map((_, k) => letter + (LOWERED[k] ?? k)) : [" "],
    decimals: decimalsFor(rows.reduce((most, x) => Math.max(most, Math.abs(x)), 0)),
    at: ([i]) => rowAt(rows, own.length, [i, 0]),
  });
  return [
    ...(units.length ? [fact("coordinates", "Joint coordinates", q, units, "q")] : []),
    ...(rateUnits.length ? [fact("rates", "Joint rates", qdot, rateUnits, "q\u0307")] : []),
  ];
}

function arrowFacts({ entry, unit }) {
  const decimals = decimalsFor(largestOf(entry.vectors, 3, 0));
  return [
    { id: "vector", title: entry.kind === "torque" ? "Torque" : "Force", unit: `${unit} \u00b7 world axes`, axes: "xyz", decimals, at: (at) => rowAt(entry.vectors, 3, at) },
    { id: "strength", title: "Strength", unit, axes: " ", decimals, at: (at) => [length(rowAt(entry.vectors, 3, at))] },
  ];
}

function pathFacts({ entry }, units, decimals) {
  const facts = [{ id: "length", title: "Length", unit: units.length, axes: " ", decimals, at: (at) => [pathLength(entry, at)] }];
  if (!entry.levels) return facts;
  const [low, high] = entry.range;
  return [...facts, { id: "level", title: "Activation", axes: " ", decimals: 3, at: (at) => [low + levelAt(entry, at) * (high - low)] }];
}

function pathLength(entry, at) {
  const points = pointsAt(entry, at);
  const on = activePoints(entry, points.length / 3, at).map((k) => points.subarray(3 * k, 3 * k + 3));
  return on.slice(1).reduce((sum, point, k) => sum + length(subtract(point, on[k])), 0);
}

/** The largest size of three numbers in each row, over all rows. */
function largestOf(rows, width, from) {
  let most = 0;
  for (let k = from; k < rows.length; k += width) most = Math.max(most, length(rows.subarray(k, k + 3)));
  return most;
}

/** How many decimals show DIGITS digits of the largest number: as many at all times, so that nothing jumps about. */
function decimalsFor(largest) {
  return clamp(DIGITS - 1 - Math.floor(Math.log10(largest || 1)), 0, 9);
}

/** With a true minus sign, and none on a zero. */
function signed(value, decimals) {
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "\u2212");
}
