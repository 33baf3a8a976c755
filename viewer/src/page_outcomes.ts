// Outcomes: the set in any two contact-velocity axes with hull, samples, paths and marked outcomes; beside it the mechanism moves as
// what is pointed at [Halm & Posa, Figures 9-14, for this system].
import { legend } from "./chart";
import { Cloud, markShape, type Pick } from "./cloud";
import { f32, type Outcomes, type Page } from "./data";
import { h, number, section, svg, table, type Cell } from "./dom";
import { calm, ImpactMotion } from "./motion";
import { View3D } from "./view3d";

const dot = (row: number[], v: ArrayLike<number>, at = 0) => row.reduce((sum, x, i) => sum + x * v[at + i], 0);

function facts(outcomes: Outcomes, shown: number): HTMLElement {
  const claim: Record<string, string> = {
    inner: "inner: every sample is an outcome, there may be others", truncated: "truncated: sampling was interrupted", exact: "exact: proven to be the whole set",
  };
  const entries: [string, string][] = [
    ["claim", claim[outcomes.claim] ?? outcomes.claim], ["samples", `${outcomes.samples}${shown < outcomes.terminated ? `, ${shown} shown` : ""}`],
    ["ended", `${number(outcomes.samples ? (100 * outcomes.terminated) / outcomes.samples : 0, 5)} %`],
    ...Object.entries(outcomes.summary).map(([name, value]): [string, string] => [name, typeof value === "string" ? value : number(value, 8)]),
  ];
  return h("dl", { class: "facts" }, ...entries.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** The mechanism beside the set, moving as what is picked. */
function mechanism(page: Page, outcomes: Outcomes): { root: HTMLElement | null; show: (v: ArrayLike<number>) => void } {
  if (!page.scene) return { root: null, show: () => undefined };
  const view = new View3D(page.scene, "the mechanism, moving as the outcome that is pointed at");
  const motion = new ImpactMotion(view, outcomes.v_minus);
  view.setContacts(page.scene.contacts.map((c) => ({ point: c.point, normal: c.normal, mu: c.mu, mode: "none" })));
  const button = h("button", { type: "button", "aria-pressed": "false", title: "play, pause (space)", click: () => toggle() }, "slow motion");
  const toggle = () => {
    const on = !motion.isPlaying;
    if (on) motion.play(true);
    else motion.rest();
    button.setAttribute("aria-pressed", String(on));
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && !(event.target as HTMLElement).closest("button, select, input")) { event.preventDefault(); toggle(); }
  });
  if (!calm()) toggle();
  return { root: h("figure", {}, view.root, h("div", { class: "controls" }, button)), show: (v) => motion.set(v) };
}

export function showOutcomes(place: HTMLElement, page: Page): void {
  const outcomes = page.outcomes!, nv = outcomes.v_minus.length, axes = outcomes.axes;
  const flat = f32(outcomes.v_plus), count = Math.floor(flat.length / nv);
  const paths = outcomes.paths.map((path) => f32(path.v));
  place.append(facts(outcomes, count));
  if (axes.length === 0 || count === 0) {
    place.append(h("p", {}, "No sample ended: there is nothing to draw."));
    return;
  }
  const normals = axes.map((axis, i) => (/ n$/.test(axis.name) ? i : -1)).filter((i) => i >= 0);
  const chosen = { x: normals[0] ?? 0, y: normals[1] ?? Math.min(1, axes.length - 1) };
  const beside = mechanism(page, outcomes);
  const velocity = (what: NonNullable<Pick>): ArrayLike<number> => (what.kind === "mark" ? outcomes.marks[what.index].v_plus : flat.subarray(what.index * nv, (what.index + 1) * nv));
  const markWord = (i: number) => {
    const { law, label } = outcomes.marks[i], same = outcomes.marks.filter((mark) => mark.law === law && mark.label === label);
    return `${law}${label ? `: ${label}` : ""}${same.length > 1 ? ` ${same.indexOf(outcomes.marks[i]) + 1}` : ""}`;
  };
  const reading = h("div", { class: "reading", "aria-live": "polite" });
  const show = (what: NonNullable<Pick>) => {
    const v = velocity(what);
    const rows: Cell[][] = axes.slice(0, 12).map((axis) => [axis.name, number(dot(axis.row, outcomes.v_minus)), number(dot(axis.row, v))]);
    reading.replaceChildren(h("h3", {}, what.kind === "mark" ? markWord(what.index) : "a sample"), table(["m/s", "before", "after"], rows, [0], "contact velocities"));
    beside.show(v);
  };
  const cloud = new Cloud((what) => what && show(what));
  const draw = () => {
    const x = axes[chosen.x], y = axes[chosen.y], at = (v: ArrayLike<number>, from = 0) => ({ x: dot(x.row, v, from), y: dot(y.row, v, from) });
    cloud.draw({
      x: `${x.name} (${x.unit})`, y: `${y.name} (${y.unit})`,
      samples: Array.from({ length: count }, (_, i) => at(flat, i * nv)),
      marks: outcomes.marks.map((mark, i) => ({ ...at(mark.v_plus), law: mark.law, text: markWord(i) })),
      before: at(outcomes.v_minus),
      paths: paths.map((path) => Array.from({ length: Math.floor(path.length / nv) }, (_, i) => at(path, i * nv))),
    });
  };
  const axisSelect = (key: "x" | "y", label: string) => {
    const select = h("select", { "aria-label": label, change: () => { chosen[key] = select.selectedIndex; draw(); } }, ...axes.map((axis, i) => h("option", { selected: i === chosen[key] }, axis.name)));
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
  draw();
  const savePlot = h("button", { type: "button", class: "save", title: "save this plot as SVG", click: () => cloud.save() }, "SVG");
  const markList = h("ul", { class: "marks" }, ...outcomes.marks.map((mark, i) => {
    const choose = () => { const what = { kind: "mark" as const, index: i }; cloud.mark(what); show(what); };
    return h("li", {}, h("button", { type: "button", click: choose, focus: choose },
      svg("svg", { viewBox: "0 0 18 18", width: 18, height: 18, "aria-hidden": "true" }, svg("path", { class: `mark-${mark.law}`, d: markShape(mark.law, 9, 9, 5) })), ` ${markWord(i)}`));
  }));
  place.append(
    section("The set", "Contact velocities after the impact. n > 0 separates. Point at a sample or a mark: its numbers and its motion are shown.",
      h("div", { class: "controls" }, axisSelect("x", "across"), axisSelect("y", "up"), flag("hull", "showHull"), flag("paths", "showPaths"), savePlot),
      h("div", { class: "beside" }, h("figure", {}, cloud.root, legend([["hull", "hull of the samples shown"], ["line-path", "paths of the first samples, from the velocity before (ring)"]])),
        h("div", {}, beside.root, reading))),
    section("Marked outcomes", "Square: contacts one after the other. Diamond: all at once (Anitescu and Potra).", markList),
  );
  show(outcomes.marks.length ? { kind: "mark", index: 0 } : { kind: "sample", index: 0 });
}
