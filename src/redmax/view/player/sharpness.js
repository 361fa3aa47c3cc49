// How many pixels to draw: all of them, or fewer where the motion would stutter.

const MAX_PIXELS = 4e6; // enough for a sharp picture
const SLOW = 0.045; // s a frame
const WATCHED = 8; // frames
const COARSEST = 0.5; // pixels per CSS pixel, over that of the screen

class Sharpness {
  constructor() {
    this.scale = 1;
    this.frames = [];
  }

  /** Pixels per CSS pixel for a view of this size. */
  ratio(width, height) {
    return this.scale * Math.min(devicePixelRatio || 1, Math.sqrt(MAX_PIXELS / (width * height)));
  }

  /** Takes the duration of a frame of a running motion; true if the view should now be drawn with fewer pixels. */
  lower(seconds) {
    this.frames.push(seconds);
    if (this.frames.length < WATCHED) return false;
    const usual = this.frames.sort((a, b) => a - b)[WATCHED >> 1];
    this.frames = [];
    if (usual < SLOW || this.scale <= COARSEST || document.hidden) return false;
    this.scale = Math.max(0.75 * this.scale, COARSEST);
    return true;
  }
}
