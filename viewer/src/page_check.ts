// Check: the verdict first, then the admissible regions with the state marked, the kinetic angles, and every table.
import { Chart, extent, legend } from "./chart";
import type { Check, Criterion, Page, Region, Scene, VerdictLine } from "./data";
import type { Bench } from "./bench";
import { badge, h, number, percent, section, svg, table, type Cell } from "./dom";
import { saveChart } from "./save";

const MARK = { good: "✓", bad: "✗", note: "·", unknown: "?" };

/** What stands between backticks is a name. */
const quoted = (text: string) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

function verdict(lines: VerdictLine[]): HTMLElement {
  const spoken = { good: "good: ", bad: "problem: ", note: "note: ", unknown: "undecided: " };
  return h(
    "ul",
    { class: "verdict" },
    ...lines.map((line) =>
      h(
        "li",
        { class: line.about ? line.level : `${line.level} more` },
        h("span", { class: "about" }, line.about ?? ""),
        h("span", { class: "mark", role: "img", "aria-label": spoken[line.level] }, MARK[line.level]),
        h("span", { class: "says" }, ...quoted(line.text)),
      ),
    ),
  );
}

type RegionContact = Region["contacts"][number];

/** Cells of one kind in a row become one rectangle. */
function drawCells(chart: Chart, region: RegionContact): void {
  const { e, mu, cells } = region, de = e[1] - e[0], dmu = mu[1] - mu[0];
  const style: Record<string, string> = { s: "fill-stick", l: "fill-slip" };
  cells.forEach((row, i) => {
    for (let j = 0; j < row.length; ) {
      let k = j;
      while (k < row.length && row[k] === row[j]) k++;
      const fill = style[row[j]];
      // half a cell on either side, and a hair more so that no seams show
      if (fill) chart.rect(mu[j] - 0.5 * dmu, e[i] - 0.52 * de, mu[k - 1] + 0.5 * dmu, e[i] + 0.52 * de, fill);
      j = k;
    }
  });
}

function regionFigure(region: RegionContact, state: Check["friction"][number]): HTMLElement {
  const chart = new Chart(
    { label: "coefficient of friction μ", min: 0, max: region.mu[region.mu.length - 1] },
    { label: "restitution e", min: 0, max: 1 },
    `admissible friction and restitution of contact ${region.name}`,
  );
  if (state.mode === "none") chart.say("not hit at this velocity");
  drawCells(chart, region);
  chart.line(region.e.map((e, i) => (region.mu_critical[i] === null ? null : [region.mu_critical[i]!, e])), "line-critical");
  if (state.mu_star !== null) chart.line([[state.mu_star, 0], [state.mu_star, 1]], "line-star");
  if (state.e_star_uniform !== null) chart.line([[0, state.e_star_uniform], [chart.x.max, state.e_star_uniform]], "line-quiet");
  chart.mark(state.mu, state.e, `here: μ = ${number(state.mu)}, e = ${number(state.e)}`);
  const words = state.mode === "none" ? "not hit at this velocity" : `${state.mode}, ${state.admissible ? "admissible" : "not admissible"}`;
  return h(
    "figure",
    { class: "region", "data-contact": region.name },
    h("h3", {}, region.name),
    chart.root,
    h("figcaption", {}, `here μ = ${number(state.mu)}, e = ${number(state.e)}: ${words} `, saveChart(chart.root, `region-${region.name}`)),
  );
}

function regions(check: Check, region: Region): HTMLElement | null {
  if (region.contacts.length === 0) return null;
  const stateOf = (name: string) => check.friction.find((f) => f.name === name)!;
  const hit = region.contacts.filter((one) => stateOf(one.name).mode !== "none"), idle = region.contacts.filter((one) => !hit.includes(one));
  const shown = (hit.length ? hit : idle.slice(0, 1)).slice(0, 12); // without a velocity there is nothing to colour, but mu* and e* stand in the first
  const silent = idle.filter((one) => !shown.includes(one)).map((one) => one.name);
  const figures = shown.map((one) => regionFigure(one, stateOf(one.name)));
  const entries: [string, string][] = [
    ["fill-stick", "sticks, admissible"], ["fill-slip", "slips, admissible"], ["fill-out", "not admissible"],
    ["line-critical", "μ critical: sticks to its right"], ["line-star", "μ*"], ["line-quiet", "e* for every velocity"],
  ];
  return section(
    "Admissible friction and restitution",
    "For each contact by itself, at this approach velocity: which pairs (μ, e) gain no energy and stop the approach [Aghili, (41)]. The cross is the state at hand.",
    h("div", { class: "grid" }, ...figures),
    legend(entries),
    silent.length ? h("p", { class: "explain" }, `Not hit at this velocity${shown[0] === idle[0] ? " either" : ""}: ${silent.slice(0, 8).join(", ")}${silent.length > 8 ? ` and ${silent.length - 8} more` : ""}.`) : null,
    hit.length > shown.length ? h("p", { class: "explain" }, `${hit.length - shown.length} more contacts are in the table.`) : null,
  );
}

function restitutionRegion(region: Region["restitution"]): HTMLElement | null {
  if (!region) return null;
  const n = region.low.length - 1;
  const chart = new Chart(
    { label: `e of ${region.contacts[0]}`, min: 0, max: 1 },
    { label: `e of ${region.contacts[1]}`, min: 0, max: 1 },
    "admissible pairs of restitution coefficients",
  );
  const upper: [number, number][] = [], lower: [number, number][] = [];
  for (let i = 0; i <= n; i++) {
    const low = region.low[i], high = region.high[i];
    if (low === null || high === null) continue;
    lower.push([i / n, Math.max(0, low)]);
    upper.push([i / n, Math.min(1, high)]);
  }
  if (upper.length > 1) chart.area([...lower, ...upper.reverse()], "fill-stick");
  chart.mark(region.state[0], region.state[1], "the state at hand");
  return section(
    "Two coefficients of restitution together",
    "Pairs for which no velocity of the two contacts, approaching or not, gains energy: the matrix inequality (56) [Aghili]. Outside, some velocity of some sign gains; the verdict above looks at approaching ones only.",
    h("figure", { class: "region" }, chart.root),
  );
}

/** Two surfaces with their kinetic angle between them, seen in the metric of M, and the velocity that comes. */
function angleFigure(check: Check, i: number, j: number, names: string[]): HTMLElement {
  const degrees = check.kinetic_angles_deg[i][j], angle = (degrees * Math.PI) / 180, r = 70, size = 190, cx = size / 2, cy = 112;
  const half = angle / 2, up = -Math.PI / 2;
  // surfaces leave the corner at -half and +half about the upward direction; normals point inwards
  const ray = (a: number, length: number): [number, number] => [cx + length * Math.cos(a), cy + length * Math.sin(a)];
  const s1 = ray(up - half, r), s2 = ray(up + half, r);
  const n1: [number, number] = [Math.cos(up - half + Math.PI / 2), Math.sin(up - half + Math.PI / 2)];
  const n2: [number, number] = [Math.cos(up + half - Math.PI / 2), Math.sin(up + half - Math.PI / 2)];
  const picture = svg("svg", { viewBox: `0 0 ${size} 130`, class: "angle", role: "img", "aria-label": `kinetic angle of ${names[i]} and ${names[j]}: ${number(degrees, 4)} degrees` });
  const large = angle > Math.PI ? 1 : 0;
  picture.append(svg("path", { d: `M${cx} ${cy}L${s1[0]} ${s1[1]}A${r} ${r} 0 ${large} 1 ${s2[0]} ${s2[1]}Z`, class: "wedge" }));
  picture.append(svg("path", { d: `M${s1[0]} ${s1[1]}L${cx} ${cy}L${s2[0]} ${s2[1]}`, class: "surface" }));
  const a1 = ray(up - half, 26), a2 = ray(up + half, 26);
  picture.append(svg("path", { d: `M${a1[0]} ${a1[1]}A26 26 0 ${large} 1 ${a2[0]} ${a2[1]}`, class: "arc" }));
  // the velocity in this plane: w.n1 and w.n2 are the two normal quasi-velocities
  const det = n1[0] * n2[1] - n1[1] * n2[0], u1 = check.quasi.norm[i], u2 = check.quasi.norm[j];
  if (Math.abs(det) > 1e-6) {
    const w: [number, number] = [(u1 * n2[1] - u2 * n1[1]) / det, (u2 * n1[0] - u1 * n2[0]) / det];
    const length = Math.hypot(w[0], w[1]);
    if (length > 1e-12) {
      const tail: [number, number] = [cx - (48 * w[0]) / length, cy - (48 * w[1]) / length];
      picture.append(svg("path", { d: `M${tail[0]} ${tail[1]}L${cx} ${cy}`, class: "comes", "marker-end": "url(#tip)" }));
    }
  }
  picture.append(svg("text", { x: s1[0], y: s1[1] - 5, "text-anchor": s1[0] < cx - 4 ? "start" : "middle" }, names[i]));
  picture.append(svg("text", { x: s2[0], y: s2[1] - 5, "text-anchor": s2[0] > cx + 4 ? "end" : "middle" }, names[j]));
  return h(
    "figure",
    {},
    picture,
    h("figcaption", {}, `${number(degrees, 4)}°: ${degrees < 89.9999 ? "an impulse at one closes the other" : degrees > 90.0001 ? "an impulse at one opens the other" : "the two do not feel each other"}`),
  );
}

function angles(check: Check): HTMLElement | null {
  const names = check.friction.map((f) => f.name), n = names.length;
  if (n < 2) return null;
  const pairs: [number, number][] = [];
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) pairs.push([i, j]);
  const arrow = svg("svg", { width: 0, height: 0, "aria-hidden": "true", class: "defs" },
    svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8Z", class: "tip" }))));
  const matrix = table(["°", ...names], names.map((name, i) => [name, ...check.kinetic_angles_deg[i].map((a) => number(a, 5))]), [0], "kinetic angles");
  return section(
    "Kinetic angles",
    "The angle between two contact surfaces in the metric of the mass matrix [Brogliato, (21)], and how the present velocity comes into the corner (arrow; its part in the plane of the two normals).",
    arrow,
    h("div", { class: "grid small" }, ...pairs.slice(0, 12).map(([i, j]) => angleFigure(check, i, j, names))),
    n > 2 ? h("details", {}, h("summary", {}, "all angles"), matrix) : null,
  );
}

function frictionTable(check: Check): HTMLElement {
  const interval = (i: number) => {
    const range = check.restitution.e_interval[i];
    return range ? `${number(range[0])} … ${number(range[1])}` : "none";
  };
  return section(
    "Contacts",
    "μ critical: the impact sticks from there on. μ*: below it friction cannot keep the approach from being stopped. e*: the largest restitution of a sticking impact that gains no energy, at this velocity and at every. e (normals): the values this coefficient may have without friction, the others as they are.",
    table(
      ["contact", "e", "μ", "μ critical", "μ*", "e*", "e* every", "e (normals)", "mode", "energy", "admissible"],
      check.friction.map((f, i) => [
        f.name, number(f.e), number(f.mu), number(f.mu_critical), number(f.mu_star), number(f.e_star), number(f.e_star_uniform), interval(i), f.mode,
        check.quasi.kinetic > 0 && f.energy_change !== null ? percent(f.energy_change / check.quasi.kinetic) : "–",
        f.mode === "none" ? badge("note", "not hit") : f.admissible ? badge("good", "yes") : badge("bad", "no"),
      ]),
      [0, 8, 10],
      "contacts",
    ),
  );
}

/** Exact criteria whose failure is no defect: energy need not be conserved. */
const WELCOME = new Set(["corollary1"]);

function criterionRow(c: Criterion): Cell[] {
  const holds = !c.applies ? badge("note", "does not apply") : c.holds === null ? badge("unknown", "undecided") : c.holds ? badge("good", "holds")
    : c.kind === "sufficient" ? badge("note", "not shown") : WELCOME.has(c.name) ? badge("note", "no") : badge("bad", "fails");
  return [c.name, holds, c.kind, c.applies ? number(c.value, 5) : "", c.applies ? number(c.bound, 5) : "", c.says];
}

function criteria(check: Check): HTMLElement {
  const rows = [...check.restitution.propositions, ...check.theorem2.propositions, ...check.wellposed.propositions].map(criterionRow);
  return section(
    "Criteria",
    "The propositions of [Brogliato] with value and bound. An exact criterion decides; a sufficient one that is not shown proves nothing.",
    table(["criterion", "verdict", "kind", "value", "bound", "what is compared"], rows, [0, 1, 2, 5], "criteria"),
  );
}

function matrices(check: Check): HTMLElement {
  const names = check.friction.map((f) => f.name), w = check.wellposed;
  const yes = (value: boolean | null) => (value === null ? badge("unknown", "undecided") : value ? badge("good", "yes") : badge("note", "no"));
  const facts = table(
    ["contact LCP (26)", ""],
    [
      ["P-matrix", w.p_matrix === false ? badge("bad", "no") : yes(w.p_matrix)],
      ["positive definite", yes(w.positive_definite)],
      ["copositive", yes(w.copositive)],
      ["strictly copositive", yes(w.strictly_copositive)],
      ["critical friction", number(w.mu_critical)],
      ["regime here", w.b ? w.regime : "contacts open or close"],
      ["margin of the matrix inequality (56)", number(check.lmi.margin)],
      ["E may be scaled by", number(check.restitution.t_max)],
      ["kinetic energy, normal part", `${number(check.quasi.kinetic_normal)} J`],
      ["kinetic energy, tangential part", `${number(check.quasi.kinetic_tangential)} J`],
    ],
    [0, 1],
    "facts",
  );
  const D = names.length <= 12 ? table(["D", ...names], w.D.map((row, i) => [names[i], ...row.map((x) => number(x, 5))]), [0], "matrix D") : null;
  return section("Well-posedness and energies", "With contacts that persist and slip, the normal forces solve a linear complementarity problem with the matrix D; it has one answer for every load exactly where D is a P-matrix.",
    h("div", { class: "grid" }, facts, D));
}

function scan(check: Check): HTMLElement | null {
  const s = check.scan;
  if (!s) return null;
  const values = s.mu_critical.filter((x): x is number => x !== null);
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const top = Math.min(sorted[sorted.length - 1], 4 * sorted[Math.floor(sorted.length / 4)]);
  const chart = new Chart(
    { label: `joint ${s.joint}`, min: s.value[0], max: s.value[s.value.length - 1] },
    { label: "critical friction", min: 0, max: Math.max(extent([top], 0)[1], top * 1.05) },
    "critical friction over the joint",
  );
  chart.line(s.value.map((x, i) => (s.mu_critical[i] === null ? null : [x, s.mu_critical[i]!])), "line-main");
  if (s.at !== null && s.mu_critical_min !== null) chart.mark(s.at, s.mu_critical_min, "least");
  return section("Critical friction over a joint", `Least ${number(s.mu_critical_min, 6)} at ${number(s.at, 6)}.`, h("figure", {}, chart.root));
}

function stage(scene: Scene, check: Check, bench: Bench): void {
  const mode = (word: string) => (word === "none" ? "none" : word.startsWith("slip") ? "slip" : "stick");
  bench.view!.setContacts(scene.contacts.map((c, i) => ({
    point: c.point, normal: c.normal, mu: c.mu, mode: mode(check.friction[i]?.mode ?? "none"), joint: c.joint,
  })));
  bench.controls.append(h("p", { class: "explain" }, "Normals and friction cones: blue sticks, orange slips, grey is not hit."));
}

export function showCheck(place: HTMLElement, page: Page, bench: Bench): void {
  const check = page.check!, region = page.region!;
  if (check.overall) place.append(h("p", { class: `overall ${check.overall.level}` }, h("span", { class: "mark", "aria-hidden": "true" }, MARK[check.overall.level]), ` ${check.overall.text}`));
  place.append(verdict(check.verdict));
  if (page.scene && bench.view) stage(page.scene, check, bench);
  if (check.friction.length === 0) return;
  const parts = [regions(check, region), restitutionRegion(region.restitution), angles(check), frictionTable(check), scan(check), criteria(check), matrices(check)];
  for (const part of parts) if (part) place.append(part);
}
