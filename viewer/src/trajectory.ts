// A trajectory in time: the configuration at any instant, the contacts there, the events around it.
import { f32, f64, lastAtOrBefore, u32, u8, type Run, type RunEvent, type Scene } from "./data";
import type { Glyph, Mode } from "./glyphs";
import { between } from "./kinematics";

const MODES: Mode[] = ["none", "separate", "stick", "slip"];

export class Trajectory {
  readonly t: Float64Array;
  readonly events: RunEvent[];
  private readonly qpos: Float32Array;
  private readonly start: Uint32Array;
  private readonly point: Float32Array;
  private readonly normal: Float32Array;
  private readonly force: Float32Array;
  private readonly name: Uint32Array;
  private readonly mode: Uint8Array;
  private readonly mu: Float32Array;
  private readonly jointOf: (number | undefined)[]; // of the names: the joint whose limit that is
  readonly usualForce: number;

  constructor(private readonly scene: Scene, private readonly run: Run) {
    const c = run.contacts;
    this.t = f64(run.t);
    this.qpos = f32(run.qpos);
    this.start = u32(c.start);
    [this.point, this.normal, this.force, this.mu] = [c.point, c.normal, c.force, c.mu].map(f32);
    this.name = u32(c.name);
    this.mode = u8(c.mode);
    this.events = run.events;
    // a limit has the name of its joint and of its side
    this.jointOf = run.names.map((name) => {
      const of = scene.joints.findIndex((joint) => joint.name && name.startsWith(joint.name) && /^:(lower|upper|limit)(#\d+)?$/.test(name.slice(joint.name.length)));
      return of >= 0 ? of : undefined;
    });
    const sizes: number[] = [];
    for (let i = 0; i + 2 < this.force.length; i += 3) sizes.push(Math.hypot(this.force[i], this.force[i + 1], this.force[i + 2]));
    sizes.sort((a, b) => a - b);
    this.usualForce = sizes[Math.floor(0.9 * (sizes.length - 1))] || 1; // rare peaks would make all else invisible
  }

  /** Coordinates of a frame. */
  get width(): number { return this.t.length ? this.qpos.length / this.t.length : 0; }
  get begin(): number { return this.t[0] ?? 0; }
  get end(): number { return this.t[this.t.length - 1] ?? 0; }

  /** The last frame at or before t. */
  frameAt(t: number): number {
    return lastAtOrBefore(this.t, t);
  }

  frame(k: number): Float32Array { return this.qpos.subarray(k * this.scene.nq, (k + 1) * this.scene.nq); }

  qposAt(t: number): ArrayLike<number> {
    const k = this.frameAt(t), next = Math.min(k + 1, this.t.length - 1), span = this.t[next] - this.t[k];
    const s = span > 0 ? Math.min(1, Math.max(0, (t - this.t[k]) / span)) : 0;
    return s === 0 ? this.frame(k) : between(this.scene, this.frame(k), this.frame(next), s);
  }

  contactsAt(t: number, size: number): Glyph[] {
    const k = this.frameAt(t), out: Glyph[] = [];
    // the first row belongs to no step: there are contacts, and no forces yet
    if (k === 0 && this.start[0] === this.start[1]) return this.scene.contacts.map((c) => ({ point: c.point, normal: c.normal, mu: c.mu, mode: "none", joint: c.joint }));
    for (let i = this.start[k]; i < this.start[k + 1]; i++) {
      const force = this.force.subarray(3 * i, 3 * i + 3), length = Math.hypot(force[0], force[1], force[2]);
      const drawn = ((0.2 * length) / this.usualForce) * size;
      out.push({
        point: this.point.subarray(3 * i, 3 * i + 3), normal: this.normal.subarray(3 * i, 3 * i + 3), mu: this.mu[i], mode: MODES[this.mode[i]] ?? "none",
        arrow: force, scale: length > 0 ? drawn / length : 0, joint: this.jointOf[this.name[i]],
      });
    }
    return out;
  }

  /** "floor/ball stick 9.81 N, ..." */
  contactWords(t: number): { name: string; mode: Mode; force: number }[] {
    const k = this.frameAt(t), out: { name: string; mode: Mode; force: number }[] = [];
    if (k === 0 && this.start[0] === this.start[1]) return this.scene.contacts.map((c) => ({ name: c.name, mode: "none", force: 0 }));
    for (let i = this.start[k]; i < this.start[k + 1]; i++)
      out.push({ name: this.run.names[this.name[i]] ?? "", mode: MODES[this.mode[i]] ?? "none", force: Math.hypot(this.force[3 * i], this.force[3 * i + 1], this.force[3 * i + 2]) });
    return out;
  }

  /** The first event after t (or the last before it), skipping those at t itself. */
  nextEvent(t: number, forward: boolean): RunEvent | undefined {
    const hair = 1e-9 * Math.max(1, Math.abs(t));
    return forward ? this.events.find((event) => event.t > t + hair) : [...this.events].reverse().find((event) => event.t < t - hair);
  }
}
