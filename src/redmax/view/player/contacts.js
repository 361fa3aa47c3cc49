// Points of contact as dots, coloured by whether they stick, slide or are open; and cones of friction, to the scale of the arrows.

const { DOT_RADIUS, CONE_OPACITY } = SIZES; // see view/geometry/sizes.py
const CONTACT_STATES = ["open", "sticking", "sliding"];

/** The dots of one state. They are where the sample shown has them: contacts come and go, and nothing is between. */
class Dots extends Deforming {
  constructor(gl, entry, state, sceneSize) {
    super(gl, { name: CONTACT_STATES[state] });
    Object.assign(this, { contacts: entry, state, isArrow: true, radius: DOT_RADIUS * sceneSize });
  }

  update([i], theme) {
    const { begins, points, states } = this.contacts;
    const shown = [];
    for (let k = begins[i]; k < begins[i + 1]; k++) if (states[k] === this.state) shown.push(k);
    this.reshape(shown.length ? rodMesh(points, [], shown, 0, this.radius) : NO_MESH);
    this.colour = theme.contacts[CONTACT_STATES[this.state]];
  }
}

class Cones extends Deforming {
  constructor(gl, entry, stretch) {
    super(gl, { name: "cones", opacity: CONE_OPACITY });
    Object.assign(this, { contacts: entry, stretch, isCone: true, isArrow: true });
  }

  update([i], theme) {
    const { begins, points, pushes, friction } = this.contacts;
    const parts = [];
    for (let k = begins[i]; k < begins[i + 1]; k++) {
      const push = [...pushes.subarray(3 * k, 3 * k + 3)];
      const high = this.stretch * length(push);
      const profile = [[0, 0], [friction[k] * high, high], [0, high]];
      if (high > 0) parts.push(turned(profile, [...points.subarray(3 * k, 3 * k + 3)], normalize(push)));
    }
    this.reshape(parts.length ? joinedMeshes(parts) : NO_MESH);
    this.colour = theme.force;
  }
}

function joinedMeshes(parts) {
  const joined = (name) => {
    const found = new Float32Array(parts.reduce((sum, part) => sum + part[name].length, 0));
    let at = 0;
    for (const part of parts) {
      found.set(part[name], at);
      at += part[name].length;
    }
    return found;
  };
  return { positions: joined("positions"), normals: joined("normals") };
}

/** arrows: of forces, to whose scale cones are. */
function createContacts(gl, { contacts }, arrows, sceneSize) {
  if (!contacts) return [];
  const stretch = Math.min((LONGEST_ARROW * sceneSize) / (contacts.strongest || 1), ...arrows.filter(({ entry }) => entry.kind === "force").map((arrow) => arrow.stretch));
  return [...CONTACT_STATES.map((_, state) => new Dots(gl, contacts, state, sceneSize)), new Cones(gl, contacts, stretch)];
}
