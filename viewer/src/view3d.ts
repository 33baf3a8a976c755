// The scene: bodies from their geoms, contacts with normals, friction cones and impulses; a camera that orbits and follows.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { ContactGlyphs, type Glyph } from "./glyphs";
import type { Scene, SceneGeom, SceneVisual } from "./data";
import { h } from "./dom";
import { Gizmo } from "./gizmo";
import { poses } from "./kinematics";
import { addOverlays, type Overlay } from "./overlays";
import { boxCorners, geomGeometry } from "./shapes";
import { Surroundings } from "./surroundings";
import { calm, colour, isDark } from "./theme";

// muted, told apart also by lightness
const BODY_COLOURS = [0x6f9bc4, 0xd0a15a, 0x7fb08a, 0xb98bb5, 0xc98474, 0x8fa3ad, 0xb5ae6a, 0x7d8fc9];

const GLOW = 0x1c2a3a; // added to the colour of the body under the pointer
const MOST_POINTS = 150; // of a shape, that are kept out of the floor

export type ViewName = "oblique" | "front" | "side" | "top";
export const VIEWS: ViewName[] = ["oblique", "front", "side", "top"];
const DIRECTION: Record<ViewName, [number, number, number]> = {
  oblique: [0.45, -1, 0.36],
  front: [0, -1, 0.0001],
  side: [1, 0.0001, 0],
  top: [0, -0.0001, 1],
};
const FLAT: [number, number, number] = [0.22, -1, 0.2]; // oblique for a planar mechanism

export class View3D {
  readonly root: HTMLElement;
  readonly glyphs: ContactGlyphs;
  readonly ok: boolean;
  size = 1; // of what moves, m
  private renderer?: THREE.WebGLRenderer;
  private readonly space = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  private controls?: OrbitControls;
  private readonly bodies: THREE.Group[] = [];
  private readonly planes: THREE.Object3D[] = [];
  private readonly corners: THREE.Vector3[][] = []; // of the boxes about a moving body's geoms, in its frame; of its base too
  private readonly points: THREE.Vector3[][] = []; // on a moving body's surface, in its frame
  private readonly reach: number[] = []; // of a body's shapes from its origin, m
  private current!: ReturnType<typeof poses>;
  private followed = -1;
  private centre = new THREE.Vector3();
  private readonly box = new THREE.Box3(); // about all that moves, over the whole motion
  private looking: ViewName | undefined; // the view that stands as it was chosen; undefined: the camera was moved by hand
  private asked = false;
  private overlays!: Record<Overlay, THREE.Object3D[]>;
  private readonly shown: THREE.Mesh[] = []; // what can be pointed at
  private readonly tip = h("div", { class: "tip-3d", "aria-hidden": "true" });
  private ghosts: THREE.Group[] = [];
  private glyphScale = 1;
  private lastGlyphs: Glyph[] = [];
  private readonly paper = h("canvas", { class: "paper", "aria-hidden": "true" });
  private readonly gizmo = new Gizmo();
  private readonly surroundings = new Surroundings(this.space);
  private over = -1; // the body under the pointer

  constructor(public scene: Scene, label: string, className = "view") {
    this.root = h("div", { class: className, tabindex: 0, role: "img", "aria-label": label });
    this.glyphs = new ContactGlyphs();
    this.space.add(this.glyphs.root);
    this.build();
    this.setPose(scene.qpos);
    this.frame([scene.qpos]);
    const own = this.overlays.collision;
    this.overlays = addOverlays(scene, this.bodies, this.size);
    this.overlays.collision = own;
    try {
      this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: false, preserveDrawingBuffer: true });
    } catch {
      this.root.append(h("p", { class: "explain" }, "The 3-D scene needs WebGL, which this browser does not offer here."));
    }
    this.ok = this.renderer !== undefined;
    if (this.renderer) this.start(this.renderer);
  }

  private start(renderer: THREE.WebGLRenderer): void {
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    renderer.toneMapping = THREE.NeutralToneMapping;
    this.surroundings.light(renderer);
    this.root.append(renderer.domElement, this.paper, this.gizmo.root, this.tip);
    for (const kind of ["pointermove", "pointerdown"] as const) renderer.domElement.addEventListener(kind, (event) => this.pointed(event));
    renderer.domElement.addEventListener("pointerleave", () => this.point(null, 0, 0));
    this.controls = new OrbitControls(this.camera, renderer.domElement);
    this.controls.enableDamping = !calm();
    this.controls.dampingFactor = 0.15;
    this.controls.addEventListener("change", () => this.ask());
    this.controls.addEventListener("start", () => { this.looking = undefined; });
    this.look("oblique");
    this.colours();
    window.addEventListener("cradle-theme", () => { this.colours(); this.draw(); this.copy(); });
    new ResizeObserver(() => this.resize()).observe(this.root);
    this.resize();
  }

  // ------------------------------------------------------------------------------------------------ what is drawn

  private build(): void {
    const { scene } = this;
    for (const _ of scene.bodies) {
      const group = new THREE.Group();
      this.bodies.push(group);
      this.space.add(group);
      this.corners.push([]);
      this.points.push([]);
      this.reach.push(0);
    }
    // a body is drawn by what is for show; what only touches can be switched on. MuJoCo's custom: groups from 3 up are for collision
    const carries = this.carriers();
    const visuals = scene.visuals ?? [], moving = scene.bodies.map((body, b) => (body.fixed ? -1 : b)).filter((b) => b >= 0);
    const showy = scene.bodies.map((_, b) => visuals.some((v) => v.body === b && v.group < 3) || scene.geoms.some((g) => g.body === b && g.group < 3 && g.type !== "plane"));
    const named = scene.bodies.map((_, b) => visuals.some((v) => v.body === b && v.group < 3));
    this.overlays = { frames: [], centres: [], inertia: [], collision: [], joints: [] };
    for (const geom of scene.geoms) {
      if (geom.type === "plane") { this.addPlane(geom); continue; }
      const hidden = geom.group >= 3 ? showy[geom.body] : named[geom.body] && geom.rgba === undefined;
      this.addGeom(geom, moving.indexOf(geom.body), hidden, carries[geom.body]);
    }
    for (const visual of visuals) if (visual.group < 3 && visual.type !== "plane") this.addGeom(visual, moving.indexOf(visual.body), false, carries[visual.body]);
  }

  /** Bodies that are fixed and have one on them that moves: the base of an arm, unlike a wall or a table. */
  private carriers(): boolean[] {
    const { bodies } = this.scene, out = bodies.map(() => false);
    for (const body of bodies) if (!body.fixed) for (let b = body.parent; b > 0 && bodies[b].fixed && !out[b]; b = bodies[b].parent) out[b] = true;
    return out;
  }

  /** order: of the body among those that move, -1: it does not; framed: it belongs into the picture all the same. */
  private addGeom(geom: SceneGeom | SceneVisual, order: number, hidden: boolean, framed: boolean): void {
    const geometry = geomGeometry(geom as SceneGeom, this.scene.meshes);
    if (!geometry) return;
    const usual = order < 0 ? 0x9b9b95 : BODY_COLOURS[order % BODY_COLOURS.length], { rgba } = geom;
    // MuJoCo's own grey says that the file names no colour
    const plain = !rgba || rgba.slice(0, 3).every((x) => Math.abs(x - 0.5) < 1e-3), alpha = rgba?.[3] ?? 1;
    const tint = plain ? new THREE.Color(usual) : new THREE.Color().setRGB(rgba[0], rgba[1], rgba[2], THREE.SRGBColorSpace);
    const material = hidden ? new THREE.MeshBasicMaterial({ color: 0xd89a1e, wireframe: true, transparent: true, opacity: 0.35 })
      : new THREE.MeshStandardMaterial({ color: tint, roughness: 0.55, side: geom.type === "mesh" ? THREE.DoubleSide : THREE.FrontSide, transparent: alpha < 1, opacity: Math.max(alpha, 0.05) });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.position.fromArray(geom.pos);
    mesh.quaternion.set(geom.quat[1], geom.quat[2], geom.quat[3], geom.quat[0]);
    mesh.castShadow = mesh.receiveShadow = !hidden && alpha >= 1;
    mesh.userData = { body: geom.body, name: geom.name };
    if (!hidden) {
      geometry.computeBoundingSphere();
      this.reach[geom.body] = Math.max(this.reach[geom.body], mesh.position.length() + geometry.boundingSphere!.center.length() + geometry.boundingSphere!.radius);
    }
    this.bodies[geom.body].add(mesh);
    mesh.visible = !hidden;
    if (hidden) this.overlays.collision.push(mesh);
    else this.shown.push(mesh);
    if (order < 0 && !framed) return;
    mesh.updateMatrix();
    for (const corner of boxCorners(geometry)) this.corners[geom.body].push(corner.applyMatrix4(mesh.matrix));
    if (order < 0 || !("collides" in geom) || !geom.collides) return;
    const vertex = geometry.getAttribute("position"), stride = Math.max(1, Math.ceil(vertex.count / MOST_POINTS));
    for (let i = 0; i < vertex.count; i += stride) this.points[geom.body].push(new THREE.Vector3().fromBufferAttribute(vertex, i).applyMatrix4(mesh.matrix));
  }

  private addPlane(geom: SceneGeom): void {
    const patch = new THREE.Group();
    patch.position.fromArray(geom.pos);
    patch.quaternion.set(geom.quat[1], geom.quat[2], geom.quat[3], geom.quat[0]);
    this.bodies[geom.body].add(patch);
    this.planes.push(patch);
    this.surroundings.addFloor(patch, geom.size);
  }

  private colours(): void {
    const named = (name: string) => new THREE.Color(colour(name));
    this.surroundings.paint(isDark());
    this.glyphs.paint(named("--stick"), named("--slip"), named("--open"));
  }

  // ------------------------------------------------------------------------------------------------ motion

  setPose(qpos: ArrayLike<number>): void {
    this.current = poses(this.scene, qpos);
    this.placeBodies(this.bodies, this.current);
    this.aim();
    if (this.followed >= 0) this.moveTo(this.bodies[this.followed].position);
    this.ask();
  }

  private placeBodies(groups: THREE.Group[], { pos, quat }: ReturnType<typeof poses>): void {
    groups.forEach((group, b) => {
      group.position.set(pos[3 * b], pos[3 * b + 1], pos[3 * b + 2]);
      group.quaternion.set(quat[4 * b + 1], quat[4 * b + 2], quat[4 * b + 3], quat[4 * b]);
    });
  }

  /** Position and quaternion (w x y z) of a body as drawn. */
  pose(body: number): { pos: number[]; quat: number[] } {
    const group = this.bodies[body];
    return { pos: group.position.toArray(), quat: [group.quaternion.w, group.quaternion.x, group.quaternion.y, group.quaternion.z] };
  }

  setContacts(list: Glyph[]): void {
    this.lastGlyphs = list;
    this.glyphs.set(list.map((glyph) => this.placed(glyph)), this.size, this.glyphScale);
    this.ask();
  }

  /** The limit of a joint lies on the joint, whatever the pose. */
  private placed(glyph: Glyph): Glyph {
    const joint = glyph.joint === undefined || glyph.joint < 0 ? undefined : this.scene.joints[glyph.joint];
    if (!joint) return glyph;
    const group = this.bodies[joint.body];
    const point = new THREE.Vector3().fromArray(joint.pos).applyQuaternion(group.quaternion).add(group.position);
    const normal = new THREE.Vector3().fromArray(joint.axis).applyQuaternion(group.quaternion);
    return { ...glyph, point: point.toArray(), normal: normal.toArray(), turns: joint.type !== "slide" };
  }

  /** Arrows and cones so many times as large as usual. */
  scaleGlyphs(by: number): void {
    this.glyphScale = by;
    this.setContacts(this.lastGlyphs);
  }

  overlay(kind: Overlay, on: boolean): void {
    for (const object of this.overlays[kind]) object.visible = on;
    this.ask();
  }

  /** The mechanism once more, faint, for another run. */
  ghost(on: boolean): void {
    for (const group of this.ghosts) this.space.remove(group);
    this.ghosts = [];
    if (on) {
      const faint = new THREE.MeshBasicMaterial({ color: 0x9aa0a8, transparent: true, opacity: 0.28, depthWrite: false });
      this.bodies.forEach((body, b) => {
        const group = new THREE.Group();
        if (!this.scene.bodies[b].fixed)
          for (const mesh of this.shown) {
            if (mesh.parent !== body) continue;
            const copy = new THREE.Mesh(mesh.geometry, faint);
            copy.position.copy(mesh.position);
            copy.quaternion.copy(mesh.quaternion);
            group.add(copy);
          }
        this.ghosts.push(group);
        this.space.add(group);
      });
    }
    this.ask();
  }
  setGhost(qpos: ArrayLike<number>): void {
    if (this.ghosts.length) this.placeBodies(this.ghosts, poses(this.scene, qpos));
    this.ask();
  }

  /** The same mechanism at another state, with other contacts. */
  adopt(scene: Scene): void {
    this.scene = scene;
    this.follow(-1);
    this.ghost(false);
    this.setPose(scene.qpos);
    this.setContacts([]);
  }

  /** The sun shines on the bodies that move, and on what is fixed near them. */
  private aim(): void {
    const spheres = this.bodies.flatMap((body, b) => (this.reach[b] > 0 ? [{ at: body.position, r: this.reach[b], fixed: this.scene.bodies[b].fixed }] : []));
    const moving = spheres.filter(({ fixed }) => !fixed), some = moving.length ? moving : spheres;
    if (!some.length) return;
    const centre = some.reduce((sum, { at }) => sum.add(at), new THREE.Vector3()).divideScalar(some.length);
    const about = (list: typeof spheres) => Math.max(...list.map(({ at, r }) => at.distanceTo(centre) + r));
    this.surroundings.aim(centre, Math.min(about(spheres), 3 * about(some)));
  }

  /** Says what lies under the pointer; a finger asks by touching it. */
  private pointed(event: PointerEvent): void {
    const box = this.renderer!.domElement.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    if (event.type === "pointermove" && event.buttons) return this.point(null, x, y);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), this.camera);
    this.point(ray.intersectObjects(this.shown, false)[0]?.object ?? null, x, y);
  }

  private point(object: THREE.Object3D | null, x: number, y: number): void {
    const { body, name } = (object?.userData ?? { body: -1, name: "" }) as { body: number; name: string };
    this.tip.style.display = object ? "block" : "none";
    if (body !== this.over) {
      this.over = body;
      for (const mesh of this.shown) (mesh.material as THREE.MeshStandardMaterial).emissive.setHex(mesh.userData.body === body ? GLOW : 0);
      this.ask();
    }
    if (!object) return;
    const joints = this.scene.joints.filter((joint) => joint.body === body).map((joint) => joint.name).filter(Boolean);
    this.tip.textContent = [this.scene.bodies[body].name || `body ${body}`, name && `geom ${name}`, joints.length && `joint ${joints.join(", ")}`].filter(Boolean).join(" · ");
    this.tip.style.left = `${Math.min(x + 12, Math.max(0, this.root.clientWidth - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${Math.max(2, y - 30)}px`;
  }

  // ------------------------------------------------------------------------------------------------ camera

  private include(box: THREE.Box3, qpos: ArrayLike<number>): void {
    const { pos, quat } = poses(this.scene, qpos), turn = new THREE.Quaternion(), at = new THREE.Vector3();
    this.corners.forEach((corners, b) => {
      turn.set(quat[4 * b + 1], quat[4 * b + 2], quat[4 * b + 3], quat[4 * b]);
      for (const corner of corners) box.expandByPoint(at.copy(corner).applyQuaternion(turn).add(new THREE.Vector3().fromArray(pos, 3 * b)));
    });
  }

  /** The least height over the planes of what is fixed, m; negative in them. Infinite without planes. */
  clearance(qpos: ArrayLike<number>): number {
    const { pos, quat } = poses(this.scene, qpos), turn = new THREE.Quaternion(), at = new THREE.Vector3();
    let least = Infinity;
    for (const plane of this.planes) {
      plane.updateWorldMatrix(true, false);
      const normal = new THREE.Vector3(0, 0, 1).transformDirection(plane.matrixWorld), origin = new THREE.Vector3().setFromMatrixPosition(plane.matrixWorld);
      this.points.forEach((points, b) => {
        turn.set(quat[4 * b + 1], quat[4 * b + 2], quat[4 * b + 3], quat[4 * b]);
        for (const point of points) least = Math.min(least, at.copy(point).applyQuaternion(turn).add(new THREE.Vector3().fromArray(pos, 3 * b)).sub(origin).dot(normal));
      });
    }
    return least;
  }

  /** Everything moves in the x-z plane. */
  private get planar(): boolean {
    return this.scene.joints.every((j) => (j.type === "slide" ? Math.abs(j.axis[1]) < 1e-6 : j.type === "hinge" && Math.abs(j.axis[1]) > 1 - 1e-6));
  }

  /** Makes room for all these configurations. */
  frame(configurations: ArrayLike<number>[]): void {
    const box = new THREE.Box3();
    for (const qpos of configurations) this.include(box, qpos);
    if (box.isEmpty()) box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
    box.getCenter(this.centre);
    const here = new THREE.Box3();
    this.include(here, this.scene.qpos);
    this.size = here.isEmpty() ? 1 : here.getSize(new THREE.Vector3()).length();
    const span = box.getSize(new THREE.Vector3()).length();
    this.box.copy(box);
    this.camera.near = span / 200;
    this.camera.far = span * 40;
    this.surroundings.spread(span, this.centre);
    this.colours();
    if (this.controls) this.look("oblique");
  }

  /** The same, from the side one looks from; where the camera was moved by hand it stays. */
  reframe(configurations: ArrayLike<number>[]): void {
    const name = this.looking;
    if (!name) return;
    this.frame(configurations);
    this.look(name);
  }

  /** From where the box about the motion just fits the picture, with a margin. */
  private distance(direction: THREE.Vector3): number {
    const half = this.box.getSize(new THREE.Vector3()).multiplyScalar(0.5), slope = 0.76 * Math.tan((this.camera.fov * Math.PI) / 360);
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize(), up = new THREE.Vector3().crossVectors(direction, right);
    let most = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
      const beside = Math.max(Math.abs(corner.dot(up)), Math.abs(corner.dot(right)) / this.camera.aspect);
      most = Math.max(most, corner.dot(direction) + beside / slope);
    }
    return most;
  }

  look(name: ViewName): void {
    const target = this.followed >= 0 ? this.bodies[this.followed].position : this.centre;
    const direction = new THREE.Vector3(...(name === "oblique" && this.planar ? FLAT : DIRECTION[name])).normalize();
    this.looking = name;
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(target).addScaledVector(direction, this.distance(direction));
    this.camera.lookAt(target);
    this.camera.updateProjectionMatrix();
    this.controls?.target.copy(target);
    this.controls?.update();
    this.ask();
  }

  private moveTo(target: THREE.Vector3): void {
    if (!this.controls) return;
    const by = target.clone().sub(this.controls.target);
    this.camera.position.add(by);
    this.controls.target.copy(target);
    this.controls.update();
  }

  /** Keeps this body in the middle; -1: none. */
  follow(body: number): void {
    this.followed = body;
    if (body >= 0) this.moveTo(this.bodies[body].position);
    this.ask();
  }
  get following(): number { return this.followed; }

  // ------------------------------------------------------------------------------------------------ drawing

  private resize(): void {
    if (!this.renderer) return;
    const { clientWidth: width, clientHeight: height } = this.root;
    if (width === 0 || height === 0) return;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.looking) this.look(this.looking); // what was moved by hand stays where it is
    this.renderer.setSize(width, height);
    this.draw();
  }

  /** Draws before the next frame, once, however often it is asked. */
  ask(): void {
    if (this.asked || !this.renderer) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }

  /** The scene as it is drawn now, as PNG. */
  picture(use: (png: Blob) => void): void {
    this.draw();
    this.renderer?.domElement.toBlob((blob) => blob && use(blob), "image/png");
  }

  /** A printer does not wait for WebGL to show its next frame, but takes a flat canvas as it is: the scene is copied to one for paper. */
  private copy(): void {
    if (!this.renderer || !matchMedia("print").matches) return;
    const from = this.renderer.domElement;
    [this.paper.width, this.paper.height] = [from.width, from.height];
    this.paper.getContext("2d")!.drawImage(from, 0, 0);
  }

  /** What is drawn, as a stream of pictures. */
  stream(): MediaStream | null {
    return this.renderer?.domElement.captureStream?.(60) ?? null;
  }

  /** Gives the graphics memory back. */
  close(): void {
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
    this.renderer = undefined;
  }

  /** Draw calls of the last frame. */
  get calls(): number { return this.renderer?.info.render.calls ?? 0; }

  private draw(): void {
    this.asked = false;
    this.controls?.update(); // what was thrown goes on turning for a moment
    this.renderer?.render(this.space, this.camera);
    this.gizmo.show(this.camera);
  }
}
