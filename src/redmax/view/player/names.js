// The names of bodies beside them, where they are asked for.

class Names {
  constructor(bodies) {
    this.bodies = bodies;
    this.place = document.getElementById("names");
    this.tags = bodies.map(({ name }) => {
      const tag = document.createElement("span");
      tag.textContent = name;
      this.place.append(tag);
      return tag;
    });
  }

  /** poses: of the bodies; what is behind the eye has no name, and no name covers another: it gives way up or down, or is left out. */
  show(isShown, poses, camera) {
    this.place.hidden = !isShown;
    if (!isShown) return;
    this.sizes ??= this.tags.map(({ offsetWidth, offsetHeight }) => [offsetWidth, offsetHeight]);
    const taken = [];
    this.tags.forEach((tag, i) => {
      const at = camera.project(poses[i].subarray(12, 15));
      const box = at && freeBox(at, this.sizes[i], taken);
      tag.style.visibility = box ? "visible" : "hidden";
      if (!box) return;
      taken.push(box);
      tag.style.transform = `translate(${box.x.toFixed(1)}px, ${box.y.toFixed(1)}px)`;
    });
  }
}

const GIVING_WAY = [0, 1, -1, 2, -2, 3, -3]; // heights of a name, down and up

/** A box of this size about a place that meets none of the others, or null. */
function freeBox([x, y], [width, height], taken) {
  const boxes = GIVING_WAY.map((k) => ({ x: x - width / 2, y: y - height / 2 + k * (height + 1), width, height }));
  return boxes.find((box) => !taken.some((other) => meets(box, other))) ?? null;
}

function meets(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
