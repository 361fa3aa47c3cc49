// A thin layer over WebGL: programs that know their uniforms, and vertex buffers that know their attributes.

function createProgram(gl, { vertex, fragment }) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "position"); // the first one must be in use: others may be left out
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return { program, uniforms: listUniforms(gl, program) };
}

function listUniforms(gl, program) {
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name, type } = gl.getActiveUniform(program, i);
    uniforms[name] = { type, location: gl.getUniformLocation(program, name) };
  }
  return uniforms;
}

/** Sets those of `values` that the program has. */
function setUniforms(gl, { uniforms }, values) {
  for (const [name, value] of Object.entries(values)) {
    const uniform = uniforms[name];
    if (!uniform) continue;
    const at = uniform.location;
    if (uniform.type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(at, false, value);
    else if (uniform.type === gl.FLOAT_VEC3) gl.uniform3fv(at, value);
    else if (uniform.type === gl.FLOAT_VEC2) gl.uniform2fv(at, value);
    else if (uniform.type === gl.FLOAT) gl.uniform1f(at, value);
    else gl.uniform1i(at, value);
  }
}

/** attributes: name -> [numbers per vertex, Float32Array]. */
function createGeometry(gl, attributes) {
  const geometry = { buffers: {}, count: 0 };
  for (const [name, [size, data]] of Object.entries(attributes)) {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    geometry.buffers[name] = { size, buffer };
    geometry.count = data.length / size;
  }
  return geometry;
}

/** New contents for a geometry that changes, or a new geometry if there was none. */
function replaceGeometry(gl, geometry, attributes) {
  if (!geometry) return createGeometry(gl, attributes);
  for (const [name, [size, data]] of Object.entries(attributes)) {
    gl.bindBuffer(gl.ARRAY_BUFFER, geometry.buffers[name].buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    geometry.count = data.length / size;
  }
  return geometry;
}

/** order: numbers of the vertices to draw, in threes; all of them one after the other unless given. */
function drawGeometry(gl, { program }, geometry, order) {
  const { buffers, count } = geometry;
  const used = [];
  for (const [name, { size, buffer }] of Object.entries(buffers)) {
    const at = gl.getAttribLocation(program, name);
    if (at < 0) continue;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
    used.push(at);
  }
  if (order) {
    geometry.elements ??= gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, geometry.elements);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, order, gl.DYNAMIC_DRAW);
    gl.drawElements(gl.TRIANGLES, order.length, gl.UNSIGNED_SHORT, 0);
  } else gl.drawArrays(gl.TRIANGLES, 0, count);
  used.forEach((at) => gl.disableVertexAttribArray(at));
}

/** The corners of [-1, 1] x [-1, 1] as two triangles. */
const SQUARE = new Float32Array([-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1]);

/** Each edge (six numbers) as two triangles that the edge program widens. */
function edgeAttributes(edges) {
  const [position, other, side] = [[], [], []];
  for (let k = 0; k < edges.length; k += 6) {
    const ends = [edges.subarray(k, k + 3), edges.subarray(k + 3, k + 6)];
    for (const [end, way] of [[0, 1], [0, -1], [1, 1], [1, 1], [1, -1], [0, 1]]) {
      position.push(...ends[end]);
      other.push(...ends[1 - end]);
      side.push(way);
    }
  }
  return { position: [3, new Float32Array(position)], other: [3, new Float32Array(other)], side: [1, new Float32Array(side)] };
}

/** A square picture to draw into and to read from later. */
function createTarget(gl, size, filter) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, size, size, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  for (const name of ["TEXTURE_MIN_FILTER", "TEXTURE_MAG_FILTER"]) gl.texParameteri(gl.TEXTURE_2D, gl[name], filter);
  for (const name of ["TEXTURE_WRAP_S", "TEXTURE_WRAP_T"]) gl.texParameteri(gl.TEXTURE_2D, gl[name], gl.CLAMP_TO_EDGE);
  const depth = gl.createRenderbuffer();
  gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, size, size);
  const framebuffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
  return { framebuffer, texture, depth, size };
}

function deleteTarget(gl, target) {
  if (!target) return;
  gl.deleteFramebuffer(target.framebuffer);
  gl.deleteTexture(target.texture);
  gl.deleteRenderbuffer(target.depth);
}

/** Draw into a target, all white at first, or without one onto the screen; opacity: 0 to begin with nothing. */
function drawInto(gl, target, opacity = 1) {
  gl.bindFramebuffer(gl.FRAMEBUFFER, target?.framebuffer ?? null);
  gl.viewport(0, 0, target?.size ?? gl.drawingBufferWidth, target?.size ?? gl.drawingBufferHeight);
  gl.clearColor(opacity, opacity, opacity, opacity);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
}

function bindTexture(gl, unit, target) {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, target?.texture ?? null);
}
