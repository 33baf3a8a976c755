// An impact in slow motion: the mechanism comes with one velocity, meets the contacts, and leaves with another.
import type { Scene } from "./data";
import { integrate, poses } from "./kinematics";
import type { View3D } from "./view3d";

const APPROACH = 0.9, PAUSE = 0.35, LEAVE = 1.5; // s on the screen

/** The largest speed of a body's origin, with its turning over a length. */
function fastest(scene: Scene, qvel: ArrayLike<number>, length: number): number {
  const h = 1e-4, a = poses(scene, scene.qpos), b = poses(scene, integrate(scene, scene.qpos, qvel, h));
  let most = 0;
  for (let i = 0; i < scene.bodies.length; i++) {
    const move = Math.hypot(...[0, 1, 2].map((k) => b.pos[3 * i + k] - a.pos[3 * i + k]));
    const same = Math.abs([0, 1, 2, 3].reduce((sum, k) => sum + a.quat[4 * i + k] * b.quat[4 * i + k], 0));
    const turn = 2 * Math.acos(Math.min(1, same));
    most = Math.max(most, (move + 0.5 * length * turn) / h);
  }
  return most;
}

export class ImpactMotion {
  private vPlus: ArrayLike<number>;
  private started = performance.now();
  private playing = false;
  private readonly span: number; // s of the mechanism's time on either side
  private comes: number; // s before the impact that are shown, negative
  private leaves: number;

  constructor(private readonly view: View3D, private readonly vMinus: number[]) {
    const speed = fastest(view.scene, vMinus, view.size);
    this.span = speed > 1e-9 ? (0.11 * view.size) / speed : 0.1;
    this.vPlus = vMinus;
    this.comes = this.free(vMinus, -this.span);
    this.leaves = 0;
  }

  /** As much of a time h along a velocity as enters no floor: the motion on a straight line knows of no contact. */
  private free(velocity: ArrayLike<number>, h: number): number {
    const { scene } = this.view, parts = 24, allowed = Math.min(0, this.view.clearance(scene.qpos)) - 0.004 * this.view.size;
    for (let k = 1; k <= parts; k++)
      if (this.view.clearance(integrate(scene, scene.qpos, velocity, (h * k) / parts)) < allowed) return (h * (k - 1)) / parts;
    return h;
  }

  /** Shows this outcome from now on. */
  set(vPlus: ArrayLike<number>): void {
    this.vPlus = vPlus;
    this.started = performance.now() - 1000 * APPROACH; // straight to what differs
    this.leaves = this.free(vPlus, 1.4 * this.span);
  }

  get isPlaying(): boolean { return this.playing; }

  play(on: boolean): void {
    if (on === this.playing) return;
    this.playing = on;
    if (!on) return;
    this.started = performance.now();
    const tick = (now: number) => {
      if (!this.playing) return;
      this.show(((now - this.started) / 1000) % (APPROACH + PAUSE + LEAVE));
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** The instant of the impact itself. */
  rest(): void {
    this.playing = false;
    this.view.setPose(this.view.scene.qpos);
  }

  private show(clock: number): void {
    const { scene } = this.view;
    if (clock < APPROACH) this.view.setPose(integrate(scene, scene.qpos, this.vMinus, (1 - clock / APPROACH) * this.comes));
    else if (clock < APPROACH + PAUSE) this.view.setPose(scene.qpos);
    else this.view.setPose(integrate(scene, scene.qpos, this.vPlus, ((clock - APPROACH - PAUSE) / LEAVE) * this.leaves));
  }
}
