// Impact: the laws side by side. What they agree on first, then the mechanism with each law's impulses, the table, and every contact's
// velocity and impulse in its own plane.
import { Chart, extent } from "./chart";
import type { Impact, ImpactAnswer, ImpactLaw, Page, Scene } from "./data";
import type { Bench } from "./bench";
import { badge, h, number, percent, rounded, section, svg, table, type Cell, type Level } from "./dom";
import type { Glyph } from "./glyphs";
import { ImpactMotion } from "./motion";
import { calm } from "./theme";
import { saveChart } from "./save";

interface Row { law: ImpactLaw; answer: ImpactAnswer; name: string; group: number }

/** One row for every answer of every law. */
function rowsOf(impact: Impact): Row[] {
  const rows: Row[] = [];
  for (const law of impact.laws) {
    const answers = law.solutions ?? (law.v_plus ? [law as ImpactAnswer] : []);
    answers.forEach((answer, i) => {
      const which = answers.length > 1 ? ` ${i + 1}` : "";
      rows.push({ law, answer, name: `${law.law}${which}${answer.label ? ` (${answer.label})` : ""}`, group: 0 });
    });
  }
  return rows;
}

/** The largest normal velocity of a contact, m/s. */
const speed = (rows: Row[]) => Math.max(1e-12, ...rows.flatMap((row) => row.answer.contacts.flatMap((c) => [Math.abs(c.n_minus), Math.abs(c.n_plus)])));

/** Answers with the same contact velocities, to a millionth of the largest, get one number; returns how many there are. */
function groupRows(rows: Row[]): number {
  const key = (row: Row) => row.answer.contacts.flatMap((c) => [c.n_plus, ...c.t_plus]);
  const scale = speed(rows);
  const known: number[][] = [];
  for (const row of rows) {
    const u = key(row);
    const at = known.findIndex((other) => other.every((x, i) => Math.abs(x - u[i]) < 1e-6 * scale));
    row.group = at >= 0 ? at : known.push(u) - 1;
  }
  return known.length;
}

function judgement(answer: ImpactAnswer): { level: Level; text: string } {
  const c = answer.check;
  const faults = [c.gains_energy && "gains energy", c.pulls && "pulls", c.penetrates && "leaves a contact approaching", c.leaves_cone && "leaves the friction cone"].filter(Boolean);
  return faults.length ? { level: "bad", text: faults.join(", ") } : { level: "good", text: "consistent" };
}

function summary(impact: Impact, rows: Row[]): HTMLElement {
  const lines: { level: Level; about: string; text: string }[] = [];
  const distinct = groupRows(rows), laws = new Set(rows.map((row) => row.law)).size;
  if (rows.length && rows[0].answer.energy.before <= 0) lines.push({ level: "note", about: "state", text: "nothing moves: velocities are set beside the positions" });
  if (rows.length === 0) lines.push({ level: "note", about: "outcome", text: "no law has an answer here" });
  else {
    lines.push({ level: "note", about: "outcome", text: distinct === 1 ? `${laws} laws agree` : `${laws} laws, ${distinct} different outcomes` });
    const ratio = rows.map((row) => row.answer.energy.ratio).filter((x): x is number => x !== null);
    const before = rows[0].answer.energy.before;
    if (ratio.length) {
      const [low, high] = [Math.min(...ratio), Math.max(...ratio)].map((x) => `${number(100 * (Math.abs(x) < 1e-12 ? 0 : x), 3)} %`);
      lines.push({ level: "note", about: "energy", text: `${low === high ? low : `${low} to ${high}`} of K− = ${number(before)} J is left` });
    }
  }
  const said = new Map<string, string[]>();
  for (const row of rows) {
    const { level, text } = judgement(row.answer);
    if (level === "bad") said.set(text, [...(said.get(text) ?? []), row.name]);
  }
  for (const [text, names] of said) lines.push({ level: "bad", about: "inconsistent", text: `${text}: ${names.join(", ")}` });
  const idle = impact.laws.filter((law) => !law.v_plus).map((law) => `${law.law} (${law.status})`);
  if (idle.length) lines.push({ level: "note", about: "no answer", text: idle.join(", ") });
  const mark = { good: "✓", bad: "✗", note: "·", unknown: "?" };
  return h("ul", { class: "verdict" }, ...lines.map((line) =>
    h("li", { class: line.level }, h("span", { class: "about" }, line.about), h("span", { class: "mark", "aria-hidden": "true" }, mark[line.level]), h("span", { class: "says" }, line.text))));
}

/** What pointing at a law in one place shows in all the others. */
class Choice {
  private readonly listeners: ((row: number) => void)[] = [];
  current = 0;
  on(listener: (row: number) => void): void { this.listeners.push(listener); }
  set(row: number): void {
    this.current = row;
    for (const listener of this.listeners) listener(row);
  }
}

function glyphs(scene: Scene, row: Row, perUnit: number): Glyph[] {
  return row.answer.contacts.map((c, i) => ({
    point: c.point ?? scene.contacts[i].point, normal: scene.contacts[i].normal, mu: scene.contacts[i].mu, mode: c.mode,
    arrow: c.impulse_world ?? c.moment_world, scale: perUnit, joint: scene.contacts[i].joint,
  }));
}

function stage(scene: Scene, impact: Impact, rows: Row[], choice: Choice, bench: Bench): HTMLElement[] {
  const view = bench.view!, { signal } = bench.life;
  const motion = new ImpactMotion(view, impact.v_minus);
  signal.addEventListener("abort", () => motion.play(false));
  const largest = Math.max(1e-12, ...rows.flatMap((row) => row.answer.contacts.map((c) => Math.hypot(...(c.impulse_world ?? c.moment_world ?? [0])))));
  const play = h("button", { type: "button", "aria-pressed": "false", title: "play, pause (space)", click: () => toggle() }, "slow motion");
  const toggle = () => {
    const on = !motion.isPlaying;
    if (on) motion.play(true);
    else motion.rest();
    play.setAttribute("aria-pressed", String(on));
  };
  const select = h("select", { "aria-label": "law", change: () => choice.set(select.selectedIndex) }, ...rows.map((row) => h("option", {}, row.name)));
  choice.on((i) => {
    select.selectedIndex = i;
    view.setContacts(glyphs(scene, rows[i], (0.3 * view.size) / largest));
    motion.set(rows[i].answer.v_plus);
    if (!motion.isPlaying) motion.rest();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && !(event.target as HTMLElement).closest("button, select, input, summary")) { event.preventDefault(); toggle(); }
  }, { signal });
  if (!calm() && bench.first.impact === impact) toggle();
  return [
    h("div", { class: "controls" }, h("label", {}, "law ", select), play),
    h("p", { class: "explain" }, "Arrows: impulses of the chosen law, one scale for all laws; a ring is the moment of a joint's limit. Blue sticks, orange slips, grey has no impulse. Slow motion leaves gravity out."),
  ];
}

function bar(ratio: number | null, most: number): Node {
  if (ratio === null) return document.createTextNode("–");
  const width = 120, value = Math.max(0, ratio), full = Math.max(1, most);
  return h("span", { class: "energy" },
    svg("svg", { viewBox: `0 0 ${width} 14`, width, height: 14, "aria-hidden": "true" },
      svg("rect", { class: "bar-rest", x: 0, y: 3, width: width / full, height: 8 }),
      svg("rect", { class: value > 1 + 1e-9 ? "bar-gain" : "bar", x: 0, y: 3, width: (width * value) / full, height: 8 })),
    h("span", {}, ` ${value.toFixed(4)}`));
}

function lawTable(rows: Row[], choice: Choice): HTMLElement {
  const names = rows[0].answer.contacts.map((c) => c.name), shown = names.slice(0, 6);
  const most = Math.max(...rows.map((row) => row.answer.energy.ratio ?? 0));
  const first = rows[0].answer.contacts;
  const scale = speed(rows), told = (x: number) => number(rounded(x, scale));
  const velocity = (n: number, t: number[], mode: Cell): Cell[] => [told(n), ...t.map(told), mode];
  const before: Cell[] = ["before", "", "", ...shown.flatMap((_, i) => velocity(first[i].n_minus, first[i].t_minus, ""))];
  const body: Cell[][] = [before];
  for (const row of rows) {
    const { level, text } = judgement(row.answer);
    const cells = shown.flatMap((_, i) => {
      const c = row.answer.contacts[i];
      return velocity(c.n_plus, c.t_plus, h("span", { class: `mode ${c.mode}` }, c.mode));
    });
    body.push([row.name, bar(row.answer.energy.ratio, most), badge(level, text), ...cells]);
  }
  const head: Cell[] = ["law", "K+/K−", "verdict", ...shown.flatMap((name, i) => [`${name}  n`, ...first[i].t_minus.map((_, k) => (k ? "t2" : "t")), ""])];
  const left = head.map((_, i) => i).filter((i) => i <= 2 || head[i] === ""); // law, bar and verdict, modes
  const result = table(head, body, left, "laws");
  const lines = [...result.querySelectorAll("tbody tr")].slice(1) as HTMLElement[];
  lines.forEach((line, i) => {
    line.tabIndex = 0;
    line.dataset.row = String(i);
    line.addEventListener("mouseenter", () => choice.set(i));
    line.addEventListener("focus", () => choice.set(i));
  });
  choice.on((i) => lines.forEach((line, k) => line.classList.toggle("chosen", k === i)));
  return section(
    "The laws",
    "Velocity of every contact after the impact in m/s, normal and tangential (n > 0 separates), and the share of kinetic energy left. Pointing at a line shows it everywhere.",
    result,
    names.length > shown.length ? h("p", { class: "explain" }, `${names.length - shown.length} more contacts are in the --json output.`) : null,
  );
}

/** With two tangents the picture is a plane of (speed, n). */
const along = (t: number[]) => (t.length === 1 ? t[0] : t.length === 0 ? 0 : Math.hypot(...t));

interface Dots { title: string; x: string; y: string; before?: [number, number]; at: [number, number][]; cone?: number; zero: string }

function dots(data: Dots, rows: Row[], choice: Choice): HTMLElement {
  const all = data.before ? [...data.at, data.before, [0, 0] as [number, number]] : [...data.at, [0, 0] as [number, number]];
  const xs = extent(all.map((p) => p[0]), 0.12), ys = extent(all.map((p) => p[1]), 0.12);
  const chart = new Chart({ label: data.x, min: xs[0], max: xs[1] }, { label: data.y, min: ys[0], max: ys[1] }, data.title, 420, 280);
  if (ys[0] < 0) chart.rect(xs[0], ys[0], xs[1], 0, "fill-zero");
  if (data.cone !== undefined && data.cone > 0) {
    const top = ys[1];
    chart.area([[0, 0], [data.cone * top, top], [-data.cone * top, top]], "fill-cone");
  }
  chart.line([[xs[0], 0], [xs[1], 0]], "line-quiet");
  chart.line([[0, ys[0]], [0, ys[1]]], "line-quiet");
  if (data.before) chart.plot.append(svg("circle", { class: "dot-before", cx: chart.px(data.before[0]), cy: chart.py(data.before[1]), r: 5 }, svg("title", {}, "before")));
  const marks = data.at.map((p, i) => {
    const mark = svg("circle", { class: "dot", cx: chart.px(p[0]), cy: chart.py(p[1]), r: 5 }, svg("title", {}, rows[i].name));
    mark.addEventListener("mouseenter", () => choice.set(i));
    chart.over.append(mark);
    return mark;
  });
  const label = svg("text", { class: "dot-label" });
  chart.over.append(label);
  choice.on((i) => {
    marks.forEach((mark, k) => mark.classList.toggle("chosen", k === i));
    chart.over.append(marks[i], label);
    const [x, y] = [chart.px(data.at[i][0]), chart.py(data.at[i][1])], right = x > chart.left + chart.inner.width / 2;
    label.textContent = rows[i].name;
    label.setAttribute("x", String(right ? x - 9 : x + 9));
    label.setAttribute("y", String(Math.max(y - 8, chart.top + 12)));
    label.setAttribute("text-anchor", right ? "end" : "start");
  });
  return h("figure", {}, h("h3", {}, data.title), chart.root, h("figcaption", {}, `${data.zero} `, saveChart(chart.root, data.title)));
}

function contactPlots(rows: Row[], choice: Choice): HTMLElement {
  const first = rows[0].answer.contacts, figures: HTMLElement[] = [];
  first.slice(0, 4).forEach((contact, i) => {
    const planar = contact.t_minus.length < 2;
    figures.push(dots({
      title: `${contact.name}: velocity`, x: planar ? "tangential (m/s)" : "slip speed (m/s)", y: "normal (m/s)", before: [along(contact.t_minus), contact.n_minus],
      at: rows.map((row) => [along(row.answer.contacts[i].t_plus), row.answer.contacts[i].n_plus]), zero: "ring: before; shaded: still approaching",
    }, rows, choice));
    figures.push(dots({
      title: `${contact.name}: impulse`, x: planar ? "tangential (N s)" : "tangential size (N s)", y: "normal (N s)", cone: contact.t_minus.length ? contact.mu : undefined,
      at: rows.map((row) => [along(row.answer.contacts[i].impulse_t), row.answer.contacts[i].impulse_n]), zero: contact.t_minus.length ? `shaded: friction cone, μ = ${number(contact.mu)}` : "no friction",
    }, rows, choice));
  });
  return section("Contact by contact", "Every law's answer as a point; the chosen one is named.", h("div", { class: "grid" }, ...figures));
}

function notes(impact: Impact): HTMLElement {
  const rows: Cell[][] = impact.laws.map((law) => [law.law, law.status, law.source, law.notes.join("; "), law.residual === undefined ? "" : law.residual.toExponential(1).replace("-", "−")]);
  return section("Sources and notes", "", table(["law", "status", "source", "notes", "residual"], rows, [0, 1, 2, 3], "sources and notes", "words"));
}

export function showImpact(place: HTMLElement, page: Page, bench: Bench): void {
  const impact = page.impact!, rows = rowsOf(impact), choice = new Choice();
  place.append(summary(impact, rows));
  if (rows.length > 0 && rows[0].answer.contacts.length > 0) {
    if (page.scene && bench.view) bench.controls.append(...stage(page.scene, impact, rows, choice, bench));
    place.append(lawTable(rows, choice), contactPlots(rows, choice));
    choice.set(Math.max(0, rows.findIndex((row) => judgement(row.answer).level === "good")));
  }
  place.append(notes(impact));
  const gain = rows.filter((row) => row.answer.check.gains_energy);
  if (gain.length) place.append(h("p", { class: "explain" }, `Largest gain: ${percent(Math.max(...gain.map((row) => (row.answer.energy.ratio ?? 1) - 1)))}.`));
}
