// The clock of the player: play, pause, seek, speed. It knows no drawing; listeners are told the time.
export const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

const HIDDEN = 2000; // ms without a frame: the window was not shown

export class Clock {
  t: number;
  speed = 1;
  playing = false;
  private last = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly begin: number, readonly end: number) { this.t = begin; }

  on(listener: () => void): void { this.listeners.push(listener); }
  private tell(): void { for (const listener of this.listeners) listener(); }

  seek(t: number): void {
    this.t = Math.min(this.end, Math.max(this.begin, t));
    this.tell();
  }

  play(on: boolean): void {
    if (on === this.playing) return;
    this.playing = on;
    if (on) {
      if (this.t >= this.end) this.t = this.begin;
      this.last = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }
    this.tell();
  }

  faster(by: 1 | -1): void {
    const at = SPEEDS.findIndex((s) => s >= this.speed - 1e-9);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
    this.tell();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    // the time on the screen follows the clock on the wall, however seldom the page draws; only a window that was hidden stands still
    const passed = document.hidden || now - this.last > HIDDEN ? 0 : Math.max(0, (now - this.last) / 1000);
    this.last = now;
    this.t += passed * this.speed;
    if (this.t >= this.end) {
      this.t = this.end;
      this.playing = false;
    }
    this.tell();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }
}
