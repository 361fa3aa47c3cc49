// The ground: a grid with a round spacing that fades out around the motion.

/** Size and place of the ground, and of the motion above it. */
function layGround({ hull, ground }) {
  const low = [0, 1, 2].map((k) => Math.min(...hull.map((p) => p[k])));
  const high = [0, 1, 2].map((k) => Math.max(...hull.map((p) => p[k])));
  const size = length(subtract(high, low)) || 1;
  return {
    centre: [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, ground],
    size,
    radius: 5 * size,
    spacing: roundNumber(size / 14),
  };
}

/** The nearest of 1, 2, 5, 10, 20, ... and their tenths. */
function roundNumber(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const steps = [1, 2, 5, 10];
  const distance = (s) => Math.abs(Math.log(s * power) - Math.log(x));
  return power * steps.reduce((best, s) => (distance(s) < distance(best) ? s : best));
}
