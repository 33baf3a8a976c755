// What can be shown about a mechanism beside its shapes: frames, centres of mass, boxes with the bodies' inertia, axes of the joints.
import * as THREE from "three";
import type { Scene } from "./data";

export type Overlay = "frames" | "centres" | "inertia" | "collision" | "joints";
export const OVERLAYS: Overlay[] = ["frames", "centres", "inertia", "collision", "joints"];

const line = (colour: number) => new THREE.LineBasicMaterial({ toneMapped: false, color: colour, depthTest: false, transparent: true });
const AXES = [line(0xd0433a), line(0x3a9a4a), line(0x3f6fd8)];

function frame(size: number): THREE.Group {
  const group = new THREE.Group();
  AXES.forEach((material, k) => {
    const end = new THREE.Vector3().setComponent(k, size);
    group.add(new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), end]), material));
  });
  return group;
}

/** Half sides of the homogeneous box that has this mass and these principal moments: I_x = m (b^2 + c^2) / 3. */
function halfSides(mass: number, [ix, iy, iz]: number[]): number[] {
  return [iy + iz - ix, iz + ix - iy, ix + iy - iz].map((twice) => Math.sqrt(Math.max(0, (1.5 * twice) / mass)));
}

/** Adds the overlays to the bodies' groups, hidden; returns them by their names. */
export function addOverlays(scene: Scene, bodies: THREE.Group[], size: number): Record<Overlay, THREE.Object3D[]> {
  const out: Record<Overlay, THREE.Object3D[]> = { frames: [], centres: [], inertia: [], collision: [], joints: [] };
  const add = (kind: Overlay, body: number, object: THREE.Object3D) => {
    object.visible = false;
    object.traverse((part) => { part.renderOrder = 5; });
    bodies[body].add(object);
    out[kind].push(object);
  };
  const heaviest = Math.max(...scene.bodies.map((body) => body.mass ?? 0), 1e-300);
  const ball = new THREE.SphereGeometry(1, 16, 12), dark = new THREE.MeshBasicMaterial({ toneMapped: false, color: 0xd0433a, depthTest: false, transparent: true, opacity: 0.85 });
  const box = new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2)), edge = line(0xb06ad0);
  scene.bodies.forEach((body, b) => {
    if (b > 0) add("frames", b, frame(0.09 * size));
    if (!body.mass || !body.ipos || !body.iquat || !body.inertia) return;
    const centre = new THREE.Mesh(ball, dark);
    centre.position.fromArray(body.ipos);
    centre.scale.setScalar(0.022 * size * Math.cbrt(Math.max(0.02, body.mass / heaviest)));
    add("centres", b, centre);
    const sides = new THREE.LineSegments(box, edge);
    sides.position.fromArray(body.ipos);
    sides.quaternion.set(body.iquat[1], body.iquat[2], body.iquat[3], body.iquat[0]);
    sides.scale.fromArray(halfSides(body.mass, body.inertia).map((x) => Math.max(x, 1e-6 * size)));
    add("inertia", b, sides);
  });
  const amber = line(0xd89a1e);
  for (const joint of scene.joints) {
    if (joint.type !== "hinge" && joint.type !== "slide") continue;
    const at = new THREE.Vector3().fromArray(joint.pos), along = new THREE.Vector3().fromArray(joint.axis).multiplyScalar(0.07 * size);
    add("joints", joint.body, new THREE.Line(new THREE.BufferGeometry().setFromPoints([at.clone().sub(along), at.clone().add(along)]), amber));
  }
  return out;
}
