// Buttons, slider and keys; `changed` is called after each of them.

function connectControls(scene, clock, camera, strip, changed) {
  const element = (id) => document.getElementById(id);
  const slider = element("slider");
  const speed = element("speed");
  const duration = scene.end - scene.start;
  const digits = clamp(2 - Math.floor(Math.log10(duration || 1)), 2, 6);
  const step = (count) => {
    const [i] = locate(scene.times, clock.time);
    clock.isPlaying = false;
    clock.seek(scene.times[clamp(i + count, 0, scene.times.length - 1)]);
  };
  const actions = {
    play: () => clock.toggle(),
    loop: () => (clock.loops = !clock.loops),
    home: () => camera.reset(),
    next: () => step(1),
    previous: () => step(-1),
    first: () => clock.seek(scene.start),
    last: () => clock.seek(scene.end),
  };
  const keys = { " ": "play", l: "loop", r: "home", ArrowRight: "next", ArrowLeft: "previous", Home: "first", End: "last" };
  const act = (name) => {
    actions[name]();
    changed();
  };

  for (const s of SPEEDS) speed.add(new Option(`${s}\u00d7`, s, false, s === clock.speed));
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
  for (const id of ["play", "loop", "home"]) element(id).addEventListener("click", () => act(id));
  window.addEventListener("keydown", (event) => {
    const name = keys[event.key];
    if (!name || event.target === speed || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(name);
  });

  slider.disabled = element("play").disabled = duration === 0;
  slider.addEventListener("input", () => {
    clock.seek(scene.start + Number(slider.value) * duration);
    changed();
  });
  if (strip) scrubOn(strip, clock, changed);

  return function show() {
    const share = duration ? (clock.time - scene.start) / duration : 0;
    slider.value = share;
    slider.style.setProperty("--played", `${100 * share}%`);
    element("time").innerHTML = `${clock.time.toFixed(digits)} <span>/ ${scene.end.toFixed(digits)} s</span>`;
    document.body.classList.toggle("playing", clock.isPlaying);
    element("play").setAttribute("aria-label", clock.isPlaying ? "Pause" : "Play");
    element("loop").setAttribute("aria-pressed", clock.loops);
  };
}

/** Dragging on the energy strip moves the time. */
function scrubOn(strip, clock, changed) {
  const canvas = strip.canvas;
  const seek = (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    clock.seek(strip.timeAt(event.offsetX));
    changed();
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    seek(event);
  });
  canvas.addEventListener("pointermove", seek);
}
