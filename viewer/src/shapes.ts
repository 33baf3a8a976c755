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

function meshGeometry(mesh: SceneMesh): THREE.BufferGeometry {
  const { vert, face } = meshArrays(mesh);
  if (face.length === 0) {
    const points: THREE.Vector3[] = [];
    for (let i = 0; i + 2 < vert.length; i += 3) points.push(new THREE.Vector3(vert[i], vert[i + 1], vert[i + 2]));
    return points.length > 3 ? new ConvexGeometry(points) : new THREE.BufferGeometry().setFromPoints(points);
  }
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute("position", new THREE.BufferAttribute(vert, 3));
  indexed.setIndex(new THREE.BufferAttribute(face, 1));
  const flat = indexed.toNonIndexed(); // one normal a face
  flat.computeVertexNormals();
  return flat;
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
