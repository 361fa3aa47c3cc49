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

  /** poses: of the bodies; what is behind the eye has no name. */
  show(isShown, poses, camera) {
    this.place.hidden = !isShown;
    if (!isShown) return;
    this.tags.forEach((tag, i) => {
      const at = camera.project(poses[i].subarray(12, 15));
      tag.hidden = !at;
      if (at) tag.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px) translate(-50%, -50%)`;
    });
  }
}
