// Time series under the scene: one plot a group, a common time cursor, a click seeks, dragging zooms all of them together.
import uPlot from "uplot";
import { f32, f64, lastAtOrBefore, type Run } from "./data";
import { h, number } from "./dom";
import { colour, onTheme } from "./theme";

const LINE_COLOURS = ["--accent", "--slip", "--good", "--bad", "--unknown", "--quiet", "--stick", "--ink"];

/** For an axis: short, and never a zero that is none. */
function short(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(6))).replace("-", "−");
  const [digits, power] = value.toExponential(2).split("e");
  return `${Number(digits)}e${Number(power)}`.replaceAll("-", "−");
}

interface Plot { host: HTMLElement; cursor: HTMLElement; plot?: uPlot }

export class SeriesPlots {
  readonly root = h("div", { class: "series" });
  private readonly plots: Plot[] = [];
  private readonly t: Float64Array;
  private now = 0;
  private zooming = false;

  constructor(private readonly series: Run["series"], private readonly seek: (t: number) => void) {
    this.t = f64(series.t);
    series.groups.forEach((group) => {
      const host = h("div", { class: "plot" }), cursor = h("div", { class: "time-cursor", "aria-hidden": "true" });
      this.root.append(h("figure", {}, h("h3", {}, group.unit ? `${group.title} (${group.unit})` : group.title), host));
      this.plots.push({ host, cursor });
    });
    new ResizeObserver(() => this.resize()).observe(this.root);
    onTheme(() => this.make());
  }

  private width(host: HTMLElement): number { return Math.max(200, host.clientWidth); }

  private make(): void {
    this.plots.forEach((one, i) => {
      one.plot?.destroy();
      const group = this.series.groups[i];
      const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif" };
      const options: uPlot.Options = {
        width: this.width(one.host),
        height: 170,
        cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
        scales: { x: { time: false } },
        legend: { live: true },
        axes: [
          { ...axis, size: 34, values: (_, values) => values.map((v) => `${number(v, 6)} s`) },
          { ...axis, size: 64, values: (_, values) => values.map(short) },
        ],
        series: [
          { label: "t", value: (_, v) => (v === null || v === undefined ? "–" : `${number(v, 6)} s`) },
          ...group.lines.map((line, k) => ({
            label: line.name, stroke: colour(LINE_COLOURS[k % LINE_COLOURS.length]), width: 1.5, points: { show: false },
            value: (_: uPlot, v: number | null) => (v === null || v === undefined ? "–" : short(Number(v.toPrecision(5)))),
          })),
        ],
        hooks: { setScale: [(plot, key) => { if (key === "x") this.zoom(plot); }], ready: [(plot) => this.ready(plot, one)] },
      };
      one.plot = new uPlot(options, [this.t, ...group.lines.map((line) => f32(line.y))] as unknown as uPlot.AlignedData, one.host);
    });
    this.show(this.now);
  }

  private ready(plot: uPlot, one: Plot): void {
    plot.over.append(one.cursor);
    let down = 0;
    plot.over.addEventListener("mousedown", (event) => { down = event.clientX; });
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) < 4) this.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
    });
  }

  /** What one plot zooms to, all do. */
  private zoom(from: uPlot): void {
    if (this.zooming) return;
    this.zooming = true;
    const { min, max } = from.scales.x;
    if (min !== undefined && max !== undefined) for (const { plot } of this.plots) if (plot && plot !== from) plot.setScale("x", { min, max });
    this.zooming = false;
    queueMicrotask(() => this.show(this.now));
  }

  private resize(): void {
    for (const { host, plot } of this.plots) {
      if (!plot) return this.make();
      const width = this.width(host);
      if (Math.abs(width - plot.width) > 1) plot.setSize({ width, height: plot.height });
    }
    this.show(this.now);
  }

  /** The last point at or before t. */
  private indexAt(t: number): number {
    return lastAtOrBefore(this.t, t);
  }

  /** Moves the common cursor; the legends tell the values there, unless the pointer asks for others. */
  show(t: number): void {
    this.now = t;
    for (const { plot, cursor } of this.plots) {
      if (!plot) continue;
      const x = plot.valToPos(t, "x"), inside = x >= 0 && x <= plot.bbox.width / devicePixelRatio; // asking the element would lay the page out
      cursor.style.transform = `translateX(${x}px)`;
      cursor.style.visibility = inside ? "visible" : "hidden";
      if (!plot.over.matches(":hover")) plot.setLegend({ idx: this.indexAt(t) });
    }
  }
}
