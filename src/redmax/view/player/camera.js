// A camera that orbits about a target point, and fits itself to the whole motion; or that moves by itself, as the look of the scene says:
// then `moves` are added to where it is, and who drags it changes where it is without them. A panel may let it rest: `isMoving = false`.

const TAN_HALF_VIEW = Math.tan((17 * Math.PI) / 180);
const MARGIN = 1.08;
const AT_HOME = [0, 0, 0, 0, 0, 0]; // by how much the camera has moved: x, y, z, azimuth, elevation, logarithm of how many times closer

class Camera {
  constructor(path, ground) {
    Object.assign(this, { path, hull: path.hull, isMoving: path.moves.length > 0, move: AT_HOME });
    this.home = { azimuth: path.azimuth, elevation: path.elevation };
    this.reach = ground.radius;
    this.size = ground.size;
    this.setScreen(1, 1, {});
    this.reset();
  }

  /** Go where the path has it at a sample and a share of the way to the next one. */
  follow(at) {
    this.move = this.isMoving ? rowAt(this.path.moves, AT_HOME.length, at) : AT_HOME;
  }

  /** top, right, bottom: pixels of the screen that other things cover. */
  setScreen(width, height, { top = 0, right = 0, bottom = 0 }) {
    Object.assign(this, { width, height });
    this.ty = TAN_HALF_VIEW;
    this.tx = (this.ty * width) / height;
    this.lift = (bottom - top) / height;
    this.shift = -right / width;
    this.room = { x: Math.max(1 - right / width, 0.3), y: Math.max(1 - (top + bottom) / height, 0.3) };
    this.pixel = (2 * this.ty) / height;
    if (this.isAtHome) this.fit();
  }

  reset() {
    Object.assign(this, this.home);
    this.isAtHome = true;
    this.fit();
  }

  /** The nearest place along the line of sight from which every point of the hull is on the screen. */
  fit() {
    const { right, up, back } = this.axes;
    const [tx, ty] = [(this.tx * this.room.x) / MARGIN, (this.ty * this.room.y) / MARGIN];
    this.target = this.path.target ?? scale(this.hull.reduce(add), 1 / this.hull.length);
    if (this.path.distance) return (this.distance = this.path.distance);
    for (let pass = 0; pass < 8; pass++) {
      const seen = this.hull.map((p) => [right, up, back].map((axis) => dot(axis, subtract(p, this.target))));
      this.distance = Math.max(...seen.map(([x, y, z]) => z + Math.max(Math.abs(x) / tx, Math.abs(y) / ty)), 1e-6 * this.size);
      const centre = [0, 1].map((k) => {
        const across = seen.map((s) => s[k] / (this.distance - s[2]));
        return (this.distance * (Math.min(...across) + Math.max(...across))) / 2;
      });
      if (!this.path.target) this.target = add(this.target, add(scale(right, centre[0]), scale(up, centre[1])));
    }
    this.distance /= this.path.zoom;
  }

  get axes() {
    return viewAxes(direction(this.azimuth + this.move[3], clamp(this.elevation + this.move[4], -Math.PI / 2, Math.PI / 2)));
  }

  /** How far the eye is from what it looks at now. */
  get range() {
    return this.distance * Math.exp(-this.move[5]);
  }

  get eye() {
    return add(add(this.target, this.move.slice(0, 3)), scale(this.axes.back, this.range));
  }

  get matrix() {
    const near = Math.max(this.range - 1.5 * this.size, 0.01 * this.range);
    const far = this.range + 2 * this.reach;
    return multiply(perspective(this.tx, this.ty, near, far, this.shift, this.lift), viewMatrix(this.axes, this.eye));
  }

  /** What brings it back here: null at home. */
  get place() {
    const { azimuth, elevation, distance, target } = this;
    return this.isAtHome ? null : { azimuth, elevation, distance, target: [...target] };
  }

  goTo({ azimuth, elevation, distance, target }) {
    Object.assign(this, { azimuth, elevation, distance, target: [...target], isAtHome: false });
  }

  /** dx, dy in pixels. */
  orbit(dx, dy) {
    this.azimuth -= 0.006 * dx;
    this.elevation = clamp(this.elevation + 0.006 * dy, -1.5, 1.55);
    this.isAtHome = false;
  }

  pan(dx, dy) {
    const { right, up } = this.axes;
    const step = this.pixel * this.range;
    this.target = add(this.target, add(scale(right, -dx * step), scale(up, dy * step)));
    this.isAtHome = false;
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.02 * this.size, 12 * this.size);
    this.isAtHome = false;
  }

  /** The direction from the eye through a place on the screen, each -1..1. */
  ray(x, y) {
    const { right, up, back } = this.axes;
    return normalize(subtract(add(scale(right, (x - this.shift) * this.tx), scale(up, (y - this.lift) * this.ty)), back));
  }

  /** Where a point of the world is on the screen, in pixels from its top left corner; null behind the eye. */
  project(point) {
    const { right, up, back } = this.axes;
    const [x, y, z] = [right, up, back].map((axis) => dot(axis, subtract(point, this.eye)));
    if (z > -1e-9 * this.size) return null;
    const [u, v] = [x / (-z * this.tx) + this.shift, y / (-z * this.ty) + this.lift];
    return [((1 + u) * this.width) / 2, ((1 - v) * this.height) / 2];
  }
}
