// The programs that run on the graphics card. Colours are linear until the last line of each fragment program.

const PRECISION = `
precision highp float;
`;

const COLOUR = `
vec3 rollOff(vec3 linear) {   // bends what is too bright, so that lit faces keep their hue
  vec3 bright = max(linear - 0.7, 0.0);
  return linear - bright + 0.3 * (1.0 - exp(-bright / 0.3));
}
vec3 toScreen(vec3 linear) {
  vec3 c = clamp(linear, 0.0, 1.0);
  vec3 srgb = mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  float dither = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  return srgb + (dither - 0.5) / 255.0;   // hides bands in the gentle gradients
}
`;

// Depth from the light in 32 bits of colour, so that no extension is needed.
const PACKING = `
vec4 pack(float depth) {
  vec4 c = fract(depth * vec4(1.0, 255.0, 65025.0, 16581375.0));
  return c - c.yzww * vec4(1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0, 0.0);
}
float unpack(vec4 c) { return dot(c, vec4(1.0, 1.0 / 255.0, 1.0 / 65025.0, 1.0 / 16581375.0)); }
`;

// A shadow that is sharp where bodies touch and softer with distance (percentage-closer soft shadows).
const SHADOW = `
uniform sampler2D shadowMap;
uniform vec3 lightBox;         // width, depth and texel of the lit box, in world units
uniform float softness;        // tangent of the half angle of the lamp
uniform vec2 taps[24];         // places in the unit disc, the first twelve spread over it as well

float nearest(vec2 uv) {   // depth of what the lamp sees first; nothing at all is far away
  float depth = unpack(texture2D(shadowMap, uv));
  return depth > 0.99999 ? 1e3 : depth;
}

float lit(vec3 at, vec2 slope) {   // at: u, v, depth in the lit box; slope of the surface: depth over u, v
  float texel = lightBox.z / lightBox.x;
  float depth = at.z - 1.5 * lightBox.z / lightBox.y;
  float angle = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  mat2 turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));   // another one at each pixel hides the pattern

  float reach = clamp(softness * at.z * lightBox.y / lightBox.x, 2.0 * texel, 0.08);
  float gap = 0.0, found = 0.0;
  for (int i = 0; i < 12; i++) {
    vec2 step = reach * (turn * taps[i]);
    float above = depth + dot(slope, step) - nearest(at.xy + step);
    if (above > 0.0) { gap += above; found += 1.0; }
  }
  if (found == 0.0) return 1.0;

  float blur = clamp(softness * gap / found * lightBox.y / lightBox.x, 1.3 * texel, reach);
  float open = 0.0;
  for (int i = 0; i < 24; i++) {
    vec2 step = blur * (turn * taps[i]);
    if (depth + dot(slope, step) <= nearest(at.xy + step)) open += 1.0 / 24.0;
  }
  return open;
}
`;

// What the lamp, the sky and the floor make of a surface.
const LIGHTING = `
uniform mat4 lightMatrix;      // world to u, v, depth in the lit box, each 0..1
uniform vec3 lightRight, lightUp, lightBack;
uniform vec3 eye, ambientSky, ambientFloor, fillBack;
uniform float keyLight, ambientLight, floorHeight, floorReach;
uniform float shine, sharp, edgeLight, metal;   // what the surface seems to be made of, see view/materials.py
varying vec3 world, worldNormal;

float lamp(vec3 n) {
  float facing = dot(n, lightBack);
  if (facing < 0.02) return 0.0;
  vec3 at = (lightMatrix * vec4(world + n * 1.5 * lightBox.z, 1.0)).xyz;
  vec2 slope = vec2(dot(n, lightRight), dot(n, lightUp)) / max(facing, 0.15) * lightBox.x / lightBox.y;
  return facing * lit(at, slope);
}

vec3 shaded(vec3 base, vec3 n, float key) {
  vec3 v = normalize(eye - world);
  vec3 h = normalize(v + lightBack);
  float fill = 0.16 * keyLight * max(dot(n, fillBack), 0.0);
  float open = mix(0.72, 1.0, smoothstep(0.0, floorReach, world.z - floorHeight + 0.5 * floorReach * (n.z + 1.0)));
  vec3 ambient = ambientLight * open * mix(ambientFloor, ambientSky, 0.5 + 0.5 * n.z);

  float away = 1.0 - max(dot(n, v), 0.0);
  float rim = 0.04 + 0.30 * away * away * away * away * away * edgeLight;
  float gloss = pow(max(dot(n, h), 0.0), sharp > 0.5 ? 144.0 : 48.0) * (shine + rim);
  vec3 light = base * (0.56 * ambient + vec3(1.0, 0.975, 0.94) * 1.08 * key + vec3(0.85, 0.92, 1.0) * fill);
  return (1.0 - 0.55 * metal) * light + mix(vec3(1.0), base, metal) * gloss * key + rim * ambient * 0.45 * (1.0 + 2.0 * metal * base);
}
`;

const LINES = `
float lines(vec2 at, float width) {   // cover of lines at whole numbers; turns into its mean far away
  vec2 pixel = max(fwidth(at), vec2(1e-7));
  vec2 drawn = clamp(vec2(width) * pixel, vec2(0.0), vec2(0.5));
  vec2 off = abs(fract(at - 0.5) - 0.5);
  vec2 cover = 1.0 - smoothstep(drawn - 0.75 * pixel, drawn + 0.75 * pixel, off);
  cover = mix(cover, vec2(0.0), smoothstep(0.15, 0.5, max(pixel.x, pixel.y)));
  return max(cover.x, cover.y);
}
`;

const SHADERS = {
  background: {
    vertex: `
attribute vec2 position;
varying float height;
void main() { height = 0.5 + 0.5 * position.y; gl_Position = vec4(position, 1.0, 1.0); }
`,
    fragment: `${PRECISION}${COLOUR}
uniform vec3 high, low;
varying float height;
void main() { gl_FragColor = vec4(toScreen(mix(low, high, smoothstep(0.25, 1.05, height))), 1.0); }
`,
  },

  shadow: {
    vertex: `
attribute vec3 position;
uniform mat4 model, lightMatrix;
varying float depth;
void main() {
  vec3 at = (lightMatrix * model * vec4(position, 1.0)).xyz;
  depth = at.z;
  gl_Position = vec4(2.0 * at - 1.0, 1.0);
}
`,
    fragment: `${PRECISION}${PACKING}
varying float depth;
void main() { gl_FragColor = pack(clamp(depth, 0.0, 0.9999)); }
`,
  },

  groundLight: {   // how much of the lamp reaches the ground, over the u, v of the lit box
    vertex: `
attribute vec2 position;
varying vec2 uv;
void main() { uv = 0.5 + 0.5 * position; gl_Position = vec4(position, 0.0, 1.0); }
`,
    fragment: `${PRECISION}${PACKING}${SHADOW}
uniform vec3 groundDepth;      // depth of the ground in the lit box: along u, along v, at the corner
varying vec2 uv;
void main() {
  vec3 at = vec3(uv, dot(groundDepth, vec3(uv, 1.0)));
  gl_FragColor = vec4(vec3(lit(at, groundDepth.xy)), 1.0);
}
`,
  },

  body: {
    vertex: `
attribute vec3 position, normal, inside;
uniform mat4 model, viewProjection;
varying vec3 world, worldNormal, local, within;
void main() {
  local = position;
  within = inside;
  world = (model * vec4(position, 1.0)).xyz;
  worldNormal = mat3(model) * normal;
  gl_Position = viewProjection * vec4(world, 1.0);
}
`,
    fragment: `#extension GL_OES_standard_derivatives : enable
${PRECISION}${COLOUR}${PACKING}${SHADOW}${LIGHTING}
uniform vec3 colour;
uniform float marked, glow, thin, opacity;
varying vec3 local, within;

float weave() {   // cover of the edges between the triangles of what deforms: its motion can be seen on them; none where they are dense
  vec3 pixel = max(fwidth(within), vec3(1e-7));
  vec3 cover = (1.0 - smoothstep(0.3, 1.3, within / pixel)) * (1.0 - smoothstep(0.08, 0.3, pixel));
  return max(cover.x, max(cover.y, cover.z));
}

float octants() {   // +1 or -1 in alternate octants of the body, so that the spin of a round body can be seen
  vec3 side = clamp(local / max(fwidth(local), vec3(1e-9)), -1.0, 1.0);
  return side.x * side.y * side.z;
}

void main() {
  vec3 n = normalize(gl_FrontFacing ? worldNormal : -worldNormal);
  vec3 base = colour * (1.0 - 0.17 * marked * (0.5 - 0.5 * octants())) * (1.0 - 0.2 * thin * weave());
  float key = thin > 0.5 && dot(n, lightBack) < 0.0 ? 0.4 * lamp(-n) : lamp(n);   // some light shines through cloth
  gl_FragColor = vec4(toScreen(rollOff(shaded(base, n, keyLight * key) + glow * base)), opacity);
}
`,
  },

  sheet: {   // a translucent surface with a pattern of lines
    vertex: `
attribute vec3 position, normal;
attribute vec2 place;
uniform mat4 model, viewProjection;
varying vec3 world, worldNormal;
varying vec2 at;
void main() {
  at = place;
  world = (model * vec4(position, 1.0)).xyz;
  worldNormal = mat3(model) * normal;
  gl_Position = viewProjection * vec4(world, 1.0);
  gl_Position.z -= 2e-5 * gl_Position.w;   // in front of a body whose surface it is
}
`,
    fragment: `#extension GL_OES_standard_derivatives : enable
${PRECISION}${COLOUR}${PACKING}${SHADOW}${LIGHTING}${LINES}
uniform vec3 sheet, sheetLine;
uniform float sheetOpacity;
varying vec2 at;

void main() {
  vec3 n = normalize(worldNormal);
  vec3 v = normalize(eye - world);
  n = dot(n, v) < 0.0 ? -n : n;
  float key = dot(n, lightBack) < 0.0 ? 0.85 * lamp(-n) : lamp(n);   // light also shines through, that of the sky too
  float line = lines(at, 0.55);
  float away = 1.0 - dot(n, v);
  float cover = mix(sheetOpacity, 0.9, away * away * away);   // more of it along the line of sight
  vec3 base = mix(sheet, sheetLine, line);
  vec3 light = shaded(base, n, keyLight * key) + 0.3 * ambientLight * max(-n.z, 0.0) * ambientSky * base;
  gl_FragColor = vec4(toScreen(rollOff(light)), mix(cover, 0.85, line));
}
`,
  },

  edge: {   // a line of constant width on the screen: each end is moved sideways by half of it
    vertex: `
attribute vec3 position, other;
attribute float side;
uniform mat4 model, viewProjection;
uniform vec2 halfWidth;        // of the line, in half screens
uniform float aspect;
void main() {
  vec4 a = viewProjection * model * vec4(position, 1.0);
  vec4 b = viewProjection * model * vec4(other, 1.0);
  vec2 along = (b.xy / b.w - a.xy / a.w) * vec2(aspect, 1.0);
  vec2 across = normalize(vec2(-along.y, along.x) + vec2(1e-9));
  a.xy += side * across * halfWidth * a.w;
  a.z -= 6e-5 * a.w;   // in front of the faces that it joins
  gl_Position = a;
}
`,
    fragment: `${PRECISION}${COLOUR}
uniform vec3 colour;
uniform float opacity;
void main() { gl_FragColor = vec4(toScreen(colour), opacity); }
`,
  },

  ground: {
    vertex: `
attribute vec2 position;
uniform mat4 viewProjection;
uniform vec3 centre;
uniform float radius;
varying vec3 world;
void main() {
  world = centre + vec3(position * radius, 0.0);
  gl_Position = viewProjection * vec4(world, 1.0);
}
`,
    fragment: `#extension GL_OES_standard_derivatives : enable
${PRECISION}${COLOUR}${LINES}
uniform sampler2D groundLight;
uniform mat4 lightMatrix;
uniform float groundTexel;
uniform vec3 centre, eye, floorColour, gridColour, shadeColour;
uniform float radius, spacing, shadeDepth;
varying vec3 world;

float lamp() {   // the mean of sixteen texels, which takes the grain away
  vec2 uv = (lightMatrix * vec4(world, 1.0)).xy;
  if (any(greaterThan(abs(uv - 0.5), vec2(0.5)))) return 1.0;
  vec4 near = groundTexel * vec4(-1.0, -1.0, 1.0, 1.0);
  return 0.25 * (texture2D(groundLight, uv + near.xy).r + texture2D(groundLight, uv + near.zy).r
    + texture2D(groundLight, uv + near.xw).r + texture2D(groundLight, uv + near.zw).r);
}

void main() {
  float fade = 1.0 - smoothstep(0.12, 1.0, length(world.xy - centre.xy) / radius);
  float grid = 0.16 * lines(world.xy / spacing, 0.5) + 0.30 * lines(world.xy / (5.0 * spacing), 0.6);
  float below = step(eye.z, world.z);
  vec3 base = mix(floorColour, gridColour, min(grid, 0.5));
  float shade = shadeDepth * (1.0 - lamp()) * (1.0 - below);
  gl_FragColor = vec4(toScreen(mix(base, shadeColour, shade)), mix(fade, fade * (0.1 + grid), below));
}
`,
  },
};
