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

  constructor(private readonly view: View3D, private readonly vMinus: number[]) {
    const speed = fastest(view.scene, vMinus, view.size);
    this.span = speed > 1e-9 ? (0.11 * view.size) / speed : 0.1;
    this.vPlus = vMinus;
  }

  /** Shows this outcome from now on. */
  set(vPlus: ArrayLike<number>): void {
    this.vPlus = vPlus;
    this.started = performance.now() - 1000 * APPROACH; // straight to what differs
    if (!this.playing) this.view.setPose(integrate(this.view.scene, this.view.scene.qpos, vPlus, this.span));
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
    if (clock < APPROACH) this.view.setPose(integrate(scene, scene.qpos, this.vMinus, (clock / APPROACH - 1) * this.span));
    else if (clock < APPROACH + PAUSE) this.view.setPose(scene.qpos);
    else this.view.setPose(integrate(scene, scene.qpos, this.vPlus, ((clock - APPROACH - PAUSE) / LEAVE) * 1.4 * this.span));
  }
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
