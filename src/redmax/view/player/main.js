// Puts the parts together. The address may end in #t=1.5&paused&speed=0.5&theme=dark&view=30,20&select=name&shadows=0.3:
// the view in degrees about z and above the ground, and the sharpness of shadows, 0..1, for slow machines.

function main() {
  const scene = readScene(document.getElementById("scene").textContent);
  const wish = new URLSearchParams(location.hash.slice(1));
  const canvas = document.getElementById("view");
  scene.size = layGround(scene.framing).size;
  const memory = new Memory(`${scene.title} ${scene.size.toPrecision(3)}`);
  const theme = () => applyTheme(wish.get("theme") ?? memory.get("theme") ?? scene.look.theme, scene.background, scene.look);
  theme();

  const renderer = new Renderer(canvas, scene);
  const camera = new Camera(scene.camera, renderer.ground);
  const clock = new Clock(scene.start, scene.end);
  const plot = scene.energy.length ? new EnergyPlot(scene) : null;
  const sharpness = new Sharpness();
  const names = new Names(renderer.bodies);
  const label = document.getElementById("label");
  let [isStale, pointer, last] = [true, null, performance.now()];
  const changed = () => (isStale = true);

  if (memory.view) camera.goTo(memory.view);
  if (REDUCED_MOTION.matches) clock.isPlaying = false;
  obey(wish, clock, camera);
  if (Number(wish.get("shadows")) > 0) renderer.setDetail(clamp(Number(wish.get("shadows")), 0.1, 1));
  const has = { joints: scene.marks.length + scene.drawings.length, forces: scene.arrows.length, names: scene.bodies.length, contacts: scene.contacts, cones: scene.contacts };
  const options = new Options(memory, has, { cones: scene.contacts?.cones ?? false }, changed);
  const selection = new Selection(scene, renderer.named, changed);
  if (wish.has("select")) selection.chooseName(wish.get("select"));
  describe(scene, renderer.ground);

  const resize = () => {
    const { innerWidth: width, innerHeight: height } = window;
    const ratio = sharpness.ratio(width, height);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const isWide = arrange();
    camera.setScreen(width, height, coveredEdges(isWide));
    plot?.resize(devicePixelRatio || 1, isWide);
    changed();
  };
  const dress = () => {
    theme();
    renderer.setTheme();
    resize();
  };
  window.addEventListener("resize", resize);
  document.getElementById("ending").addEventListener("toggle", resize);
  connectFolds(memory, resize);
  DARK_PREFERRED.addEventListener("change", dress);

  const rememberView = later(() => (memory.view = camera.place));
  const seen = () => {
    rememberView();
    changed();
  };
  const showControls = connectControls(scene, clock, plot, {
    home: () => {
      camera.reset();
      seen();
    },
    theme: () => {
      wish.delete("theme");
      memory.set("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
      dress();
    },
    joints: () => options.toggle("joints"),
    forces: () => options.toggle("forces"),
    names: () => options.toggle("names"),
    contacts: () => options.toggle("contacts"),
    cones: () => options.toggle("cones"),
    select: () => selection.step(1),
    selectBack: () => selection.step(-1),
    unselect: () => selection.choose(-1),
  }, changed);

  /** What can be pointed at, and which of them a place on the screen shows: a number, or -1. */
  const pickable = [...renderer.named, ...renderer.marks, ...renderer.frames];
  const under = ({ x, y }, poses) => pickNamed(pickable, poses, camera.eye, camera.ray((2 * x) / innerWidth - 1, 1 - (2 * y) / innerHeight));
  listenToPointer(canvas, camera, {
    onView: seen,
    onHover: (event) => {
      pointer = event && { x: event.clientX, y: event.clientY };
      changed();
    },
    onClick: (event) => {
      const found = pickable[under({ x: event.clientX, y: event.clientY }, renderer.place(locate(scene.times, clock.time)))];
      selection.choose(found?.isMark ? renderer.named.findIndex(({ name }) => name === found.body) : renderer.named.indexOf(found));
    },
  });

  const showLabel = (hovered, at) => {
    label.hidden = hovered < 0;
    if (hovered < 0) return;
    const thing = pickable[hovered];
    label.textContent = thing.caption?.(at) ?? thing.name;
    label.style.left = `${clamp(pointer.x, 0, innerWidth - label.offsetWidth - 20)}px`;
    label.style.top = `${Math.max(pointer.y, 44)}px`;
  };

  const draw = () => {
    const at = locate(scene.times, clock.time);
    camera.follow(at);
    renderer.reveal(options.shown);
    const poses = renderer.place(at);
    const hovered = pointer ? under(pointer, poses) : -1;
    renderer.draw(at, poses, camera, hovered, selection.chosen);
    drawAxes(document.getElementById("axes"), camera, devicePixelRatio || 1);
    plot?.draw(clock.time);
    showControls();
    selection.show(at);
    names.show(options.shown.names, poses, camera);
    showLabel(hovered, at);
  };

  const tick = (now) => {
    const elapsed = Math.max(now - last, 0) / 1000; // the first picture may have begun before this script did
    last = now;
    if (clock.isPlaying) {
      clock.advance(Math.min(elapsed, 0.1));
      if (sharpness.lower(elapsed)) {
        renderer.setDetail(sharpness.scale);
        resize();
      }
      changed();
    }
    if (isStale) {
      isStale = false;
      draw();
    }
    document.documentElement.dataset.ready = "true";
    requestAnimationFrame(tick);
  };
  canvas.addEventListener("webglcontextrestored", () => location.reload());
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  resize();
  requestAnimationFrame(tick);
  window.redmax = remote(clock, camera, selection, renderer, changed);
}

const REDUCED_MOTION = window.matchMedia("(prefers-reduced-motion: reduce)");

/** For scripts and pages around this one: the time, the camera, the selection, and what is hidden. */
function remote(clock, camera, selection, renderer, changed) {
  const then = (action) => (value) => {
    action(value);
    changed();
  };
  return {
    get time() {
      return clock.time;
    },
    get isPlaying() {
      return clock.isPlaying;
    },
    get camera() {
      const { azimuth, elevation, distance, target, tx, ty, shift, lift, width, height } = camera;
      return { azimuth, elevation, distance, target, tx, ty, shift, lift, width, height };
    },
    seek: then((time) => clock.seek(time)),
    play: then(() => clock.isPlaying || clock.toggle()),
    pause: then(() => (clock.isPlaying = false)),
    select: then((name) => selection.chooseName(name)),
    hide: then((names) => {
      for (const thing of renderer.named) thing.isHidden = names.includes(thing.name);
    }),
    home: then(() => camera.reset()),
    follow: then((isMoving) => (camera.isMoving = isMoving && camera.path.moves.length > 0)),
    look: then((place) => camera.goTo({ ...camera, ...place })),
  };
}

/** What the address asks for. */
function obey(wish, clock, camera) {
  if (wish.has("t")) clock.seek(Number(wish.get("t")) || 0);
  if (wish.has("paused")) clock.isPlaying = false;
  if (Number(wish.get("speed")) > 0) clock.speed = Number(wish.get("speed"));
  const [azimuth, elevation] = (wish.get("view") ?? "").split(",").map((degrees) => (Number(degrees) * Math.PI) / 180);
  if (Number.isFinite(azimuth) && Number.isFinite(elevation)) {
    camera.home = { azimuth, elevation };
    camera.reset();
  }
}

try {
  main();
} catch (error) {
  const failure = document.getElementById("failure");
  failure.textContent = `This motion cannot be drawn here (${error.message}). It needs a browser with WebGL.`;
  failure.hidden = false;
  for (const id of ["dock", "side"]) document.getElementById(id).hidden = true;
  throw error;
}
