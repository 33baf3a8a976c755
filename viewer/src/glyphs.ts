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
}

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

interface Item { root: THREE.Group; dot: THREE.Mesh; cone: THREE.Mesh; rim: THREE.LineLoop; normal: Arrow; arrow: Arrow }

export class ContactGlyphs {
  readonly root = new THREE.Group();
  private readonly items: Item[] = [];
  private readonly solid: Record<Mode, THREE.MeshBasicMaterial>;
  private readonly clear: Record<Mode, THREE.MeshBasicMaterial>;
  private readonly edge: Record<Mode, THREE.LineBasicMaterial>;
  private static readonly ball = new THREE.SphereGeometry(1, 20, 14);
  private static readonly cone = new THREE.ConeGeometry(1, 1, 40, 1, true).rotateX(Math.PI).translate(0, 0.5, 0); // apex at 0, opens along y
  private static readonly rim = new THREE.BufferGeometry().setFromPoints(
    Array.from({ length: 40 }, (_, i) => new THREE.Vector3(Math.cos((i * Math.PI) / 20), 1, Math.sin((i * Math.PI) / 20))));

  constructor() {
    const each = <T>(make: () => T) => ({ none: make(), separate: make(), stick: make(), slip: make() });
    this.solid = each(() => new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }));
    this.clear = each(() => new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.18, side: THREE.DoubleSide, depthWrite: false, depthTest: false }));
    this.edge = each(() => new THREE.LineBasicMaterial({ transparent: true, opacity: 0.6, depthTest: false }));
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
      };
      item.cone.add(item.rim);
      item.cone.renderOrder = item.rim.renderOrder = 1;
      item.normal.root.traverse((part) => (part.renderOrder = 2));
      item.arrow.root.traverse((part) => (part.renderOrder = 3));
      item.dot.renderOrder = 4;
      item.root.add(item.dot, item.cone, item.normal.root, item.arrow.root);
      this.items.push(item);
      this.root.add(item.root);
    }
    return this.items[i];
  }

  /** size: of the mechanism, m. */
  set(list: Glyph[], size: number): void {
    list.forEach((glyph, i) => {
      const { root, dot, cone, rim, normal, arrow } = this.item(i);
      const point = new THREE.Vector3().fromArray(glyph.point as number[]), n = new THREE.Vector3().fromArray(glyph.normal as number[]);
      root.visible = true;
      dot.position.copy(point);
      dot.scale.setScalar(0.016 * size);
      dot.material = this.solid[glyph.mode];
      const reach = 0.2 * size, wide = Math.min(glyph.mu, 12); // a cone is cut where its rim is a reach away from its apex
      const height = reach / Math.hypot(1, wide);
      cone.visible = glyph.mu > 0;
      cone.position.copy(point);
      cone.quaternion.setFromUnitVectors(UP, n);
      cone.scale.set(wide * height, height, wide * height);
      cone.material = this.clear[glyph.mode];
      rim.material = this.edge[glyph.mode];
      normal.set(point, n.clone().multiplyScalar(0.24 * size), 0.003 * size, this.solid.none);
      arrow.root.visible = false;
      if (glyph.arrow) arrow.set(point, new THREE.Vector3().fromArray(glyph.arrow as number[]).multiplyScalar(glyph.scale ?? 1), 0.008 * size, this.solid[glyph.mode]);
    });
    for (let i = list.length; i < this.items.length; i++) this.items[i].root.visible = false;
  }
}
