// Which way is which: the axes of the world as the camera sees them, small, in a corner of the scene.
import type * as THREE from "three";
import { svg } from "./dom";

const HALF = 28, ARM = 17;

export class Gizmo {
  readonly root = svg("svg", { class: "gizmo noprint", viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`, width: 2 * HALF, height: 2 * HALF, "aria-hidden": "true" });
  private readonly arms = ["x", "y", "z"].map((name) => {
    const line = svg("line", { class: `axis-${name}`, x1: 0, y1: 0 }), word = svg("text", { "text-anchor": "middle", dy: "0.34em" });
    word.textContent = name;
    return { root: svg("g", {}, line, word), line, word };
  });
  private last = "";

  constructor() { this.root.append(...this.arms.map(({ root }) => root)); }

  show(camera: THREE.Camera): void {
    const m = camera.matrixWorldInverse.elements; // its columns are the world's axes in the camera's frame
    const said = m.slice(0, 11).map((x) => x.toFixed(2)).join();
    if (said === this.last) return;
    this.last = said;
    this.arms.forEach(({ line, word }, k) => {
      const [x, y] = [m[4 * k], -m[4 * k + 1]];
      line.setAttribute("x2", (ARM * x).toFixed(1));
      line.setAttribute("y2", (ARM * y).toFixed(1));
      word.setAttribute("x", ((ARM + 7) * x).toFixed(1));
      word.setAttribute("y", ((ARM + 7) * y).toFixed(1));
    });
    // what points towards the camera is drawn last
    this.root.append(...[0, 1, 2].sort((a, b) => m[4 * a + 2] - m[4 * b + 2]).map((k) => this.arms[k].root));
  }
}
