// Puts the parts together. The address may end in #t=1.5&paused&speed=0.5&theme=dark&view=30,20 (degrees).

function main() {
  const scene = readScene(document.getElementById("scene").textContent);
  const wish = new URLSearchParams(location.hash.slice(1));
  const theme = () => applyTheme(wish.get("theme") ?? scene.background);
  theme();

  const canvas = document.getElementById("view");
  const renderer = new Renderer(canvas, scene);
  const camera = new Camera(scene.framing, renderer.ground);
  const clock = new Clock(scene.start, scene.end);
  const strip = scene.energy.length ? new EnergyStrip(scene) : null;
  const sharpness = new Sharpness();
  const label = document.getElementById("label");
  let [isStale, pointer, last] = [true, null, performance.now()];
  const changed = () => (isStale = true);

  obey(wish, clock, camera);
  describe(scene, renderer.ground);
  const showControls = connectControls(scene, clock, camera, strip, changed);
  listenToPointer(canvas, camera, {
    onView: changed,
    onHover: (event) => {
      pointer = event && { x: event.clientX, y: event.clientY };
      changed();
    },
  });

  const resize = () => {
    const { innerWidth: width, innerHeight: height } = window;
    const ratio = sharpness.ratio(width, height);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const above = document.querySelector("header").getBoundingClientRect().bottom;
    const below = height - document.getElementById("dock").getBoundingClientRect().top;
    camera.setScreen(width, height, above, below);
    strip?.resize(devicePixelRatio || 1);
    changed();
  };
  window.addEventListener("resize", resize);
  DARK_PREFERRED.addEventListener("change", () => {
    theme();
    renderer.setTheme();
    resize();
  });

  const showLabel = (hovered, at) => {
    label.hidden = hovered < 0;
    if (hovered < 0) return;
    const thing = renderer.named[hovered];
    label.textContent = thing.caption?.(at) ?? thing.name;
    label.style.left = `${pointer.x}px`;
    label.style.top = `${pointer.y}px`;
  };

  const draw = () => {
    const at = locate(scene.times, clock.time);
    const poses = renderer.place(at);
    const ray = pointer && camera.ray((2 * pointer.x) / innerWidth - 1, 1 - (2 * pointer.y) / innerHeight);
    const hovered = ray ? pickNamed(renderer.named, poses, camera.eye, ray) : -1;
    renderer.draw(at, poses, camera, hovered);
    drawAxes(document.getElementById("axes"), camera, devicePixelRatio || 1);
    strip?.draw(clock.time);
    showControls();
    showLabel(hovered, at);
  };

  const tick = (now) => {
    const elapsed = (now - last) / 1000;
    last = now;
    if (clock.isPlaying) {
      clock.advance(Math.min(elapsed, 0.1));
      if (sharpness.lower(elapsed)) {
        renderer.setDetail(sharpness.scale);
        resize();
      }
      changed();
    }
    if (isStale) draw();
    isStale = false;
    document.documentElement.dataset.ready = "true";
    requestAnimationFrame(tick);
  };
  resize();
  requestAnimationFrame(tick);
}

/** What the address asks for. */
function obey(wish, clock, camera) {
  if (wish.has("t")) clock.seek(Number(wish.get("t")));
  if (wish.has("paused")) clock.isPlaying = false;
  if (Number(wish.get("speed")) > 0) clock.speed = Number(wish.get("speed"));
  if (wish.has("view")) {
    const [azimuth, elevation] = wish.get("view").split(",").map((degrees) => (Number(degrees) * Math.PI) / 180);
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
  document.getElementById("dock").hidden = true;
  throw error;
}
