// Light or dark, as the page asks or the browser prefers; the colours themselves are in the style sheet.

const DARK_PREFERRED = window.matchMedia("(prefers-color-scheme: dark)");

/** Sets the theme of the page. theme: "light" or "dark", or nothing if nobody said; background: "auto", "light", "dark" or "#rrggbb"; look:
 *  of the scene, with the colour of its ground. */
function applyTheme(theme, background, look) {
  const root = document.documentElement;
  const isColour = background.startsWith("#");
  root.dataset.theme = theme ?? themeBefore(background);
  if (isColour) root.dataset.sky = themeBefore(background);
  if (isColour) for (const name of ["--sky-high", "--sky-low", "--floor"]) root.style.setProperty(name, background);
  if (look.groundColour) root.style.setProperty("--floor", look.groundColour);
  root.classList.toggle("clear", look.isClear);
}

/** The theme that suits a background. */
function themeBefore(background) {
  if (background.startsWith("#")) return dot(linearColour(background), [0.21, 0.72, 0.07]) < 0.25 ? "dark" : "light";
  return background === "dark" || (background === "auto" && DARK_PREFERRED.matches) ? "dark" : "light";
}

/** The colours and strengths that the three-dimensional view uses. */
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const text = (name) => style.getPropertyValue(name).trim();
  const colour = (name) => linearColour(text(name));
  return {
    skyHigh: colour("--sky-high"),
    skyLow: colour("--sky-low"),
    floor: colour("--floor"),
    grid: colour("--grid"),
    shade: colour("--shade"),
    wire: colour("--wire"),
    mark: colour("--mark"),
    force: colour("--force"),
    torque: colour("--torque"),
    contacts: { open: colour("--open"), sticking: colour("--sticking"), sliding: colour("--sliding") },
    outline: { strong: channelsOf(text("--outline")), pale: channelsOf(text("--outline-pale")) },
    sheet: colour("--sheet"),
    sheetLine: colour("--sheet-line"),
    levelEnds: [channelsOf(text("--level-low")), channelsOf(text("--level-high"))],
    sheetOpacity: Number(text("--sheet-opacity")),
    ambientSky: colour("--ambient-sky"),
    ambientFloor: colour("--ambient-floor"),
    keyLight: Number(text("--key-light")),
    ambientLight: Number(text("--ambient-light")),
    isDark: document.documentElement.dataset.theme === "dark",
  };
}
