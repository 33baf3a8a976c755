// Plots of a run beside its scene, through uPlot: each shows a group of signals or two against each other, all have the time cursor, a
// click seeks, dragging zooms all together. Another run lies under them as dashed lines, or as the difference.
import uPlot from "uplot";
import { ticks } from "./chart";
import { lastAtOrBefore } from "./data";
import { h, number } from "./dom";
import { download } from "./save";
import { interpolated, valueAt, type Signal } from "./signals";
import { colour, onTheme } from "./theme";

const LINE_COLOURS = ["--accent", "--slip", "--good", "--bad", "--unknown", "--quiet", "--stick", "--ink"];
const MOST_LINES = 8; // that a plot begins with
const FIRST = ["energy", "ledger: what changed it", "positions", "velocities", "normal forces"];
const HEIGHT = 170;

/** For an axis: short, and never a zero that is none. */
function short(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(6))).replace("-", "−");
  const [digits, power] = value.toExponential(2).split("e");
  return `${Number(digits)}e${Number(power)}`.replaceAll("-", "−");
}

const titled = (group: string, unit: string) => (unit ? `${group} (${unit})` : group);

type Other = { signals: Map<string, Signal>; difference: boolean } | null;
const key = (signal: Signal) => `${signal.group}\n${signal.name}`;

/** One plot: its signals, its place, its uPlot. */
class Panel {
  readonly root = h("figure", {});
  private readonly host = h("div", { class: "plot" });
  private readonly cursor = h("div", { class: "time-cursor", "aria-hidden": "true" });
  private plot?: uPlot;
  private log = false;
  private against: Signal | null = null; // a phase plot: across
  private lines: Signal[];

  constructor(private readonly all: Signal[], group: string, private readonly owner: SeriesPlots) {
    this.lines = all.filter((s) => s.group === group).slice(0, MOST_LINES);
    this.head();
  }

  private get group(): string { return this.lines[0]?.group ?? ""; }
  private get unit(): string { return this.lines[0]?.unit ?? ""; }

  private head(): void {
    const groups = [...new Set(this.all.map((s) => s.group))];
    const choose = h("select", { class: "noprint", "aria-label": "signals", title: "what this plot shows", change: () => {
      this.lines = this.all.filter((s) => s.group === choose.value).slice(0, MOST_LINES);
      this.again();
    } }, ...groups.map((group) => h("option", { value: group, selected: group === this.group }, titled(group, this.all.find((s) => s.group === group)!.unit))));
    const of = this.all.filter((s) => s.group === this.group);
    const across = h("select", { "aria-label": "across", title: "over time, or a phase plot", change: () => {
      this.against = across.value === "" ? null : this.all[Number(across.value)];
      this.again();
    } }, h("option", { value: "" }, "over time"), ...this.all.map((s, i) => (s.t === this.lines[0]?.t ? h("option", { value: i, selected: s === this.against }, `over ${s.group === s.name ? "" : `${s.group}: `}${s.name}`) : null)));
    const pick = h("details", { class: "pick-lines" }, h("summary", {}, `${this.lines.length} of ${of.length}`), h("div", { class: "pick-list" }, ...of.map((signal) => {
      const box = h("input", { type: "checkbox", "aria-label": signal.name, checked: this.lines.includes(signal), change: () => {
        this.lines = of.filter((s) => (s === signal ? box.checked : this.lines.includes(s)));
        if (!this.lines.length) this.lines = [signal];
        this.make();
      } });
      return h("label", {}, box, ` ${signal.name}`);
    })));
    const log = h("button", { type: "button", class: "save", "aria-pressed": String(this.log), title: "logarithmic size, of what is not zero", click: () => { this.log = !this.log; this.again(); } }, "log");
    const name = () => `${this.group} ${this.against ? "phase" : ""}`.trim();
    this.root.replaceChildren(
      h("h3", { class: "plot-head" }, h("span", { class: "plot-title" }, titled(this.group, this.unit)), choose, h("span", { class: "plot-tools noprint" }, across, of.length > 1 ? pick : null, log,
        h("button", { type: "button", class: "save", title: "save this plot as CSV", click: () => download(`${name()}.csv`, new Blob([this.csv()], { type: "text/csv" })) }, "CSV"),
        h("button", { type: "button", class: "save", title: "save this plot as SVG", click: () => download(`${name()}.svg`, new Blob([this.svg()], { type: "image/svg+xml" })) }, "SVG"),
        h("button", { type: "button", class: "save", title: "save this plot as PNG", click: () => this.plot?.ctx.canvas.toBlob((blob) => blob && download(`${name()}.png`, blob)) }, "PNG"),
        h("button", { type: "button", class: "save", title: "remove this plot", click: () => this.owner.remove(this) }, "×"))),
      this.host);
  }

  private again(): void {
    this.head();
    this.make();
  }

  /** Across and up; what the other run adds follows. */
  private data(): { x: ArrayLike<number>; y: { name: string; values: (number | null)[]; dashed: boolean }[] } {
    const x = this.against ? (this.against.y as ArrayLike<number>) : this.lines[0]?.t ?? [], size = (v: number | null) => (v === null || !this.log ? v : v === 0 ? null : Math.abs(v));
    const y: { name: string; values: (number | null)[]; dashed: boolean }[] = [], { other } = this.owner;
    for (const line of this.lines) {
      const twin = other?.signals.get(key(line)), own = Array.from(line.y as ArrayLike<number | null>);
      const theirs = twin && !this.against ? Array.from(line.t, (t) => interpolated(twin, t)) : null;
      if (theirs && other!.difference) y.push({ name: `Δ ${line.name}`, dashed: false, values: own.map((v, k) => (v === null || theirs[k] === null ? null : size(v - theirs[k]!))) });
      else {
        y.push({ name: line.name, values: own.map(size), dashed: false });
        if (theirs) y.push({ name: `${line.name} (other)`, values: theirs.map(size), dashed: true });
      }
    }
    return { x, y };
  }

  make(): void {
    this.plot?.destroy();
    const { x, y } = this.data(), phase = this.against !== null;
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif" };
    const told = (unit: string) => (_: uPlot, v: number | null) => (v === null || v === undefined ? "–" : `${number(v, 6)}${unit}`);
    const series = y.map((line, k): uPlot.Series => ({
      label: line.name, stroke: colour(LINE_COLOURS[k % LINE_COLOURS.length]), width: line.dashed ? 1 : 1.5, dash: line.dashed ? [5, 4] : undefined, points: { show: false },
      value: told(""), spanGaps: false, ...(phase ? { paths: trail } : {}),
    }));
    const options: uPlot.Options = {
      width: this.width, height: phase ? Math.min(320, Math.max(240, this.width * 0.7)) : HEIGHT, mode: phase ? 2 : 1, pxAlign: 0, // whole pixels would make stairs of a slope
      cursor: { y: false, drag: { x: !phase, y: false }, points: { size: 6, show: !phase } },
      scales: { x: { time: false, ...(phase ? { range: spread(x) } : {}) }, y: this.log ? { distr: 3 } : phase ? { range: spread(y.flatMap((line) => line.values)) } : {} },
      legend: { live: !phase },
      axes: [
        { ...axis, size: 34, values: (_, values) => values.map((v) => (phase ? short(v) : `${number(v, 6)} s`)), ...(phase ? { label: `${this.against!.name} ${this.against!.unit}`, labelSize: 16 } : {}) },
        { ...axis, size: 64, values: (_, values) => values.map((v) => (v === null ? "" : short(v))) },
      ],
      series: [phase ? {} : { label: "t", value: told(" s") }, ...series],
      hooks: { setScale: [(plot, name) => { if (name === "x" && !phase) this.owner.zoom(plot); }], ready: [(plot) => this.ready(plot, phase)] },
    };
    const values = phase ? [null, ...y.map((line) => [x, line.values])] : [x, ...y.map((line) => line.values)];
    this.plot = new uPlot(options, values as unknown as uPlot.AlignedData, this.host);
    this.show(this.owner.now);
  }

  private get width(): number { return Math.max(200, this.host.clientWidth); }

  private ready(plot: uPlot, phase: boolean): void {
    this.cursor.classList.toggle("dot", phase);
    plot.over.append(this.cursor);
    if (phase) return;
    let down = 0;
    plot.over.addEventListener("mousedown", (event) => { down = event.clientX; });
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) < 4) this.owner.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
    });
    // wheel with ctrl, as in maps: the plain wheel scrolls the page
    plot.over.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at = plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"), by = event.deltaY > 0 ? 1.25 : 0.8;
      const { min, max } = plot.scales.x;
      plot.setScale("x", { min: at + (min! - at) * by, max: at + (max! - at) * by });
    }, { passive: false });
  }

  zoomTo(from: uPlot): void {
    const { min, max } = from.scales.x;
    if (this.plot && this.plot !== from && !this.against && min !== undefined && max !== undefined) this.plot.setScale("x", { min, max });
  }

  resize(): void {
    if (!this.plot) return this.make();
    if (Math.abs(this.width - this.plot.width) > 1) this.plot.setSize({ width: this.width, height: this.plot.height });
  }

  show(t: number): void {
    const { plot } = this;
    if (!plot) return;
    if (this.against) {
      const x = valueAt(this.against, t), y = this.lines[0] ? valueAt(this.lines[0], t) : null, known = x !== null && y !== null;
      this.cursor.style.visibility = known ? "visible" : "hidden";
      if (known) this.cursor.style.transform = `translate(${plot.valToPos(x, "x")}px, ${plot.valToPos(this.log ? Math.abs(y) : y, "y")}px)`;
      return;
    }
    const x = plot.valToPos(t, "x"), inside = x >= 0 && x <= plot.bbox.width / devicePixelRatio; // asking the element would lay the page out
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.style.visibility = inside ? "visible" : "hidden";
    if (!plot.over.matches(":hover") && this.lines[0]) plot.setLegend({ idx: lastAtOrBefore(this.lines[0].t, t) });
  }

  private csv(): string {
    const { x, y } = this.data(), quoted = (s: string) => `"${s.replaceAll('"', '""')}"`;
    const head = [this.against ? `${this.against.name} ${this.against.unit}`.trim() : "t s", ...y.map((line) => `${line.name} ${this.unit}`.trim())].map(quoted).join(",");
    return [head, ...Array.from(x, (at, k) => [at, ...y.map((line) => line.values[k] ?? "")].join(","))].join("\n") + "\n";
  }

  /** What the plot shows now, as lines of an SVG file. */
  private svg(): string {
    const { x, y } = this.data(), plot = this.plot!, [w, hgt, left, top, bottom] = [640, 360, 70, 14, 44];
    const [x0, x1, y0, y1] = [plot.scales.x.min!, plot.scales.x.max!, plot.scales.y.min!, plot.scales.y.max!], f = (v: number) => (this.log ? Math.log10(v) : v);
    const px = (v: number) => left + ((w - left - 14) * (v - x0)) / (x1 - x0), py = (v: number) => top + (hgt - top - bottom) * (1 - (f(v) - f(y0)) / (f(y1) - f(y0)));
    const text = (s: string) => s.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const path = (values: (number | null)[]) => {
      let d = "", pen = false;
      for (let k = 0; k < values.length; k++) {
        const v = values[k], at = x[k];
        if (v === null || v === undefined || !(at >= x0 && at <= x1)) { pen = false; continue; }
        d += `${pen ? "L" : "M"}${px(at).toFixed(2)} ${py(v).toFixed(2)}`;
        pen = true;
      }
      return d;
    };
    const marksY = this.log ? Array.from({ length: Math.max(0, Math.floor(f(y1)) - Math.ceil(f(y0)) + 1) }, (_, i) => 10 ** (Math.ceil(f(y0)) + i)) : ticks(y0, y1);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${hgt}" font-family="sans-serif" font-size="12"><rect x="${left}" y="${top}" width="${w - left - 14}" height="${hgt - top - bottom}" fill="none" stroke="#777"/>`
      + ticks(x0, x1).map((v) => `<text x="${px(v)}" y="${hgt - bottom + 16}" text-anchor="middle">${text(short(v))}</text>`).join("")
      + marksY.map((v) => `<text x="${left - 6}" y="${py(v) + 4}" text-anchor="end">${text(short(v))}</text>`).join("")
      + `<text x="${(left + w) / 2}" y="${hgt - 8}" text-anchor="middle">${text(this.against ? `${this.against.name} ${this.against.unit}` : "time (s)")}</text>`
      + y.map((line, k) => `<path d="${path(line.values)}" fill="none" stroke="${colour(LINE_COLOURS[k % LINE_COLOURS.length])}" stroke-width="1.5"${line.dashed ? ' stroke-dasharray="5 4"' : ""}/><text x="${left + 8 + 150 * (k % 4)}" y="${top + 14 + 14 * Math.floor(k / 4)}" fill="${colour(LINE_COLOURS[k % LINE_COLOURS.length])}">${text(line.name)}</text>`).join("") + "</svg>\n";
  }

  destroy(): void { this.plot?.destroy(); }
}

function spread(values: ArrayLike<number | null>): [number, number] {
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if (v === null || !Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (low > high) return [-1, 1];
  const pad = high > low ? 0.05 * (high - low) : Math.max(0.1, Math.abs(high) / 2);
  return [low - pad, high + pad];
}

/** A line through points in their order, whatever their x: uPlot's own paths take x as rising. */
const trail: uPlot.Series.PathBuilder = (plot, series) => {
  const [xs, ys] = plot.data[series] as unknown as [ArrayLike<number>, (number | null)[]], path = new Path2D();
  let pen = false;
  for (let k = 0; k < xs.length; k++) {
    const y = ys[k];
    if (y === null) { pen = false; continue; }
    const [px, py] = [plot.valToPos(xs[k], "x", true), plot.valToPos(y, "y", true)];
    if (pen) path.lineTo(px, py);
    else path.moveTo(px, py);
    pen = true;
  }
  const look = plot.series[series], { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = typeof look.stroke === "function" ? (look.stroke(plot, series) as string) : (look.stroke as string);
  ctx.lineWidth = (look.width ?? 1) * devicePixelRatio;
  ctx.stroke(path);
  ctx.restore();
  return null;
};

export class SeriesPlots {
  readonly root = h("div", { class: "series" });
  now = 0;
  other: Other = null;
  private readonly list = h("div", {});
  private panels: Panel[] = [];
  private zooming = false;

  constructor(private readonly signals: Signal[], readonly seek: (t: number) => void, signal: AbortSignal) {
    const groups = [...new Set(signals.map((s) => s.group))];
    for (const group of FIRST) if (groups.includes(group)) this.add(group);
    const add = h("button", { type: "button", click: () => { this.add(groups[0]).make(); } }, "add a plot");
    this.root.append(this.list, h("div", { class: "controls noprint" }, add));
    const watch = new ResizeObserver(() => { for (const panel of this.panels) panel.resize(); });
    watch.observe(this.root);
    signal.addEventListener("abort", () => { watch.disconnect(); for (const panel of this.panels) panel.destroy(); });
    onTheme(() => { if (!signal.aborted) for (const panel of this.panels) panel.make(); });
  }

  private add(group: string): Panel {
    const panel = new Panel(this.signals, group, this);
    this.panels.push(panel);
    this.list.append(panel.root);
    return panel;
  }

  remove(panel: Panel): void {
    this.panels = this.panels.filter((one) => one !== panel);
    panel.destroy();
    panel.root.remove();
  }

  /** Another run beside this one; null: none. */
  compare(other: Signal[] | null, difference: boolean): void {
    this.other = other && { signals: new Map(other.map((s) => [key(s), s])), difference };
    for (const panel of this.panels) panel.make();
  }

  /** What one plot zooms to, all do. */
  zoom(from: uPlot): void {
    if (this.zooming) return;
    this.zooming = true;
    for (const panel of this.panels) panel.zoomTo(from);
    this.zooming = false;
    queueMicrotask(() => this.show(this.now));
  }

  /** Moves the common cursor; the legends tell the values there, unless the pointer asks for others. */
  show(t: number): void {
    this.now = t;
    for (const panel of this.panels) panel.show(t);
  }
}
