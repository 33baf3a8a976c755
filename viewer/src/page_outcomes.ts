// Outcomes: the set in any two contact-velocity axes with hull, samples, paths and marked outcomes; beside it the mechanism moves as
// what is pointed at [Halm & Posa, Figures 9-14, for this system]. A sweep has a slider over its sets, all drawn to one scale.
import { legend } from "./chart";
import { Cloud, markShape, type CloudPoint, type Pick } from "./cloud";
import { f32, type Outcomes, type OutcomeSet, type Page } from "./data";
import type { Bench } from "./bench";
import { h, number, rounded, section, svg, table, type Cell } from "./dom";
import { ImpactMotion } from "./motion";
import { calm } from "./theme";
import type { View3D } from "./view3d";

const dot = (row: number[], v: ArrayLike<number>, at = 0) => row.reduce((sum, x, i) => sum + x * v[at + i], 0);

/** A set with its numbers unpacked. */
interface Unpacked { data: OutcomeSet; nv: number; samples: Float32Array; count: number; paths: Float32Array[] }

function unpack(data: OutcomeSet): Unpacked {
  const nv = data.v_minus.length, samples = f32(data.v_plus);
  return { data, nv, samples, count: nv ? Math.floor(samples.length / nv) : 0, paths: data.paths.map((path) => f32(path.v)) };
}

function facts({ data, count }: Unpacked): HTMLElement[] {
  const claim: Record<string, string> = {
    inner: "inner: every sample is an outcome, there may be others", truncated: "truncated: sampling was interrupted", exact: "exact: proven to be the whole set",
  };
  const entries: [string, string][] = [
    ["claim", claim[data.claim] ?? data.claim], ["samples", `${data.samples}${count < data.terminated ? `, ${count} shown` : ""}`],
    ["ended", `${number(data.samples ? (100 * data.terminated) / data.samples : 0, 5)} %`],
    ...Object.entries(data.summary).map(([name, value]): [string, string] => [name, typeof value === "string" ? value : number(value, 8)]),
  ];
  return entries.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
}

/** The mechanism beside the set, moving as what is picked. A sweep over a joint moves the state of the impact with it. */
class Mechanism {
  readonly root: HTMLElement;
  private readonly view: View3D;
  private readonly motion: ImpactMotion;

  constructor(bench: Bench, private readonly outcomes: Outcomes) {
    const { signal } = bench.life;
    this.view = bench.view!;
    this.motion = new ImpactMotion(this.view, outcomes.sets[0].v_minus);
    signal.addEventListener("abort", () => this.motion.play(false));
    const button = h("button", { type: "button", "aria-pressed": "false", title: "play, pause (space)", click: () => this.toggle(button) }, "slow motion");
    document.addEventListener("keydown", (event) => {
      if (event.key === " " && !(event.target as HTMLElement).closest("button, select, input")) { event.preventDefault(); this.toggle(button); }
    }, { signal });
    if (!calm() && bench.first.outcomes === outcomes) this.toggle(button);
    this.root = h("div", { class: "controls" }, button);
  }

  private toggle(button: HTMLElement): void {
    const on = !this.motion.isPlaying;
    if (on) this.motion.play(true);
    else this.motion.rest();
    button.setAttribute("aria-pressed", String(on));
  }

  choose(set: OutcomeSet): void {
    const { scene } = this.view, joint = scene.joints.find((j) => j.name === this.outcomes.parameter && (j.type === "hinge" || j.type === "slide"));
    if (joint) scene.qpos[joint.q] = set.value;
    this.view.setContacts(set.contacts.map((c) => ({ ...c, mode: "none" as const })));
  }

  show(v: ArrayLike<number>): void { this.motion.set(v); }
}

/** "mu = 0.5" under a slider over the values. */
function slider(outcomes: Outcomes, choose: (set: number) => void): HTMLElement {
  const told = h("output", {}), last = outcomes.sets.length - 1;
  const tell = (i: number) => { told.textContent = `${outcomes.parameter} = ${number(outcomes.sets[i].value, 5)}`; };
  const input = h("input", { type: "range", min: 0, max: last, step: 1, value: last, "aria-label": outcomes.parameter ?? "set" });
  input.addEventListener("input", () => { tell(Number(input.value)); choose(Number(input.value)); });
  tell(last);
  return h("label", { class: "sweep" }, input, told);
}

export function showOutcomes(place: HTMLElement, page: Page, bench: Bench): void {
  const outcomes = page.outcomes!, sets = outcomes.sets.map(unpack);
  let current = sets[sets.length - 1];
  const said = h("dl", { class: "facts" });
  if (!current || sets.every((set) => set.count === 0 || set.data.axes.length === 0)) {
    place.append(h("p", {}, "No sample ended: there is nothing to draw."), said);
    return;
  }
  const named = current.data.axes; // contacts keep their names and order from set to set
  const normals = named.map((axis, i) => (/ n$/.test(axis.name) ? i : -1)).filter((i) => i >= 0);
  const chosen = { x: normals[0] ?? 0, y: normals[1] ?? Math.min(1, named.length - 1) };
  const beside = page.scene && bench.view ? new Mechanism(bench, outcomes) : undefined;
  if (beside) bench.controls.append(beside.root);
  const velocity = (what: NonNullable<Pick>): ArrayLike<number> =>
    what.kind === "mark" ? current.data.marks[what.index].v_plus : current.samples.subarray(what.index * current.nv, (what.index + 1) * current.nv);
  const markWord = (i: number) => {
    const { marks } = current.data, { law, label } = marks[i], same = marks.filter((mark) => mark.law === law && mark.label === label);
    return `${law}${label ? `: ${label}` : ""}${same.length > 1 ? ` ${same.indexOf(marks[i]) + 1}` : ""}`;
  };
  const reading = h("div", { class: "reading", "aria-live": "polite" });
  const show = (what: NonNullable<Pick>) => {
    const v = velocity(what);
    const before = current.data.axes.map((axis) => dot(axis.row, current.data.v_minus)), scale = Math.max(...before.map(Math.abs));
    const rows: Cell[][] = current.data.axes.slice(0, 12).map((axis, i) => [axis.name, number(rounded(before[i], scale)), number(rounded(dot(axis.row, v), scale))]);
    reading.replaceChildren(h("h3", {}, what.kind === "mark" ? markWord(what.index) : "a sample"), table(["m/s", "before", "after"], rows, [0], "contact velocities"));
    beside?.show(v);
  };
  const cloud = new Cloud((what) => what && show(what));
  const pair = (set: Unpacked) => {
    const x = set.data.axes[chosen.x], y = set.data.axes[chosen.y];
    return x && y ? (v: ArrayLike<number>, from = 0): CloudPoint => ({ x: dot(x.row, v, from), y: dot(y.row, v, from) }) : null;
  };
  const room = () => sets.flatMap((set) => {
    const at = set === current ? null : pair(set);
    return at ? Array.from({ length: set.count }, (_, i) => at(set.samples, i * set.nv)) : [];
  });
  const draw = () => {
    const { data, samples, count, nv, paths } = current, at = pair(current);
    if (!at) return;
    cloud.draw({
      x: `${named[chosen.x].name} (${named[chosen.x].unit})`, y: `${named[chosen.y].name} (${named[chosen.y].unit})`,
      samples: Array.from({ length: count }, (_, i) => at(samples, i * nv)),
      marks: data.marks.map((mark, i) => ({ ...at(mark.v_plus), law: mark.law, text: markWord(i) })),
      before: at(data.v_minus),
      paths: paths.map((path) => Array.from({ length: Math.floor(path.length / nv) }, (_, i) => at(path, i * nv))),
      room: room(),
    });
  };
  const axisSelect = (key: "x" | "y", label: string) => {
    const select = h("select", { "aria-label": label, change: () => { chosen[key] = select.selectedIndex; draw(); } }, ...named.map((axis, i) => h("option", { selected: i === chosen[key] }, axis.name)));
    return h("label", {}, `${label} `, select);
  };
  const flag = (name: string, key: "showPaths" | "showHull") => {
    const button = h("button", { type: "button", "aria-pressed": String(cloud[key]), click: () => {
      cloud[key] = !cloud[key];
      button.setAttribute("aria-pressed", String(cloud[key]));
      draw();
    } }, name);
    return button;
  };
  const pickMark = (index: number) => { const what = { kind: "mark" as const, index }; cloud.mark(what); show(what); };
  const markList = h("div", {});
  /** Marks that lead to the same contact velocities are one outcome; compliant bodies, one answer for each ratio of stiffness, are a list. */
  const listMarks = () => {
    const buttons: Node[] = [], stiff: [number, string][] = [], groups = new Map<string, number[]>();
    const scale = Math.max(1e-12, ...current.data.axes.map((axis) => Math.abs(dot(axis.row, current.data.v_minus))));
    current.data.marks.forEach((mark, i) => {
      if (mark.law === "compliant") { stiff.push([i, mark.label || "equal stiffness"]); return; }
      const key = current.data.axes.map((axis) => Math.round(dot(axis.row, mark.v_plus) / (1e-6 * scale))).join();
      groups.set(key, [...(groups.get(key) ?? []), i]);
    });
    for (const members of groups.values()) {
      const [i] = members, { law } = current.data.marks[i], choose = () => pickMark(i), more = members.length - 1;
      buttons.push(h("li", {}, h("button", { type: "button", title: members.map(markWord).join("\n"), click: choose, focus: choose },
        svg("svg", { viewBox: "0 0 18 18", width: 18, height: 18, "aria-hidden": "true" }, svg("path", { class: `mark-${law}`, d: markShape(law, 9, 9, 5) })), ` ${markWord(i)}${more ? ` and ${more} more` : ""}`)));
    }
    const select = h("select", { "aria-label": "compliant", change: () => pickMark(Number(select.value)) }, ...stiff.map(([i, label]) => h("option", { value: i }, label)));
    markList.replaceChildren(h("ul", { class: "marks" }, ...buttons), stiff.length ? h("p", { class: "controls" }, h("label", {}, "compliant bodies ", select)) : "");
  };
  const use = (index: number) => {
    current = sets[index];
    said.replaceChildren(...facts(current));
    beside?.choose(current.data);
    listMarks();
    draw();
    if (current.data.marks.length) pickMark(0);
    else if (current.count) show({ kind: "sample", index: 0 });
  };
  const savePlot = h("button", { type: "button", class: "save", title: "save this plot as SVG", click: () => cloud.save() }, "SVG");
  const stiff = sets.some((set) => set.data.marks.some((mark) => mark.law === "compliant"));
  place.append(
    section("The set", "Contact velocities after the impact. n > 0 separates. Point at a sample or a mark: its numbers and its motion are shown. Ctrl and wheel zoom, dragging moves, a double-click shows all.",
      h("div", { class: "controls" }, outcomes.parameter ? slider(outcomes, use) : null, axisSelect("x", "across"), axisSelect("y", "up"), flag("hull", "showHull"), flag("paths", "showPaths"),
        ...([["+", 0.7], ["−", 1 / 0.7]] as [string, number][]).map(([word, by]) => h("button", { type: "button", title: word === "+" ? "closer" : "wider", click: () => cloud.zoom(null, by) }, word)),
        h("button", { type: "button", title: "all of the set (double-click)", click: () => cloud.reset() }, "all"), savePlot),
      h("div", { class: "beside" }, h("figure", {}, cloud.root, legend([["hull", "hull of the samples shown"], ["line-path", "paths of the first samples, from the velocity before (ring)"],
        ...(stiff ? [["line-compliant", "compliant bodies, over the ratio of their stiffness"] as [string, string]] : [])])),
        h("div", {}, reading))),
    section("Marked outcomes", `Square: contacts one after the other. Diamond: all at once (Anitescu and Potra).${stiff ? " Small rings: bodies that give way, each for one ratio of stiffness." : ""}`, markList),
    section("Figures", "", said),
  );
  use(sets.length - 1);
}
