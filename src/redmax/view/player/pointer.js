// Mouse, pen and fingers on the view: drag to orbit, two fingers or another button to pan, wheel or pinch to zoom, a click to select.

const CLICK_REACH = 5; // px that a pointer may move while it clicks

function listenToPointer(canvas, camera, { onView, onHover, onClick }) {
  const down = new Map(); // pointer id -> last place
  let moved = 0; // px since the first pointer went down

  const spread = () => {
    const [a, b] = [...down.values()];
    return { distance: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    moved = down.size ? Infinity : 0;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY, pans: event.button !== 0 || event.shiftKey });
    canvas.classList.add("dragging");
    onHover(event.pointerType === "mouse" ? null : event);
  });

  canvas.addEventListener("pointermove", (event) => {
    const last = down.get(event.pointerId);
    if (!last) return onHover(event);
    moved += Math.hypot(event.clientX - last.x, event.clientY - last.y);
    const now = { x: event.clientX, y: event.clientY, pans: last.pans };
    if (down.size === 2) {
      const before = spread();
      down.set(event.pointerId, now);
      const after = spread();
      camera.zoom(before.distance / Math.max(after.distance, 1));
      camera.pan(after.x - before.x, after.y - before.y);
    } else {
      down.set(event.pointerId, now);
      if (last.pans) camera.pan(now.x - last.x, now.y - last.y);
      else camera.orbit(now.x - last.x, now.y - last.y);
    }
    onHover(null);
    onView();
  });

  const release = (event) => {
    const isClick = event.type === "pointerup" && event.button === 0 && down.size === 1 && moved <= CLICK_REACH;
    down.delete(event.pointerId);
    if (isClick) onClick(event);
    if (!down.size) canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => onHover(null));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 32 : 1);
    camera.zoom(Math.exp(clamp(pixels, -240, 240) * 0.0015));
    onView();
  }, { passive: false });
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    onView();
  });
}
