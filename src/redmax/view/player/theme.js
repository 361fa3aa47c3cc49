// Light or dark, as the page asks or the browser prefers; the colours themselves are in the style sheet.

const DARK_PREFERRED = window.matchMedia("(prefers-color-scheme: dark)");

const channelsOf = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
const linearChannel = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/** "#rrggbb" as linear red, green, blue. */
function linearColour(hex) {
  return channelsOf(hex).map(linearChannel);
}

/** Blue for the lowest level, 0, and red for the highest, 1: mixed as the scale in the head of the page is. */
function levelColour({ levelEnds: [low, high] }, level) {
  return low.map((c, k) => linearChannel(c + level * (high[k] - c)));
}

/** background: "auto", "light", "dark" or "#rrggbb"; sets the theme of the page. */
function applyTheme(background) {
  const root = document.documentElement;
  const isColour = background.startsWith("#");
  const isDark = isColour ? dot(linearColour(background), [0.21, 0.72, 0.07]) < 0.25 : background === "dark";
  root.dataset.theme = isDark || (background === "auto" && DARK_PREFERRED.matches) ? "dark" : "light";
  if (isColour) for (const name of ["--sky-high", "--sky-low", "--floor"]) root.style.setProperty(name, background);
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
