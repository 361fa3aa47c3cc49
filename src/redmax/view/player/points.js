// Points that change with time: a mean shape with modes and weights, or their places at every sample.

/** Flat x, y, z at a sample and a share of the way to the next one. */
function pointsAt(entry, at) {
  if (entry.modes) return combinedAt(entry, at);
  return entry.places ? placedAt(entry, at) : entry.points;
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

function placedAt({ places, size, low, step }, [i, s]) {
  const now = new Float32Array(size);
  const [a, b] = [i * size, (s ? i + 1 : i) * size];
  for (let j = 0; j < size; j++) now[j] = low[j % 3] + step * (places[a + j] + s * (places[b + j] - places[a + j]));
  return now;
}

/** Places at all samples, in steps, from bytes of their second differences in time; size: coordinates at one of them. */
function placesOf(bytes, samples) {
  const numbers = shortNumbers(bytes);
  const size = numbers.length / samples;
  const places = new Int32Array(numbers.length);
  for (let k = 0; k < numbers.length; k++) places[k] = numbers[k] + 2 * (places[k - size] ?? 0) - (places[k - 2 * size] ?? 0);
  return { places, size };
}

/** Whole numbers of seven bits a byte, the lowest first, with a high bit on all bytes but the last; their lowest bit is the sign. */
function shortNumbers(bytes) {
  const numbers = new Int32Array(bytes.length);
  let [count, value, shift] = [0, 0, 0];
  for (const byte of bytes) {
    value |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    numbers[count++] = (value >>> 1) ^ -(value & 1);
    value = shift = 0;
  }
  return numbers.subarray(0, count);
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
