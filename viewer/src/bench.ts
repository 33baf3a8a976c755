// The workbench of a page: the scene and the state on one side, what a verb says about it on the other. Where the page carries the
// question behind it, the program in the page answers it anew whenever friction, restitution, a position or a velocity is changed.
import { Core, whyNot, type Answer } from "./core";
import type { Page, Scene, SceneJoint } from "./data";
import { h, number } from "./dom";
import { saveScene } from "./save";
import { View3D, VIEWS, type ViewName } from "./view3d";

export type Verb = Page["kind"];
export const VERBS: [Verb, string][] = [["view", "Model"], ["impact", "Impact"], ["outcomes", "Outcomes"], ["check", "Check"], ["run", "Run"]];

const SAMPLES = "4000"; // outcomes while something is dragged; the command's own number where it says one
const LONGEST_NAME = 21; // letters before a name of a slider is cut
const RUN_SPEED = 3; // velocities may be dragged this far at least, m/s or rad/s

/** As many digits as the field beside a slider has room for. */
const brief = (x: number) => (x !== 0 && Math.abs(x) < 1e-4 ? x.toExponential(1) : String(Number(x.toPrecision(Math.abs(x) < 0.1 ? 3 : 4))));

/** A joint is called by its own name; a free one without any by its body's. */
const nameOf = (scene: Scene, joint: SceneJoint) => joint.name || scene.bodies[joint.body].name || `body ${joint.body}`;

/** What the user has changed; what is not there is the model's. */
export interface Change { mu?: number; e?: number; qpos?: number[]; qvel?: number[] }

export class Bench {
  readonly view: View3D | null;
  readonly controls = h("div", { class: "page-controls" }); // of the page that is shown
  readonly left: HTMLElement;
  readonly reason: string | null;
  change: Change = {};
  /** Ends with the page that is shown: for listeners and players that must not outlive it. */
  life = new AbortController();
  private readonly closed = new AbortController(); // ends with the bench
  private readonly core: Core | null;
  private readonly status = h("output", { class: "status", "aria-live": "polite" });
  private readonly rows = h("div", { class: "sliders" });
  private readonly setters: (() => void)[] = [];

  constructor(readonly first: Page, private readonly show: (page: Page) => void, public verb: Verb) {
    this.view = first.scene ? new View3D(first.scene, "the mechanism") : null;
    this.reason = whyNot(first.source);
    this.core = this.reason ? null : new Core(first.source!);
    if (this.view && !this.core && first.kind !== "view") this.rows.hidden = true;
    this.left = h("div", { class: "stage" }, this.view ? this.screen(this.view) : null, h("div", { class: "below" }, this.controls), this.state());
  }

  /** Gives up the scene and the program; another mechanism takes their place. */
  close(): void {
    this.life.abort();
    this.closed.abort();
    this.core?.close();
    this.view?.close();
  }

  get live(): boolean { return this.core !== null; }
  get scene(): Scene | undefined { return this.first.scene; }

  /** Asks the present verb anew. */
  async ask(verb = this.verb): Promise<void> {
    if (!this.core) return;
    this.status.textContent = "computing …";
    this.status.className = "status busy";
    const answer = await this.core.ask(verb, this.options(verb));
    if (!answer) return; // a newer question is on its way
    this.tell(answer);
    if (answer.page) {
      this.verb = verb;
      this.show(answer.page);
    }
  }

  private tell({ page, code, told, ms }: Answer): void {
    const words = told.split("\n").filter((line) => line.startsWith("cradle") && !/wrote|not shown|without effect/.test(line)).join(" ");
    this.status.textContent = page ? `computed here in ${number(ms, 2)} ms` : `no answer (${code}): ${words || told}`;
    this.status.className = page ? "status" : "status failed";
  }

  private options(verb: Verb): string[] {
    const { mu, e, qpos, qvel } = this.change, out: string[] = [], scene = this.scene;
    if (mu !== undefined) out.push("--mu", String(mu));
    if (e !== undefined) out.push("--e", String(e));
    if (scene) out.push("--qpos", Array.from(qpos ?? scene.qpos).join(" "), "--qvel", Array.from(qvel ?? scene.qvel).join(" "));
    if (verb === "outcomes" && this.core!.verb !== "outcomes") out.push("--samples", SAMPLES);
    return out;
  }

  // ------------------------------------------------------------------------------------------------ the scene

  /** The scene with what is shown in it, and from where. */
  private screen(view: View3D): HTMLElement {
    const look = h("select", { "aria-label": "view", title: "view (v)", change: () => view.look(look.value as ViewName) }, ...VIEWS.map((name) => h("option", { value: name }, name)));
    const [contacts, ...others] = this.toggles(view);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).closest("select, input")) return;
      if (event.key === "c") contacts.click();
      if (event.key !== "v") return;
      look.selectedIndex = (look.selectedIndex + 1) % VIEWS.length;
      view.look(look.value as ViewName);
    }, { signal: this.closed.signal });
    const size = h("input", { type: "range", min: -1, max: 1, step: 0.05, value: 0, "aria-label": "size of arrows and cones", title: "size of arrows and cones" });
    size.addEventListener("input", () => view.scaleGlyphs(10 ** Number(size.value)));
    return h("div", { class: "screen" }, view.root, h("div", { class: "toggles noprint" }, contacts, ...others, h("label", { class: "size" }, "arrows ", size)),
      h("div", { class: "looks noprint" }, look, saveScene(view)));
  }

  private toggles(view: View3D): HTMLElement[] {
    const toggle = (name: string, title: string, on: boolean, set: (on: boolean) => void) => {
      const button = h("button", { type: "button", title, "aria-pressed": String(on), click: () => {
        const now = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(now));
        set(now);
        view.ask();
      } }, name);
      return button;
    };
    return [
      toggle("contacts", "contacts, normals and cones (c)", true, (on) => { view.glyphs.root.visible = on; }),
      toggle("frames", "axes of the bodies: x red, y green, z blue", false, (on) => view.overlay("frames", on)),
      toggle("centres", "centres of mass", false, (on) => view.overlay("centres", on)),
      toggle("inertia", "boxes with the bodies' inertia", false, (on) => view.overlay("inertia", on)),
      toggle("collision", "shapes that touch", false, (on) => view.overlay("collision", on)),
      toggle("joints", "axes of the joints", false, (on) => view.overlay("joints", on)),
    ];
  }

  // ------------------------------------------------------------------------------------------------ the state

  private state(): HTMLElement | null {
    const words = this.live ? null : h("p", { class: "explain noprint" }, `Contacts and results are those the page was made with: ${this.reason}.`);
    if (this.view || this.live) this.fill();
    const open = this.first.kind === "view" || this.live;
    return this.rows.childElementCount && open && !this.rows.hidden
      ? h("details", { class: "state noprint", open: matchMedia("(min-width: 900px)").matches }, h("summary", {}, "State and coefficients", this.status), words, this.rows)
      : words && h("div", { class: "state" }, words);
  }

  /** Named by whose coordinate it is and, where that has several, by which: a long name is cut, the other word is not. */
  private slider([whose, part]: [string, string?], unit: string, low: number, high: number, value: () => number, set: (x: number) => void): HTMLElement {
    const name = part ? `${whose} ${part}` : whose;
    const shown = () => (Number.isNaN(value()) ? "" : brief(value()));
    const input = h("input", { type: "range", min: low, max: high, step: "any", value: shown() || low, "aria-label": unit.endsWith("/s") ? `${name} velocity` : name });
    const box = h("input", { type: "number", step: "any", value: shown(), placeholder: "model's", "aria-label": `${name}, ${unit || "number"}`, title: unit });
    const take = (x: number) => { if (Number.isFinite(x)) set(x); };
    input.addEventListener("input", () => { box.value = brief(Number(input.value)); take(Number(input.value)); });
    box.addEventListener("change", () => { if (box.value === "") return; input.value = box.value; take(Number(box.value)); });
    this.setters.push(() => {
      input.value = shown() || String(low);
      box.value = shown();
    });
    return h("label", { class: "slider", title: name }, h("span", { class: "name" }, h("span", {}, whose), part && h("span", {}, part)), input, box, h("span", { class: "unit" }, unit));
  }

  private fill(): void {
    const { scene } = this, { rows } = this;
    if (this.live) {
      const known = scene?.contacts.find((c) => c.joint === undefined); // where nothing touches yet, the model alone knows
      const mu = () => this.change.mu ?? known?.mu ?? NaN, e = () => this.change.e ?? known?.e ?? NaN;
      rows.append(h("h3", {}, "coefficients of all contacts"),
        this.slider(["friction μ"], "", 0, Math.max(2, 2 * (known?.mu ?? 0)), mu, (x) => { this.change.mu = Math.max(0, x); this.changed(); }),
        this.slider(["restitution e"], "", 0, 1, e, (x) => { this.change.e = Math.min(1, Math.max(0, x)); this.changed(); }));
    }
    if (!scene) return;
    rows.append(this.keys(scene));
    const positions = scene.joints.flatMap((joint) => this.positions(scene, joint)), speeds = this.live ? scene.joints.flatMap((joint) => this.speeds(scene, joint)) : [];
    if (positions.length) rows.append(h("h3", {}, "positions"), ...positions);
    if (speeds.length) rows.append(h("details", {}, h("summary", {}, "velocities"), h("div", { class: "sliders" }, ...speeds)));
    const longest = Math.max(...Array.from(rows.querySelectorAll(".name"), (name) => name.textContent!.length));
    rows.style.setProperty("--names", `${Math.min(LONGEST_NAME, longest + 1)}ch`);
  }

  private keys(scene: Scene): HTMLElement {
    const states = [{ name: "as the page was made", qpos: [...scene.qpos], qvel: [...scene.qvel] }, ...(scene.keys ?? [])];
    const select = h("select", { "aria-label": "state", change: () => {
      const chosen = states[Number(select.value)];
      this.change.qpos = [...chosen.qpos];
      this.change.qvel = chosen.qvel ? [...chosen.qvel] : scene.qvel.map(() => 0);
      for (const set of this.setters) set();
      this.changed();
    } }, ...states.map((key, i) => h("option", { value: i }, i && !key.name ? `keyframe ${i}` : key.name)));
    const reset = h("button", { type: "button", click: () => {
      this.change = {};
      select.selectedIndex = 0;
      for (const set of this.setters) set();
      this.changed();
    } }, "reset");
    return h("div", { class: "controls" }, h("label", {}, "state ", select), reset);
  }

  private get qpos(): number[] { return (this.change.qpos ??= [...this.scene!.qpos]); }
  private get qvel(): number[] { return (this.change.qvel ??= [...this.scene!.qvel]); }

  private positions(scene: Scene, joint: SceneJoint): HTMLElement[] {
    const size = this.view?.size ?? 1, at = joint.q;
    const one = (name: [string, string?], unit: string, i: number, low: number, high: number) =>
      this.slider(name, unit, Math.min(low, scene.qpos[i]), Math.max(high, scene.qpos[i]), () => (this.change.qpos ?? scene.qpos)[i], (x) => { this.qpos[i] = x; this.changed(); });
    const name = nameOf(scene, joint);
    const [low, high] = joint.range ?? (joint.type === "hinge" ? [-Math.PI, Math.PI] : [scene.qpos[at] - size, scene.qpos[at] + size]);
    if (joint.type === "hinge") return [one([name], "rad", at, low, high)];
    if (joint.type === "slide") return [one([name], "m", at, low, high)];
    const turns = ["about x", "about y", "about z"].map((axis, k) => this.turn([name, axis], joint.type === "free" ? at + 3 : at, k));
    if (joint.type === "ball") return turns;
    return [..."xyz"].map((axis, k) => one([name, axis], "m", at + k, scene.qpos[at + k] - size, scene.qpos[at + k] + size)).concat(turns);
  }

  /** Turns a quaternion by an angle about an axis of the world, away from where the page found it; three such turns follow each other. */
  private turn(name: [string, string], at: number, axis: number): HTMLElement {
    const angles = (this.turned[at] ??= [0, 0, 0]), base = this.scene!.qpos.slice(at, at + 4);
    this.setters.push(() => { if (!this.change.qpos || base.every((x, i) => x === this.change.qpos![at + i])) angles.fill(0); });
    return this.slider(name, "rad", -Math.PI, Math.PI, () => angles[axis], (x) => {
      angles[axis] = x;
      let q = base;
      angles.forEach((angle, k) => {
        const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)], t = [c, 0, 0, 0];
        t[k + 1] = s;
        q = [t[0] * q[0] - t[1] * q[1] - t[2] * q[2] - t[3] * q[3], t[0] * q[1] + t[1] * q[0] + t[2] * q[3] - t[3] * q[2],
          t[0] * q[2] - t[1] * q[3] + t[2] * q[0] + t[3] * q[1], t[0] * q[3] + t[1] * q[2] - t[2] * q[1] + t[3] * q[0]];
      });
      q.forEach((value, i) => { this.qpos[at + i] = value; });
      this.changed();
    });
  }
  private readonly turned: Record<number, number[]> = {};

  private speeds(scene: Scene, joint: SceneJoint): HTMLElement[] {
    const name = nameOf(scene, joint), { v } = joint;
    const parts = { free: ["vx", "vy", "vz", "ωx", "ωy", "ωz"], ball: ["ωx", "ωy", "ωz"], slide: [undefined], hinge: [undefined] }[joint.type];
    return parts.map((part, k) => {
      const most = Math.max(RUN_SPEED, 2 * Math.abs(scene.qvel[v + k]));
      const unit = joint.type === "slide" || (joint.type === "free" && k < 3) ? "m/s" : "rad/s";
      return this.slider([name, part], unit, -most, most, () => (this.change.qvel ?? scene.qvel)[v + k], (x) => { this.qvel[v + k] = x; this.changed(); });
    });
  }

  private changed(): void {
    const { view } = this;
    if (view && (this.verb === "view" || !this.live)) view.setPose(this.change.qpos ?? this.first.scene!.qpos);
    if (view && this.verb === "view" && !this.live) view.setContacts([]); // those known belong to another state
    void this.ask();
  }
}
