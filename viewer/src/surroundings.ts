// What a mechanism stands in: daylight from a room and a sun, a backdrop, and floors with a grid that fade out with the distance.
import * as THREE from "three";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { ticks } from "./chart";
import { colour } from "./theme";

const SUN = new THREE.Vector3(-0.8, -1.2, 2.4).normalize(); // towards it
const SHADOW_PIXELS = 2048;
const REACH = 3.2; // of the span that is looked at: where an endless floor has faded out
const GRID_LINES = 8; // about so many over the span; every fifth is stronger

/** A floor: its colour, lines about a pixel wide however near or far they are, and an end in the mist where it has none of its own. */
const FLOOR = {
  vertex: `varying vec2 at;
    void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
  fragment: `uniform vec3 ground, line; uniform vec2 middle; uniform float cell, reach; varying vec2 at;
    float lines(vec2 p) {
      vec2 w = fwidth(p), d = abs(fract(p - 0.5) - 0.5) / w;
      return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, max(w.x, w.y))); // lines that run together are none
    }
    void main() {
      float here = reach > 0.0 ? 1.0 - smoothstep(0.15, 1.0, length(at - middle) / reach) : 1.0;
      float drawn = max(0.5 * lines(at / cell), lines(at / (5.0 * cell)));
      gl_FragColor = vec4(mix(ground, line, drawn), gl_FrontFacing ? here : 0.3 * here); // from below one looks through it
      #include <colorspace_fragment>
    }`,
};

interface Floor { place: THREE.Object3D; size: number[]; paint: THREE.ShaderMaterial }

export class Surroundings {
  private readonly floors: Floor[] = [];
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2);
  private readonly shade = new THREE.ShadowMaterial({ opacity: 0.3, depthWrite: false });
  private lit = 0; // radius of what the sun throws shadows of, m

  constructor(private readonly space: THREE.Scene) {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.radius = 3;
    space.add(this.sun, this.sun.target);
  }

  /** The light of a room, from all sides. */
  light(renderer: THREE.WebGLRenderer): void {
    const filter = new THREE.PMREMGenerator(renderer), room = new RoomEnvironment();
    this.space.environment = filter.fromScene(room, 0.04).texture;
    room.dispose();
    filter.dispose();
  }

  /** A plane through the origin of `place`, with its half sides where it has some. */
  addFloor(place: THREE.Object3D, size: number[]): void {
    const vector = () => ({ value: new THREE.Color() });
    const paint = new THREE.ShaderMaterial({
      vertexShader: FLOOR.vertex, fragmentShader: FLOOR.fragment, transparent: true, side: THREE.DoubleSide,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 16, // well under the shadow that lies on it
      uniforms: { ground: vector(), line: vector(), middle: { value: new THREE.Vector2() }, cell: { value: 1 }, reach: { value: 0 } },
    });
    this.floors.push({ place, size, paint });
  }

  /** The floors where things happen: an endless one is drawn about the centre, as far as one looks. */
  spread(span: number, centre: THREE.Vector3): void {
    const cell = ticks(0, span, GRID_LINES)[1] ?? 1, reach = REACH * span;
    for (const { place, size: [sx, sy], paint } of this.floors) {
      place.clear();
      place.updateWorldMatrix(true, false);
      const middle = place.worldToLocal(centre.clone()), endless = !(sx > 0 && sy > 0);
      const [hx, hy] = [sx > 0 ? sx : reach, sy > 0 ? sy : reach], [cx, cy] = [sx > 0 ? 0 : middle.x, sy > 0 ? 0 : middle.y];
      paint.uniforms.cell.value = cell;
      paint.uniforms.reach.value = endless ? reach : 0;
      (paint.uniforms.middle.value as THREE.Vector2).set(cx, cy);
      const sheet = new THREE.PlaneGeometry(2 * hx, 2 * hy).translate(cx, cy, 0);
      const floor = new THREE.Mesh(sheet, paint), shade = new THREE.Mesh(sheet, this.shade);
      floor.renderOrder = -2; // under everything else that lets light through
      shade.renderOrder = -1;
      shade.receiveShadow = true;
      place.add(floor, shade);
    }
  }

  /** Shadows are sharpest where the light's box is smallest: it stays about what is there now. */
  aim(centre: THREE.Vector3, radius: number): void {
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).addScaledVector(SUN, 4 * radius);
    if (radius <= this.lit && radius > 0.5 * this.lit) return; // a box that breathes would make the shadow's rim crawl
    const box = this.sun.shadow.camera, half = 1.25 * radius;
    this.lit = half;
    box.left = box.bottom = -half;
    box.right = box.top = half;
    box.near = 0.01 * radius;
    box.far = 60 * radius; // a thing that is high up throws its shadow far
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * radius;
  }

  /** The colours of the page's style. */
  paint(dark: boolean): void {
    this.space.background = backdrop(colour("--sky"), colour("--scene"));
    this.space.environmentIntensity = dark ? 0.45 : 0.6;
    this.sun.intensity = dark ? 1.7 : 2;
    this.shade.opacity = dark ? 0.38 : 0.24;
    for (const { paint } of this.floors) {
      (paint.uniforms.ground.value as THREE.Color).set(colour("--floor"));
      (paint.uniforms.line.value as THREE.Color).set(colour("--grid"));
    }
  }
}

/** From one colour above to another below. */
function backdrop(above: string, below: string): THREE.Texture {
  const sheet = document.createElement("canvas"), flat = sheet.getContext("2d")!;
  [sheet.width, sheet.height] = [2, 256];
  const fade = flat.createLinearGradient(0, 0, 0, sheet.height);
  fade.addColorStop(0, above);
  fade.addColorStop(1, below);
  flat.fillStyle = fade;
  flat.fillRect(0, 0, sheet.width, sheet.height);
  const texture = new THREE.CanvasTexture(sheet);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
