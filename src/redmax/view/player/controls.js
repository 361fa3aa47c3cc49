// Buttons, slider and keys; `changed` is called after each of them.

const KEYS = {
  " ": "play", k: "play", l: "loop", r: "home", t: "theme", j: "joints", f: "forces", n: "names", c: "contacts", u: "cones",
  ArrowRight: "next", ArrowLeft: "previous", ".": "next", ",": "previous", Home: "first", End: "last",
  ArrowUp: "faster", ArrowDown: "slower", "]": "select", "[": "selectBack", Escape: "unselect",
};

function connectControls(scene, clock, plot, more, changed) {
  const element = (id) => document.getElementById(id);
  const slider = element("slider");
  const speed = element("speed");
  const duration = scene.end - scene.start;
  const digits = clamp(2 - Math.floor(Math.log10(duration || 1)), 2, 6);
  const step = (count) => {
    const [i, s] = locate(scene.times, clock.time);
    clock.isPlaying = false;
    clock.seek(scene.times[clamp(count < 0 && s > 0 ? i : i + count, 0, scene.times.length - 1)]);
  };
  const changeSpeed = (count) => {
    const at = SPEEDS.findIndex((s) => s >= clock.speed);
    clock.speed = SPEEDS[clamp((at < 0 ? SPEEDS.length : at) + count, 0, SPEEDS.length - 1)];
  };
  const actions = {
    play: () => clock.toggle(),
    loop: () => (clock.loops = !clock.loops),
    next: () => step(1),
    previous: () => step(-1),
    first: () => clock.seek(scene.start),
    last: () => clock.seek(scene.end),
    faster: () => changeSpeed(1),
    slower: () => changeSpeed(-1),
    ...more,
  };
  const act = (name) => {
    actions[name]();
    changed();
  };

  for (const s of [...new Set([...SPEEDS, clock.speed])].sort((a, b) => a - b)) speed.add(new Option(`${s}\u00d7`, s));
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
  for (const id of ["play", "previous", "next", "loop", "home", "theme"]) element(id).addEventListener("click", () => act(id));
  window.addEventListener("keydown", (event) => {
    const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey || isMeantFor(event)) return;
    event.preventDefault();
    act(name);
  });

  slider.disabled = duration === 0;
  for (const id of ["play", "previous", "next"]) element(id).disabled = duration === 0;
  slider.addEventListener("input", () => {
    clock.seek(scene.start + Number(slider.value) * duration);
    changed();
  });
  if (plot) scrubOn(plot, clock, changed);

  return function show() {
    const share = duration ? (clock.time - scene.start) / duration : 0;
    slider.value = share;
    slider.style.setProperty("--played", `${100 * share}%`);
    slider.setAttribute("aria-valuetext", `${clock.time.toFixed(digits)} seconds`);
    element("now").textContent = clock.time.toFixed(digits);
    element("end").textContent = `/ ${scene.end.toFixed(digits)} s`;
    speed.value = clock.speed;
    document.body.classList.toggle("playing", clock.isPlaying);
    element("play").setAttribute("aria-label", clock.isPlaying ? "Pause" : "Play");
    element("loop").setAttribute("aria-pressed", clock.loops);
  };
}

/** Whether what has the focus makes something of a key itself: space on a button, arrows in a list. */
function isMeantFor({ target, key }) {
  if (!(target instanceof Element)) return false;
  if (target.matches("select")) return key !== "Escape";
  return key === " " && target.matches("button, summary, input[type=checkbox]");
}

/** Dragging on the energy plot moves the time. */
function scrubOn(plot, clock, changed) {
  const canvas = plot.canvas;
  const seek = (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    clock.seek(plot.timeAt(event.offsetX));
    changed();
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    seek(event);
  });
  canvas.addEventListener("pointermove", seek);
}
