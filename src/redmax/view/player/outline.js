// The outline of what is selected: its back faces, shifted a few pixels to all sides, in a pale and a strong colour, so that one of them
// is seen on any body and before any background. They lie behind its own surface, and what is in front of it hides them.

const OUTLINE = {
  vertex: `
attribute vec3 position;
uniform mat4 model, viewProjection;
uniform vec2 shift;
uniform float back;
void main() {
  gl_Position = viewProjection * (model * vec4(position, 1.0));
  gl_Position.xy += shift * gl_Position.w;
  gl_Position.z += back * gl_Position.w;
}
`,
  fragment: `precision mediump float;
uniform vec3 colour;
void main() { gl_FragColor = vec4(colour, 1.0); }
`,
};
const RINGS = [{ pixels: 2, back: 4e-4, isPale: true }, { pixels: 4.5, back: 6e-4, isPale: false }];
const SIDES = 12;

class Outline {
  constructor(gl) {
    Object.assign(this, { gl, program: createProgram(gl, OUTLINE) });
  }

  /** size: [width, height] of the canvas on the screen, px; colours: screen colours 0..1 of the strong and the pale ring. */
  draw({ mesh, isHidden }, model, viewProjection, [width, height], colours) {
    const gl = this.gl;
    if (isHidden || !mesh.surface) return;
    gl.useProgram(this.program.program);
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.FRONT);
    for (const { pixels, back, isPale } of RINGS) {
      setUniforms(gl, this.program, { model, viewProjection, back, colour: isPale ? colours.pale : colours.strong });
      for (let k = 0; k < SIDES; k++) {
        const angle = (2 * Math.PI * k) / SIDES;
        setUniforms(gl, this.program, { shift: [(2 * pixels * Math.cos(angle)) / width, (2 * pixels * Math.sin(angle)) / height] });
        drawGeometry(gl, this.program, mesh.surface);
      }
    }
    gl.disable(gl.CULL_FACE);
  }
}
