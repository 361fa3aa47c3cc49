// Where things go: the energy plot and the card of the selection beside the scene, or, where it is narrow, below and above it.

const IS_WIDE = window.matchMedia("(min-width: 900px) and (min-height: 440px)");

/** Moves the plot to its place; returns whether the window is wide. */
function arrange() {
  const [side, dock, energy] = ["side", "dock", "energy"].map((id) => document.getElementById(id));
  document.body.classList.toggle("wide", IS_WIDE.matches);
  if (IS_WIDE.matches && energy.parentElement !== side) side.prepend(energy);
  if (!IS_WIDE.matches && energy.parentElement !== dock) dock.prepend(energy);
  document.body.style.setProperty("--head", `${document.querySelector("header").getBoundingClientRect().bottom}px`);
  return IS_WIDE.matches;
}

/** Pixels at the edges of the window that the head, the side and the controls cover. */
function coveredEdges(isWide) {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  return {
    top: box("header").bottom,
    right: isWide ? innerWidth - box("#side").left : 0,
    bottom: innerHeight - box("#dock").top,
  };
}

/** Where it is narrow, a button folds what it controls; `changed` is called after that. */
function connectFolds(memory, changed) {
  for (const [id, what, isFoldedAtFirst] of [["fold-energy", "energy", false], ["fold-facts", "facts", true]]) {
    const button = document.getElementById(id);
    const fold = (isFolded) => {
      document.body.classList.toggle(`without-${what}`, isFolded);
      button.setAttribute("aria-expanded", !isFolded);
    };
    fold(memory.get(`${what}-folded`) ?? isFoldedAtFirst);
    button.addEventListener("click", () => {
      const isFolded = button.getAttribute("aria-expanded") === "true";
      memory.set(`${what}-folded`, isFolded);
      fold(isFolded);
      changed();
    });
  }
}
