// Colours as the screen has them, 0..1 for each of red, green and blue, and as light adds up: linear.

const channelsOf = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
const linearChannel = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/** Linear red, green, blue as the page writes colours; "none" for nothing. */
function screenColour(linear) {
  const channel = (c) => Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
  return linear ? `rgb(${linear.map(channel).join()})` : "none";
}

/** "#rrggbb" as linear red, green, blue. */
function linearColour(hex) {
  return channelsOf(hex).map(linearChannel);
}

/** Blue for the lowest level, 0, and red for the highest, 1: mixed as the scale in the head of the page is. */
function levelColour({ levelEnds: [low, high] }, level) {
  return low.map((c, k) => linearChannel(c + level * (high[k] - c)));
}
