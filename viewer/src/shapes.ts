// Geometry of the geoms, in three.js: centred, long axis z, sizes as in docs/viewer.md.
import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { f32, u16, u32, type Scene, type SceneGeom, type SceneMesh } from "./data";

/** Vertices and faces of a mesh; a large one has 16 bits a number, its vertices as steps of a box. */
function meshArrays(mesh: SceneMesh): { vert: Float32Array; face: Uint32Array | Uint16Array } {
  const { low, high } = mesh;
  if (!low || !high) return { vert: f32(mesh.vert), face: u32(mesh.face) };
  const vert = Float32Array.from(u16(mesh.vert), (step, i) => low[i % 3] + (high[i % 3] - low[i % 3]) * step / 65535);
  return { vert, face: u16(mesh.face) };
}

const CREASE = Math.cos((40 * Math.PI) / 180); // faces that meet at less are one rounded surface
const WELD = 65535; // steps of the box within which vertices are the same

/** The same number for vertices at the same place: a file may give every face its own. */
function weld(vert: Float32Array): Int32Array {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], known = new Map<number, number>();
  vert.forEach((x, i) => { low[i % 3] = Math.min(low[i % 3], x); high[i % 3] = Math.max(high[i % 3], x); });
  const step = WELD / Math.max(1e-30, high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  return Int32Array.from({ length: vert.length / 3 }, (_, v) => {
    const place = [0, 1, 2].reduce((sum, k) => sum * (WELD + 1) + Math.round((vert[3 * v + k] - low[k]) * step), 0);
    const first = known.get(place) ?? v;
    known.set(place, first);
    return first;
  });
}

/** Normals of the corners: of all faces at a vertex that meet this one's smoothly, by their areas. */
function roundedNormals(vert: Float32Array, face: ArrayLike<number>): Float32Array {
  const corners = face.length, place = weld(vert), normal = new Float32Array(corners), out = new Float32Array(3 * corners);
  for (let f = 0; f + 2 < corners; f += 3) {
    const [a, b, c] = [face[f], face[f + 1], face[f + 2]].map((v) => 3 * v), e = [0, 1, 2].map((k) => vert[b + k] - vert[a + k]), g = [0, 1, 2].map((k) => vert[c + k] - vert[a + k]);
    for (let k = 0; k < 3; k++) normal[f + k] = e[(k + 1) % 3] * g[(k + 2) % 3] - e[(k + 2) % 3] * g[(k + 1) % 3];
  }
  const start = new Int32Array(vert.length / 3 + 1), around = new Int32Array(corners); // the faces about each vertex
  for (let i = 0; i < corners; i++) start[place[face[i]] + 1]++;
  for (let v = 0; v + 1 < start.length; v++) start[v + 1] += start[v];
  const next = start.slice();
  for (let i = 0; i < corners; i++) around[next[place[face[i]]]++] = i - (i % 3);
  const size = (f: number) => Math.hypot(normal[f], normal[f + 1], normal[f + 2]);
  for (let i = 0; i < corners; i++) {
    const own = i - (i % 3), v = place[face[i]], mine = size(own);
    for (let j = start[v]; j < start[v + 1]; j++) {
      const f = around[j], dot = normal[own] * normal[f] + normal[own + 1] * normal[f + 1] + normal[own + 2] * normal[f + 2];
      if (f === own || dot >= CREASE * mine * size(f)) for (let k = 0; k < 3; k++) out[3 * i + k] += normal[f + k];
    }
  }
  return out;
}

function meshGeometry(mesh: SceneMesh): THREE.BufferGeometry {
  const { vert, face } = meshArrays(mesh);
  if (face.length === 0) {
    const points: THREE.Vector3[] = [];
    for (let i = 0; i + 2 < vert.length; i += 3) points.push(new THREE.Vector3(vert[i], vert[i + 1], vert[i + 2]));
    return points.length > 3 ? new ConvexGeometry(points) : new THREE.BufferGeometry().setFromPoints(points);
  }
  const surface = new THREE.BufferGeometry(), place = new Float32Array(3 * face.length);
  for (let i = 0; i < face.length; i++) place.set(vert.subarray(3 * face[i], 3 * face[i] + 3), 3 * i);
  surface.setAttribute("position", new THREE.BufferAttribute(place, 3));
  surface.setAttribute("normal", new THREE.BufferAttribute(roundedNormals(vert, face), 3));
  surface.normalizeNormals();
  return surface;
}

/** The geom's surface; planes are drawn apart (View3D). */
export function geomGeometry(geom: SceneGeom, meshes: Scene["meshes"]): THREE.BufferGeometry | null {
  const [a, b, c] = geom.size, upright = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2); // three's long axis is y
  switch (geom.type) {
    case "sphere": return new THREE.SphereGeometry(a, 40, 24);
    case "capsule": return upright(new THREE.CapsuleGeometry(a, 2 * b, 10, 28));
    case "cylinder": return upright(new THREE.CylinderGeometry(a, a, 2 * b, 48));
    case "ellipsoid": return new THREE.SphereGeometry(1, 40, 24).scale(a, b, c);
    case "box": return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    case "mesh": return meshGeometry(meshes[geom.mesh!]);
    case "plane": return null;
  }
}

/** The corners of the box about a geometry. */
export function boxCorners(geometry: THREE.BufferGeometry): THREE.Vector3[] {
  geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox!, out: THREE.Vector3[] = [];
  for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) out.push(new THREE.Vector3(x, y, z));
  return out;
}
