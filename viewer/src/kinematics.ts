// Poses of all bodies from qpos, as src/tree computes them, and motion along a velocity. MuJoCo's order and meaning: free joints have
// x y z qw qx qy qz with linear velocity in the world and angular velocity in the body; quaternions are w x y z.
import type { Scene } from "./data";

type Numbers = ArrayLike<number>;

export function quatMul(a: Numbers, b: Numbers): [number, number, number, number] {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

export function rotate(q: Numbers, v: Numbers): [number, number, number] {
  const [w, x, y, z] = [q[0], q[1], q[2], q[3]];
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

function unit(q: Numbers): [number, number, number, number] {
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
  return length > 0 ? [q[0] / length, q[1] / length, q[2] / length, q[3] / length] : [1, 0, 0, 0];
}

function axisAngle(axis: Numbers, angle: number): [number, number, number, number] {
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]];
}

/** exp of a rotation vector. */
function exponential(w: Numbers): [number, number, number, number] {
  const angle = Math.hypot(w[0], w[1], w[2]);
  return angle > 1e-12 ? axisAngle([w[0] / angle, w[1] / angle, w[2] / angle], angle) : [1, w[0] / 2, w[1] / 2, w[2] / 2];
}

export interface Poses { pos: Float64Array; quat: Float64Array } // nbody x 3, nbody x 4

export function poses(scene: Scene, qpos: Numbers): Poses {
  const n = scene.bodies.length, pos = new Float64Array(3 * n), quat = new Float64Array(4 * n);
  let joint = 0;
  scene.bodies.forEach((body, b) => {
    let p: [number, number, number] = [0, 0, 0], q: [number, number, number, number] = [1, 0, 0, 0];
    if (b > 0) {
      const up = quat.subarray(4 * body.parent, 4 * body.parent + 4), from = pos.subarray(3 * body.parent, 3 * body.parent + 3);
      const moved = rotate(up, body.pos);
      p = [from[0] + moved[0], from[1] + moved[1], from[2] + moved[2]];
      q = quatMul(up, unit(body.quat));
    }
    for (; joint < scene.joints.length && scene.joints[joint].body === b; joint++) {
      const j = scene.joints[joint], at = j.q;
      if (j.type === "free") {
        p = [qpos[at], qpos[at + 1], qpos[at + 2]];
        q = unit([qpos[at + 3], qpos[at + 4], qpos[at + 5], qpos[at + 6]]);
      } else if (j.type === "slide") {
        const axis = rotate(q, j.axis), d = qpos[at] - j.ref;
        p = [p[0] + d * axis[0], p[1] + d * axis[1], p[2] + d * axis[2]];
      } else {
        const before = rotate(q, j.pos);
        const turn = j.type === "ball" ? unit([qpos[at], qpos[at + 1], qpos[at + 2], qpos[at + 3]]) : axisAngle(j.axis, qpos[at] - j.ref);
        q = quatMul(q, turn);
        const after = rotate(q, j.pos); // the anchor stays where it was
        p = [p[0] + before[0] - after[0], p[1] + before[1] - after[1], p[2] + before[2] - after[2]];
      }
    }
    pos.set(p, 3 * b);
    quat.set(unit(q), 4 * b);
  });
  return { pos, quat };
}

/** qpos moved along qvel for a time h. */
export function integrate(scene: Scene, qpos: Numbers, qvel: Numbers, h: number): Float64Array {
  const out = Float64Array.from({ length: scene.nq }, (_, i) => qpos[i]);
  for (const j of scene.joints) {
    if (j.type === "slide" || j.type === "hinge") {
      out[j.q] += h * qvel[j.v];
      continue;
    }
    const linear = j.type === "free" ? 3 : 0;
    for (let i = 0; i < linear; i++) out[j.q + i] += h * qvel[j.v + i];
    const w = [0, 1, 2].map((i) => h * qvel[j.v + linear + i]);
    out.set(unit(quatMul(out.subarray(j.q + linear, j.q + linear + 4), exponential(w))), j.q + linear);
  }
  return out;
}

/** Between two configurations, s from 0 to 1: quaternions along the shorter arc, the rest in a straight line. */
export function between(scene: Scene, a: Numbers, b: Numbers, s: number): Float64Array {
  const out = Float64Array.from({ length: scene.nq }, (_, i) => a[i] + s * (b[i] - a[i]));
  for (const j of scene.joints) {
    if (j.type !== "free" && j.type !== "ball") continue;
    const at = j.q + (j.type === "free" ? 3 : 0);
    let dot = 0;
    for (let i = 0; i < 4; i++) dot += a[at + i] * b[at + i];
    const sign = dot < 0 ? -1 : 1;
    // frames are close to each other: the normalised chord is the arc to third order of their angle
    out.set(unit([0, 1, 2, 3].map((i) => a[at + i] + s * (sign * b[at + i] - a[at + i]))), at);
  }
  return out;
}
