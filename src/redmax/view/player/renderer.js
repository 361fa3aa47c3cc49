// Draws one picture: shadows, background, solid and deforming things, edges, ground, and through them all translucent sheets.

const EDGE_WIDTH = 1.1; // CSS pixels
const CASTING = 0.5; // opacity from which on a thing has a shadow

class Renderer {
  constructor(canvas, scene) {
    const gl = canvas.getContext("webgl", { antialias: true, alpha: scene.look.isClear });
    if (!gl || !gl.getExtension("OES_standard_derivatives")) throw new Error("no WebGL");
    this.gl = gl;
    this.canvas = canvas;
    this.programs = Object.fromEntries(Object.entries(SHADERS).map(([name, source]) => [name, createProgram(gl, source)]));
    this.outline = new Outline(gl);
    this.square = createGeometry(gl, { position: [2, SQUARE] });
    this.ground = layGround(scene.framing);
    this.bodies = this.upload(scene);
    Object.assign(this, createDrawings(gl, scene, this.ground.size));
    this.arrows = createArrows(gl, scene, this.ground.size);
    this.deforming = [...createDeforming(gl, scene, this.ground.size), ...this.arrows];
    this.named = [...this.bodies, ...this.deforming]; // what can be selected
    this.contacts = createContacts(gl, scene, this.arrows, this.ground.size);
    this.trails = scene.trails.map((entry) => new Trail(gl, entry, scene.times, this.ground.size));
    this.solids = [...this.named, ...this.marks, ...this.frames, ...this.wires, ...this.trails, ...this.contacts]; // `poses` of the other methods are of these, in this order
    this.framing = scene.framing;
    this.look = scene.look;
    this.setDetail(1);
    this.setTheme();
  }

  upload(scene) {
    const gl = this.gl;
    const meshes = scene.meshes.map((data) => {
      const mesh = prepareMesh(data);
      const surface = { position: [3, mesh.positions], normal: [3, mesh.normals] };
      return { ...mesh, surface: createGeometry(gl, surface), lines: createGeometry(gl, edgeAttributes(mesh.edges)) };
    });
    this.marks = createMarks(scene.marks, meshes);
    this.frames = createMarks(scene.frames, meshes);
    return scene.bodies.map(({ colour, mesh, ...rest }) => ({ ...rest, colour: linearColour(colour), mesh: meshes[mesh] }));
  }

  /** detail: 0..1, the share of pixels of the shadows. */
  setDetail(detail) {
    const gl = this.gl;
    for (const target of [this.shadowMap, this.groundLight]) deleteTarget(gl, target);
    this.lamp = createLamp(this.framing, detail);
    this.shadowMap = createTarget(gl, this.lamp.shadowPixels, gl.NEAREST);
    this.groundLight = createTarget(gl, this.lamp.groundPixels, gl.LINEAR);
  }

  setTheme() {
    this.theme = readTheme();
  }

  /** Shapes of what deforms at a sample and a share of the way to the next one; returns one matrix per solid thing. */
  place(at) {
    for (const thing of [...this.deforming, ...this.wires, ...this.sheets, ...this.trails, ...this.contacts]) thing.update(at, this.theme);
    return this.solids.map(({ poses, place }) => (place ? multiply(poseAt(poses, at), place) : poseAt(poses, at)));
  }

  /** joints, forces, contacts, cones: whether to show them. */
  reveal({ joints, forces, contacts, cones }) {
    for (const thing of [...this.marks, ...this.wires, ...this.sheets]) thing.isHidden = !joints;
    for (const arrow of this.arrows) arrow.isHidden = !forces;
    for (const thing of this.contacts) thing.isHidden = !(thing.isCone ? cones : contacts);
  }

  /** at: the sample shown; poses: as above; hovered, selected: numbers of things, or -1. */
  draw(at, poses, camera, hovered, selected) {
    const gl = this.gl;
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.drawShadowMap(poses);
    this.drawGroundLight(poses);
    drawInto(gl, null, this.look.isClear ? 0 : 1);
    if (!this.look.isClear) this.drawBackground();
    const [opaque, translucent] = this.layers(poses, camera);
    this.drawBodies(opaque, poses, camera, hovered);
    if (selected >= 0) this.outline.draw(this.solids[selected], poses[selected], camera.matrix, this.sizeOnScreen, this.theme.outline);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawEdges(poses, camera);
    if (this.look.ground) this.drawGround(camera);
    for (const i of translucent) this.drawTranslucent(i, poses, camera, hovered);
    this.drawSheets(at, camera);
    gl.depthMask(true);
  }

  get sizeOnScreen() {
    return [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  use(name, values) {
    const program = this.programs[name];
    this.gl.useProgram(program.program);
    setUniforms(this.gl, program, values);
    return program;
  }

  drawShadowMap(poses) {
    const gl = this.gl;
    bindTexture(gl, this.lamp.groundLight, null); // a picture cannot be read while it is drawn
    bindTexture(gl, this.lamp.shadowMap, null);
    drawInto(gl, this.shadowMap);
    const program = this.use("shadow", this.lamp);
    this.solids.forEach(({ mesh, isHidden, isArrow, isTrail, isFrame, opacity = 1 }, i) => {
      if (isHidden || isArrow || isTrail || isFrame || opacity < CASTING) return; // arrows, trails and frames are no things, and cast no shadow
      setUniforms(gl, program, { model: poses[i] });
      drawGeometry(gl, program, mesh.surface);
    });
  }

  drawGroundLight(poses) {
    const gl = this.gl;
    drawInto(gl, this.groundLight);
    bindTexture(gl, this.lamp.shadowMap, this.shadowMap);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(...shadedPart(this.lamp, this.solids, poses).map((share) => Math.ceil(share * this.lamp.groundPixels)));
    drawGeometry(gl, this.use("groundLight", this.lamp), this.square);
    gl.disable(gl.SCISSOR_TEST);
    bindTexture(gl, this.lamp.groundLight, this.groundLight);
  }

  drawBackground() {
    const gl = this.gl;
    gl.disable(gl.DEPTH_TEST);
    drawGeometry(gl, this.use("background", { high: this.theme.skyHigh, low: this.theme.skyLow }), this.square);
    gl.enable(gl.DEPTH_TEST);
  }

  /** Numbers of the solid things that are seen: of opaque ones, and of those that show what is behind, the farthest first. */
  layers(poses, camera) {
    const seen = this.solids.map((_, i) => i).filter((i) => !this.solids[i].isHidden && (this.solids[i].opacity ?? 1) > 0);
    const far = (i) => length(subtract(camera.eye, [...poses[i].subarray(12, 15)]));
    const isClear = (i) => (this.solids[i].opacity ?? 1) < 1;
    return [seen.filter((i) => !isClear(i)), seen.filter(isClear).sort((i, j) => far(j) - far(i))];
  }

  /** The side that is turned to the eye. */
  drawTranslucent(i, poses, camera, hovered) {
    const gl = this.gl;
    if (!this.solids[i].isThin) gl.enable(gl.CULL_FACE);
    this.drawBodies([i], poses, camera, hovered);
    gl.disable(gl.CULL_FACE);
  }

  drawBodies(shown, poses, camera, hovered) {
    const gl = this.gl;
    const program = this.use("body", this.surroundings(camera));
    shown.forEach((i) => {
      const { mesh, colour, isThin, isMark, isArrow, isFrame, opacity = 1, material = "plastic" } = this.solids[i];
      const own = colour ?? (isMark ? this.theme.mark : this.theme.wire);
      const glow = (i === hovered ? 0.22 : 0) + (isArrow || isFrame ? 0.3 : 0);
      const look = { colour: own, marked: mesh.isSmooth && !isMark ? 1 : 0, thin: isThin ? 1 : 0, glow };
      setUniforms(gl, program, { model: poses[i], ...look, ...finishOf(material), opacity });
      drawGeometry(gl, program, mesh.surface);
    });
  }

  /** What light falls on a surface, and who looks at it. */
  surroundings(camera) {
    const { lamp, theme, ground } = this;
    const floor = { floorHeight: ground.centre[2], floorReach: 0.12 * ground.size };
    return { ...lamp, ...theme, ...floor, ...finishOf("plastic"), viewProjection: camera.matrix, eye: camera.eye };
  }

  drawSheets(at, camera) {
    if (!this.sheets.length) return;
    const gl = this.gl;
    const program = this.use("sheet", this.surroundings(camera));
    for (const { sheet, pose } of farthestFirst(this.sheets.filter(({ isHidden }) => !isHidden), at, camera.eye)) {
      setUniforms(gl, program, { model: pose });
      drawGeometry(gl, program, sheet.surface, sheet.order(pose, camera.eye));
    }
  }

  drawEdges(poses, camera) {
    const gl = this.gl;
    const [width, height] = this.sizeOnScreen;
    const program = this.use("edge", {
      viewProjection: camera.matrix,
      halfWidth: [EDGE_WIDTH / width, EDGE_WIDTH / height],
      aspect: width / height,
    });
    this.named.forEach(({ mesh, colour, opacity = 1 }, i) => {
      if (!mesh.edges.length || opacity < 1) return;
      setUniforms(gl, program, { model: poses[i], colour: edgeColour(colour), opacity: edgeOpacity(mesh, poses[i], camera) });
      drawGeometry(gl, program, mesh.lines);
    });
  }

  drawGround(camera) {
    const { theme, ground } = this;
    const program = this.use("ground", {
      ...this.lamp,
      ...ground,
      viewProjection: camera.matrix,
      eye: camera.eye,
      floorColour: theme.floor,
      gridColour: theme.grid,
      shadeColour: theme.shade,
      shadeDepth: theme.isDark ? 0.62 : 0.5,
    });
    drawGeometry(this.gl, program, this.square);
  }
}

/** What a surface seems to be made of, as the shaders have it. */
function finishOf(material) {
  const { shine, sharp, rim, metal } = FINISHES[material];
  return { shine, sharp, metal, edgeLight: rim };
}

/** Edges of bodies that are only a few pixels thick would hide them. */
function edgeOpacity(mesh, pose, camera) {
  const distance = length(subtract(camera.eye, [pose[12], pose[13], pose[14]]));
  const pixels = mesh.thickness / (camera.pixel * distance);
  return 0.55 * clamp((pixels - 6) / 24, 0, 1);
}

/** Edges catch the light: a paler tone of the body. */
function edgeColour(colour) {
  return colour.map((c) => c + 0.5 * (1 - c));
}
