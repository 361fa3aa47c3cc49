// What the page remembers between visits: theme and what is shown, for all pages; the camera, for each scene.

const MEMORY_KEY = "redmax";
const MOST_VIEWS = 60;

/** Storage may be missing, full or forbidden, as in private windows and frames: then it lasts until the page is left. */
class Memory {
  constructor(sceneName) {
    Object.assign(this, { sceneName, own: {} });
  }

  read() {
    try {
      return { ...JSON.parse(localStorage.getItem(MEMORY_KEY)), ...this.own };
    } catch {
      return this.own;
    }
  }

  get(name) {
    return this.read()[name];
  }

  set(name, value) {
    this.own[name] = value;
    try {
      localStorage.setItem(MEMORY_KEY, JSON.stringify(this.read()));
    } catch {
      // as above
    }
  }

  get view() {
    const view = this.get("views")?.[this.sceneName];
    const isWhole = view && [view.azimuth, view.elevation, view.distance, ...(view.target ?? [NaN])].every(Number.isFinite);
    return isWhole && view.target.length === 3 ? view : null;
  }

  /** null forgets it. The latest is last: the first ones are dropped when there are many. */
  set view(view) {
    const { [this.sceneName]: _, ...others } = this.get("views") ?? {};
    const kept = Object.entries(others).slice(-MOST_VIEWS);
    this.set("views", Object.fromEntries(view ? [...kept, [this.sceneName, view]] : kept));
  }
}

/** Calls `action` a little after the last of many calls, and when the page is left. */
function later(action, milliseconds = 250) {
  let waiting = 0;
  const now = () => {
    clearTimeout(waiting);
    if (waiting) action();
    waiting = 0;
  };
  window.addEventListener("pagehide", now);
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(now, milliseconds);
  };
}
