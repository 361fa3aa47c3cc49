// Points that change with time: a mean shape with modes and weights, or their places at every sample in whole steps.

/** Flat x, y, z at a sample and a share of the way to the next one. */
function pointsAt(entry, at) {
  if (entry.modes) return combinedAt(entry, at);
  return entry.samples ? sampledAt(entry, at) : entry.points;
}

function combinedAt({ points, modes, weights }, [i, s]) {
  const now = new Float32Array(points);
  const count = modes.length / points.length;
  for (let k = 0; k < count; k++) {
    const [a, b] = [weights[i * count + k], weights[(s ? i + 1 : i) * count + k]];
    const [weight, mode] = [a + s * (b - a), modes.subarray(k * points.length, (k + 1) * points.length)];
    for (let j = 0; j < now.length; j++) now[j] += weight * mode[j];
  }
  return now;
}

function sampledAt({ samples, low, step, size }, [i, s]) {
  const now = new Float32Array(size);
  const [a, b] = [i * size, (s ? i + 1 : i) * size];
  for (let j = 0; j < size; j++) now[j] = low[j % 3] + step[j % 3] * (samples[a + j] + s * (samples[b + j] - samples[a + j]));
  return now;
}

/** Numbers of the points that take part at a sample, until the next one. */
function activePoints({ active }, count, [i]) {
  const all = Array.from({ length: count }, (_, k) => k);
  return active ? all.filter((k) => active[i * count + k]) : all;
}

/** Where a level is in its range, 0..1. */
function levelAt({ levels }, [i, s]) {
  const [a, b] = [levels[i], levels[s ? i + 1 : i]];
  return (a + s * (b - a)) / 255;
}
