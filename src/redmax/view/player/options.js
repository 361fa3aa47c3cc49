// What is shown and in which theme: the boxes of the options, their keys, and the memory of them.

const SHOWN_AT_FIRST = { joints: true, forces: true, names: false, contacts: true, cones: false };

class Options {
  /** has: which of the boxes have anything to show; first: what is shown unless its user chose otherwise. */
  constructor(memory, has, first, changed) {
    Object.assign(this, { memory, changed, shown: { ...SHOWN_AT_FIRST, ...first, ...memory.get("shown") } });
    for (const name of Object.keys(SHOWN_AT_FIRST)) {
      const box = document.getElementById(`show-${name}`);
      box.closest("label").hidden = !has[name];
      box.addEventListener("change", () => this.toggle(name));
    }
    this.show();
    const panel = document.getElementById("options");
    window.addEventListener("pointerdown", (event) => {
      if (!panel.contains(event.target)) panel.open = false;
    });
  }

  toggle(name) {
    this.shown[name] = !this.shown[name];
    this.memory.set("shown", this.shown);
    this.show();
    this.changed();
  }

  show() {
    for (const name of Object.keys(SHOWN_AT_FIRST)) document.getElementById(`show-${name}`).checked = this.shown[name];
  }
}
