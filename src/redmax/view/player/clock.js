// The time that is shown, and whether and how fast it runs.

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const SHORTEST_SHOW = 1.5; // s: a shorter run starts in slow motion

class Clock {
  constructor(start, end) {
    Object.assign(this, { start, end, time: start, isPlaying: end > start, loops: true });
    this.speed = SPEEDS.filter((s) => s <= 1 && (end - start) / s >= SHORTEST_SHOW).pop() ?? (end > start ? SPEEDS[0] : 1);
  }

  seek(time) {
    this.time = clamp(time, this.start, this.end);
  }

  toggle() {
    if (!this.isPlaying && this.time >= this.end) this.time = this.start;
    this.isPlaying = !this.isPlaying && this.end > this.start;
  }

  /** Move on by so many seconds of the viewer's time. */
  advance(seconds) {
    if (!this.isPlaying) return;
    const next = this.time + seconds * this.speed;
    if (next < this.end) this.time = next;
    else if (this.loops) this.time = this.start + ((next - this.start) % (this.end - this.start));
    else {
      this.time = this.end;
      this.isPlaying = false;
    }
  }
}
