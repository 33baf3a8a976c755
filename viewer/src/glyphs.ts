// Contacts in the scene: the point, the normal, the friction cone, and the impulse or force as an arrow. Sticking and slipping
// have different colours; an arrow is always as long as its number asks for. They are drawn over the bodies: an impulse on a body points
// into it.
import * as THREE from "three";

export type Mode = "none" | "separate" | "stick" | "slip";

export interface Glyph {
  point: ArrayLike<number>;
  normal: ArrayLike<number>;
  mu: number;
  mode: Mode;
  arrow?: ArrayLike<number>; // impulse or force, world
  scale?: number; // m of arrow per unit
  joint?: number; // the joint whose limit this is
  turns?: boolean; // and it is a moment: a ring about the axis instead of an arrow
}

const MOST = 0.6; // of the mechanism's size: the longest arrow
const UP = new THREE.Vector3(0, 1, 0);

/** An arrow along y, of length 1, thin; stretched per use. */
class Arrow {
  readonly root = new THREE.Group();
  private readonly shaft: THREE.Mesh;
  private readonly head: THREE.Mesh;
  constructor(material: THREE.Material) {
    this.shaft = new THREE.Mesh(Arrow.tube, material);
    this.head = new THREE.Mesh(Arrow.tip, material);
    this.root.add(this.shaft, this.head);
  }
  private static readonly tube = new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
  private static readonly tip = new THREE.ConeGeometry(1, 1, 18).translate(0, 0.5, 0);

  set(from: THREE.Vector3, vector: THREE.Vector3, thickness: number, material: THREE.Material): void {
    const length = vector.length();
    this.root.visible = length > 1e-9;
    if (!this.root.visible) return;
    const head = Math.min(5 * thickness, 0.45 * length);
    this.root.position.copy(from);
    this.root.quaternion.setFromUnitVectors(UP, vector.clone().divideScalar(length));
    this.shaft.scale.set(thickness, length - head, thickness);
    this.head.scale.set(2.4 * thickness, head, 2.4 * thickness);
    this.head.position.set(0, length - head, 0);
    this.shaft.material = this.head.material = material;
  }
}

interface Item { root: THREE.Group; dot: THREE.Mesh; cone: THREE.Mesh; rim: THREE.LineLoop; normal: Arrow; arrow: Arrow; ring: THREE.Mesh }

export class ContactGlyphs {
  readonly root = new THREE.Group();
  private readonly items: Item[] = [];
  private readonly solid: Record<Mode, THREE.MeshBasicMaterial>;
  private readonly clear: Record<Mode, THREE.MeshBasicMaterial>;
  private readonly edge: Record<Mode, THREE.LineBasicMaterial>;
  private static readonly ball = new THREE.SphereGeometry(1, 20, 14);
  private static readonly cone = new THREE.ConeGeometry(1, 1, 40, 1, true).rotateX(Math.PI).translate(0, 0.5, 0); // apex at 0, opens along y
  private static readonly ring = new THREE.TorusGeometry(1, 0.09, 10, 40, 1.6 * Math.PI).rotateX(-Math.PI / 2); // about y
  private static readonly rim = new THREE.BufferGeometry().setFromPoints(
    Array.from({ length: 40 }, (_, i) => new THREE.Vector3(Math.cos((i * Math.PI) / 20), 1, Math.sin((i * Math.PI) / 20))));

  constructor() {
    const each = <T>(make: () => T) => ({ none: make(), separate: make(), stick: make(), slip: make() });
    this.solid = each(() => new THREE.MeshBasicMaterial({ toneMapped: false, depthTest: false, transparent: true }));
    this.clear = each(() => new THREE.MeshBasicMaterial({ toneMapped: false, transparent: true, opacity: 0.18, side: THREE.DoubleSide, depthWrite: false, depthTest: false }));
    this.edge = each(() => new THREE.LineBasicMaterial({ toneMapped: false, transparent: true, opacity: 0.6, depthTest: false }));
  }

  paint(stick: THREE.Color, slip: THREE.Color, open: THREE.Color): void {
    const colour: Record<Mode, THREE.Color> = { none: open, separate: open, stick, slip };
    for (const mode of Object.keys(colour) as Mode[])
      for (const set of [this.solid, this.clear, this.edge]) set[mode].color = colour[mode];
  }

  private item(i: number): Item {
    while (this.items.length <= i) {
      const item: Item = {
        root: new THREE.Group(),
        dot: new THREE.Mesh(ContactGlyphs.ball, this.solid.none),
        cone: new THREE.Mesh(ContactGlyphs.cone, this.clear.none),
        rim: new THREE.LineLoop(ContactGlyphs.rim, this.edge.none),
        normal: new Arrow(this.solid.none),
        arrow: new Arrow(this.solid.none),
        ring: new THREE.Mesh(ContactGlyphs.ring, this.solid.none),
      };
      item.cone.add(item.rim);
      item.cone.renderOrder = item.rim.renderOrder = 1;
      item.normal.root.traverse((part) => (part.renderOrder = 2));
      item.arrow.root.traverse((part) => (part.renderOrder = 3));
      item.dot.renderOrder = 4;
      item.ring.renderOrder = 3;
      item.root.add(item.ring, item.dot, item.cone, item.normal.root, item.arrow.root);
      this.items.push(item);
      this.root.add(item.root);
    }
    return this.items[i];
  }

  /** size: of the mechanism, m; by: how many times as large as usual they are drawn. */
  set(list: Glyph[], size: number, by = 1): void {
    list.forEach((glyph, i) => {
      const { root, dot, cone, rim, normal, arrow, ring } = this.item(i), limit = glyph.joint !== undefined && glyph.joint >= 0;
      const point = new THREE.Vector3().fromArray(glyph.point as number[]), n = new THREE.Vector3().fromArray(glyph.normal as number[]);
      const length = glyph.arrow ? Math.hypot(glyph.arrow[0], glyph.arrow[1], glyph.arrow[2]) * (glyph.scale ?? 1) : 0;
      root.visible = true;
      dot.position.copy(point);
      dot.scale.setScalar((limit ? 0.006 : 0.011) * size * Math.sqrt(by)); // limits stand as close as joints: fingers have many
      dot.material = this.solid[glyph.mode];
      const reach = 0.15 * size * by, wide = Math.min(glyph.mu, 12); // a cone is cut where its rim is a reach away from its apex
      const height = reach / Math.hypot(1, wide);
      cone.visible = glyph.mu > 0 && !limit;
      cone.position.copy(point);
      cone.quaternion.setFromUnitVectors(UP, n.lengthSq() > 0 ? n : UP);
      cone.scale.set(wide * height, height, wide * height);
      cone.material = this.clear[glyph.mode];
      rim.material = this.edge[glyph.mode];
      normal.root.visible = false;
      if (!limit) normal.set(point, n.clone().multiplyScalar(1.2 * reach), 0.002 * size, this.solid.none);
      // a limit that stops a turn pushes about its axis
      ring.visible = limit && glyph.turns === true;
      ring.position.copy(point);
      ring.quaternion.copy(cone.quaternion);
      ring.scale.setScalar(Math.min(MOST * size, 0.02 * size + 0.4 * length * by));
      ring.material = this.solid[glyph.mode];
      arrow.root.visible = false;
      if (glyph.arrow && !ring.visible && length > 0) {
        const drawn = Math.min(length * by, MOST * size); // never out of the picture
        arrow.set(point, new THREE.Vector3().fromArray(glyph.arrow as number[]).setLength(drawn), 0.006 * size, this.solid[glyph.mode]);
      }
    });
    for (let i = list.length; i < this.items.length; i++) this.items[i].root.visible = false;
  }
}
