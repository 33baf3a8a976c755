// Fit: the laws by rank, measured against predicted velocities and the error over (mu, e) of the chosen law; the impact that is pointed at
// is shown everywhere, with its motion and every law's answer.
import { Chart, extent } from "./chart";
import type { Fit, FitLaw, FitPart, FitRow, Page } from "./data";
import type { Bench } from "./bench";
import { h, number, section, svg, table, type Cell } from "./dom";
import { ImpactMotion } from "./motion";
import { calm } from "./theme";

const dot = (row: number[], v: number[]) => row.reduce((sum, x, i) => sum + x * v[i], 0);
const PARAMETERS = ["e", "mu", "e_t", "mu_static", "slope", "inertia", "offset"] as const;
const BANDS = 10;
const SIZE: [number, number] = [390, 280]; // of a plot; its words are readable at the width of a phone

/** Velocities of the first contact: normal, then tangents. */
const contactVelocity = (row: FitRow, v: number[]) => row.J.map((j) => dot(j, v));

/** What is chosen in one place is shown in all the others. */
class Choice {
  private readonly listeners: ((law: number, row: number) => void)[] = [];
  law = 0;
  row = 0;
  on(listener: (law: number, row: number) => void): void { this.listeners.push(listener); }
  set(law: number, row: number): void {
    this.law = law;
    this.row = row;
    for (const listener of this.listeners) listener(law, row);
  }
}

function has(x: number | null | undefined): x is number {
  return x !== null && x !== undefined;
}

function interval(law: FitLaw, name: (typeof PARAMETERS)[number]): string {
  const value = law[name];
  if (!value) return "";
  if (value.determined === false) return "not determined";
  if (!has(value.low)) return `${number(value.value)} (too few rows)`;
  return `${number(value.value)} [${number(value.low)}, ${number(value.high)}]`;
}

function lawTable(part: FitPart, laws: FitLaw[], choice: Choice): HTMLElement {
  const fitted = PARAMETERS.filter((name) => laws[0][name]?.fitted), tested = laws[0].test !== null;
  const rows = laws.map((law): Cell[] => [
    `${law.rank}  ${law.law}`, ...fitted.map((name) => interval(law, name)), number(law.error), ...(tested ? [number(law.test)] : []),
    law.rank > 1 ? has(law.behind_low) ? `${number(law.behind, 3)} [${number(law.behind_low, 3)}, ${number(law.behind_high, 3)}]` : `${number(law.behind, 3)} (too few rows)` : "best",
  ]);
  const result = table(["law", ...fitted, "error", ...(tested ? ["unseen"] : []), "more than the best"], rows, [0], "laws");
  const lines = [...result.querySelectorAll("tbody tr")] as HTMLElement[];
  lines.forEach((line, i) => {
    line.tabIndex = 0;
    line.dataset.law = laws[i].law;
    line.addEventListener("click", () => choice.set(i, choice.row));
    line.addEventListener("focus", () => choice.set(i, choice.row));
  });
  choice.on((i) => lines.forEach((line, k) => line.classList.toggle("chosen", k === i)));
  const unseen = part.unseen ? `, ${part.unseen} unseen` : "";
  return section("The laws", `${part.fitted} fitted${unseen}. Coefficients with their intervals, the mean error, and how much more a law errs than the best one, row by row. Choose a law to see it below.`, result);
}

/** Bands of equal steps in the logarithm of the error, the least darkest. */
function surface(part: FitPart, law: FitLaw): HTMLElement | null {
  const { e, mu } = part;
  if (!e || !mu || e.length < 2 || mu.length < 2) return null;
  const dx = mu[1] - mu[0], dy = e[1] - e[0], all = law.surface.flat(), low = Math.min(...all), high = Math.max(...all);
  const chart = new Chart({ label: "friction μ", min: mu[0], max: mu[mu.length - 1] }, { label: "restitution e", min: e[0], max: e[e.length - 1] }, `${law.law}: error`, ...SIZE);
  e.forEach((y, i) => mu.forEach((x, j) => {
    const share = low > 0 && high > low ? Math.log(law.surface[i][j] / low) / Math.log(high / low) : 0;
    const left = chart.px(x - dx / 2), top = chart.py(y + dy / 2);
    chart.plot.append(svg("rect", { class: "error-band", x: left, y: top, width: chart.px(x + dx / 2) - left + 0.5, height: chart.py(y - dy / 2) - top + 0.5,
      "fill-opacity": (1 - Math.floor(share * (BANDS - 1e-9)) / (BANDS - 1)).toFixed(2) },
      svg("title", {}, `e = ${number(y, 3)}, μ = ${number(x, 3)}: ${number(law.surface[i][j])}`)));
  }));
  const { e: best, mu: rub } = law;
  if (best && rub) {
    chart.over.append(svg("rect", { class: "interval", x: chart.px(rub.low ?? rub.value), y: chart.py(best.high ?? best.value),
      width: chart.px(rub.high ?? rub.value) - chart.px(rub.low ?? rub.value), height: chart.py(best.low ?? best.value) - chart.py(best.high ?? best.value) }));
    chart.mark(rub.value, best.value, "optimum");
  }
  return h("figure", {}, h("h3", {}, `${law.law}: error over (μ, e)`), chart.root, h("figcaption", {}, "darker is less, equal steps of its logarithm; cross: optimum, box: its intervals"));
}

/** Measured against predicted, one velocity of the first contact; points are impacts. */
function scatter(part: FitPart, laws: FitLaw[], k: number, choice: Choice): HTMLElement | null {
  const at = (i: number, law: FitLaw): [number, number] | null => {
    const row = part.rows![i], v = law.v_plus?.[i];
    return k < row.J.length && v && v.every((x) => x !== null) ? [dot(row.J[k], row.v_plus), dot(row.J[k], v as number[])] : null;
  };
  const all = laws.slice(0, 1).flatMap((law) => part.rows!.flatMap((_, i) => at(i, law) ?? []));
  if (!all.length) return null;
  const [low, high] = extent(all), title = k === 0 ? "normal velocity after" : `tangential velocity after${part.rows![0].J.length > 2 ? ` ${k}` : ""}`;
  const chart = new Chart({ label: "measured (m/s)", min: low, max: high }, { label: "predicted (m/s)", min: low, max: high }, title, ...SIZE);
  chart.line([[low, low], [high, high]], "line-quiet");
  const points = part.rows!.map((row, i) => {
    const mark = svg("circle", { class: `dot small${row.outlier ? " outlier" : ""}`, r: 3, "data-row": row.number }, svg("title", {}, `row ${row.number}`));
    mark.addEventListener("mouseenter", () => choice.set(choice.law, i));
    chart.plot.append(mark);
    return mark;
  });
  const place = (law: FitLaw) => points.forEach((mark, i) => {
    const p = at(i, law);
    mark.toggleAttribute("hidden", !p);
    if (p) mark.setAttribute("cx", chart.px(p[0]).toFixed(1)), mark.setAttribute("cy", chart.py(p[1]).toFixed(1));
  });
  let shown = -1, before = -1;
  choice.on((law, row) => {
    if (law !== shown) place(laws[law]);
    shown = law;
    if (before >= 0) points[before].classList.remove("chosen"), points[before].setAttribute("r", "3");
    points[row].classList.add("chosen"), points[row].setAttribute("r", "6");
    chart.plot.append(points[row]);
    before = row;
  });
  return h("figure", {}, h("h3", {}, title), chart.root, h("figcaption", {}, "on the line: predicted as measured; ring: an outlier"));
}

/** The chosen impact: before, measured, and every law's answer, as numbers and in the plane of the first contact. */
function impact(part: FitPart, laws: FitLaw[], choice: Choice): HTMLElement {
  const place = h("div", {});
  const words = (name: string, u: number[], v: number[], error: number | null): Cell[] => [name, ...u.map((x) => number(x)), ...v.map((x) => number(x)), error === null ? "" : number(error)];
  choice.on((chosen, i) => {
    const row = part.rows![i], nt = row.J.length - 1, along = (u: number[]) => (nt < 2 ? u[1] ?? 0 : Math.hypot(u[1], u[2]));
    const before = contactVelocity(row, row.v), after = contactVelocity(row, row.v_plus);
    const answers = laws.map((law) => law.v_plus?.[i]?.every((x) => x !== null) ? (law.v_plus![i] as number[]).slice(0, row.v.length) : null);
    const u = answers.map((v) => v && contactVelocity(row, v));
    const heads = ["n", ...Array.from({ length: nt }, (_, k) => (nt > 1 ? `t${k + 1}` : "t"))];
    const lines = [words("before", before, row.v, null), words("measured", after, row.v_plus, null),
      ...laws.map((law, k) => (answers[k] ? words(law.law, u[k]!, answers[k]!, law.errors[i]) : [law.law, ...Array(heads.length + row.v.length).fill("–"), "no answer"]))];
    const points = [before, after, ...u.filter((x) => x !== null)] as number[][];
    const xs = extent([0, ...points.map(along)], 0.12), ys = extent([0, ...points.map((p) => p[0])], 0.12);
    const chart = new Chart({ label: nt < 2 ? "tangential (m/s)" : "slip speed (m/s)", min: xs[0], max: xs[1] }, { label: "normal (m/s)", min: ys[0], max: ys[1] }, "the impact", ...SIZE);
    if (ys[0] < 0) chart.rect(xs[0], ys[0], xs[1], 0, "fill-zero");
    chart.line([[along(before), before[0]], [along(after), after[0]]], "line-measured");
    chart.over.append(svg("circle", { class: "dot-before", cx: chart.px(along(before)), cy: chart.py(before[0]), r: 5 }, svg("title", {}, "before")));
    u.forEach((p, k) => p && chart.over.append(svg("circle", { class: `dot${k === chosen ? " chosen" : ""}`, cx: chart.px(along(p)), cy: chart.py(p[0]), r: 5 }, svg("title", {}, laws[k].law))));
    chart.mark(along(after), after[0], "measured");
    const result = table(["", ...heads, ...row.v.map((_, k) => `v${k + 1}`), "error"], lines, [0], "the impact");
    [...result.querySelectorAll("tbody tr")].forEach((line, k) => line.classList.toggle("chosen", k === chosen + 2));
    place.replaceChildren(h("h3", {}, `row ${row.number}${row.group ? `, ${row.group}` : ""}${row.outlier ? `: outlier, ${row.outlier}` : ""}`),
      h("div", { class: "grid" }, h("figure", {}, chart.root, h("figcaption", {}, "ring: before; cross: measured; dots: the laws, the chosen one filled; shaded: still approaching"))), result);
  });
  const step = (by: number) => choice.set(choice.law, (choice.row + by + part.rows!.length) % part.rows!.length);
  const worst = () => choice.set(choice.law, laws[choice.law].errors.reduce((best: number, x, i, all) => ((x ?? 0) > (all[best] ?? 0) ? i : best), 0));
  const button = (name: string, click: () => void) => h("button", { type: "button", click }, name);
  return section("The impact", "Velocities of the first contact in m/s (n > 0 separates), then those of the mechanism: before, as measured, and after each law.",
    h("div", { class: "controls noprint" }, button("previous", () => step(-1)), button("next", () => step(1)), button("largest error", worst)), place);
}

/** The mechanism at the impact, moving as measured or as a law says. */
function stage(part: FitPart, laws: FitLaw[], choice: Choice, bench: Bench): HTMLElement {
  const view = bench.view!, { signal } = bench.life;
  const select = h("select", { "aria-label": "after the impact" }, h("option", {}, "as measured"), ...laws.map((law) => h("option", {}, law.law)));
  let motion: ImpactMotion | null = null, playing = !calm(), last = -1;
  const play = h("button", { type: "button", "aria-pressed": String(playing), title: "play, pause", click: () => {
    playing = !playing;
    play.setAttribute("aria-pressed", String(playing));
    if (playing) motion?.play(true); else motion?.rest();
  } }, "slow motion");
  const show = () => {
    const row = part.rows![choice.row];
    if (!row.qpos) return;
    if (choice.row !== last) {
      motion?.play(false);
      view.scene.qpos = row.qpos;
      motion = new ImpactMotion(view, row.v);
      view.setContacts((row.points ?? []).map((c) => ({ ...c, mu: 0, mode: "none" as const })));
      last = choice.row;
    }
    const v = select.selectedIndex ? laws[select.selectedIndex - 1].v_plus?.[choice.row] : row.v_plus;
    motion!.set(v && v.every((x) => x !== null) ? (v as number[]) : row.v);
    if (playing) motion!.play(true); else motion!.rest();
  };
  select.addEventListener("change", show);
  choice.on(show);
  signal.addEventListener("abort", () => motion?.play(false));
  return h("div", { class: "controls" }, h("label", {}, "after the impact ", select), play);
}

function errors(laws: FitLaw[], choice: Choice): HTMLElement {
  const lines = laws[0].errors.map((_, i): Cell[] => [String(i + 1), ...laws.map((law) => number(law.errors[i]))]);
  const place = table(["motion", ...laws.map((law) => law.law)], lines, [0], "errors of the motions");
  choice.on((law) => place.querySelectorAll("tr").forEach((line) => [...line.children].forEach((cell, k) => cell.classList.toggle("chosen", k === law + 1))));
  return section("Motions", "Error of each motion under each law: 0 is the motion itself, 1 a mechanism that stays where it is.", h("div", { class: "tall" }, place));
}

function showPart(part: FitPart, fit: Fit, page: Page, bench: Bench): HTMLElement {
  const laws = part.laws.filter((law) => law.rank > 0).sort((a, b) => a.rank - b.rank), choice = new Choice(), place = h("div", {});
  if (part.group !== null) place.append(h("h2", {}, `group ${part.group || "without a name"}`));
  if (!laws.length) return h("div", {}, place, h("p", {}, `No law has an answer: ${part.status}.`));
  const figures = h("div", { class: "grid" }), field = h("div", {});
  place.append(lawTable(part, laws, choice));
  choice.on((law) => { const picture = surface(part, laws[law]); field.replaceChildren(...(picture ? [picture] : [])); });
  figures.append(field);
  if (part.rows) {
    for (const k of [0, 1, 2]) { const figure = scatter(part, laws, k, choice); if (figure) figures.append(figure); }
    place.append(section("Measured and predicted", "Every point is an impact; point at one to see it below.", figures), impact(part, laws, choice));
    if (page.scene && bench.view && part === fit.fits[0]) bench.controls.append(stage(part, laws, choice, bench));
  } else {
    place.append(section("The error", "", figures), errors(laws, choice));
  }
  choice.set(0, 0);
  return place;
}

export function showFit(place: HTMLElement, page: Page, bench: Bench): void {
  const fit = page.fit!;
  if (fit.said) place.append(section("The data, without a law", "", h("pre", { class: "said" }, fit.said)));
  const parts = fit.fits.map((part) => () => showPart(part, fit, page, bench));
  place.prepend(...parts.map((make) => make()));
}
