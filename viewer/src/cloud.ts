// A set of outcomes in two axes: samples on a canvas, hull, paths and marked outcomes over it; whatever is nearest to the pointer is told.
import { Chart, extent } from "./chart";
import { h, number, svg } from "./dom";
import { hull } from "./hull";
import { saveChart } from "./save";
import { colour, onTheme } from "./theme";

export interface CloudPoint { x: number; y: number }
export interface CloudMark extends CloudPoint { law: string; text: string }
export interface CloudData {
  x: string; y: string; // labels
  samples: CloudPoint[];
  marks: CloudMark[];
  before: CloudPoint;
  paths: CloudPoint[][];
  room: CloudPoint[]; // what else has to fit: the other sets of a sweep, so that all are drawn to one scale
}
export type Pick = { kind: "sample" | "mark"; index: number } | null;

const WIDEST = 620, SCALE = 2;

/** Sequential outcomes are squares, simultaneous ones diamonds, those of compliant bodies small rings: told apart without colour. */
export function markShape(law: string, x: number, y: number, r: number): string {
  if (law === "compliant") return `M${x - 0.6 * r} ${y}a${0.6 * r} ${0.6 * r} 0 1 0 ${1.2 * r} 0a${0.6 * r} ${0.6 * r} 0 1 0 ${-1.2 * r} 0Z`;
  return law === "sequential" ? `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z` : `M${x} ${y - 1.35 * r}L${x + 1.35 * r} ${y}L${x} ${y + 1.35 * r}L${x - 1.35 * r} ${y}Z`;
}

export class Cloud {
  readonly root = h("div", { class: "cloud" });
  private chart!: Chart;
  private data!: CloudData;
  private ring!: SVGCircleElement;
  private readonly canvas = document.createElement("canvas");
  private width = WIDEST;
  private height = 480;
  private zoomed: [[number, number], [number, number]] | null = null; // x and y; null: all of the set
  private drag: { x: number; y: number } | null = null;
  showPaths = true;
  showHull = true;

  constructor(private readonly pick: (what: Pick) => void) {
    this.root.addEventListener("pointermove", (event) => this.pointed(event));
    this.root.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !this.zoomed) return; // the plain wheel scrolls the page until one has zoomed
      event.preventDefault();
      this.zoom(event, event.deltaY > 0 ? 1.25 : 0.8);
    }, { passive: false });
    this.root.addEventListener("dblclick", () => this.reset());
    this.root.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" && !this.zoomed) return; // a finger scrolls the page
      this.drag = this.at(event);
      this.root.setPointerCapture(event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel"]) this.root.addEventListener(end, () => { this.drag = null; });
    onTheme(() => this.data && this.draw(this.data));
    new ResizeObserver(() => this.fit()).observe(this.root);
  }

  /** In a narrow window the plot is made narrow instead of small, so that its words stay readable. */
  private fit(): void {
    const width = Math.round(Math.min(WIDEST, Math.max(280, this.root.clientWidth)));
    if (width === this.width) return;
    this.width = width;
    this.height = Math.round(Math.min(480, 0.9 * width));
    if (this.data) this.draw(this.data);
  }

  draw(data: CloudData): void {
    this.data = data;
    // what the set is about fills the plot: the velocity before lies often far away, and a ring at the border then says where
    const all = [...data.samples, ...data.marks, ...data.room, ...(data.samples.length + data.marks.length < 2 ? [data.before, { x: 0, y: 0 }] : [])];
    const [xs, ys] = (this.zoomed ?? [extent(all.map((p) => p.x)), extent(all.map((p) => p.y))]) as [number, number][];
    this.chart = new Chart({ label: data.x, min: xs[0], max: xs[1] }, { label: data.y, min: ys[0], max: ys[1] }, "set of outcomes", this.width, this.height);
    const { chart } = this;
    chart.root.classList.add("wide");
    if (this.showHull && data.samples.length > 1) chart.area(hull(data.samples.map((p) => [p.x, p.y])), "hull");
    this.paint();
    chart.plot.append(svg("image", { href: this.canvas.toDataURL(), x: 0, y: 0, width: this.width, height: this.height }));
    chart.line([[xs[0], 0], [xs[1], 0]], "line-quiet");
    chart.line([[0, ys[0]], [0, ys[1]]], "line-quiet");
    if (this.showPaths) for (const path of data.paths) chart.line(path.map((p) => [p.x, p.y]), "path");
    const inside = (low: number, x: number, high: number) => Math.min(high, Math.max(low, x));
    const before = { x: inside(xs[0], data.before.x, xs[1]), y: inside(ys[0], data.before.y, ys[1]) }, away = before.x !== data.before.x || before.y !== data.before.y;
    chart.over.append(svg("circle", { class: away ? "dot-before away" : "dot-before", cx: chart.px(before.x), cy: chart.py(before.y), r: 6 }, svg("title", {}, `before the impact: ${number(data.before.x)}, ${number(data.before.y)}${away ? ", outside the plot" : ""}`)));
    const compliant = data.marks.filter((mark) => mark.law === "compliant");
    if (compliant.length > 1) chart.line(compliant.map((p) => [p.x, p.y]), "line-compliant");
    const shown = (p: CloudPoint) => p.x >= xs[0] && p.x <= xs[1] && p.y >= ys[0] && p.y <= ys[1];
    for (const mark of data.marks.filter(shown))
      chart.over.append(svg("path", { class: `mark-${mark.law}`, d: markShape(mark.law, chart.px(mark.x), chart.py(mark.y), 6) }, svg("title", {}, mark.text)));
    this.ring = svg("circle", { class: "pick", r: 9, visibility: "hidden" });
    chart.over.append(this.ring);
    this.root.replaceChildren(chart.root);
  }

  private paint(): void {
    this.canvas.width = this.width * SCALE;
    this.canvas.height = this.height * SCALE;
    const flat = this.canvas.getContext("2d")!, { chart } = this;
    flat.clearRect(0, 0, this.canvas.width, this.canvas.height);
    flat.fillStyle = colour("--accent");
    flat.globalAlpha = Math.min(0.7, Math.max(0.12, 900 / Math.max(1, this.data.samples.length)));
    for (const p of this.data.samples) {
      flat.beginPath();
      flat.arc(SCALE * chart.px(p.x), SCALE * chart.py(p.y), SCALE * 1.6, 0, 7);
      flat.fill();
    }
  }

  private window(): [[number, number], [number, number]] {
    return [[this.chart.x.min, this.chart.x.max], [this.chart.y.min, this.chart.y.max]];
  }

  /** Where the pointer is, in the axes. */
  private at(event: MouseEvent): CloudPoint {
    const box = this.chart.root.getBoundingClientRect(), { chart } = this, [[x0, x1], [y0, y1]] = this.window();
    const x = ((event.clientX - box.left) / box.width) * this.width, y = ((event.clientY - box.top) / box.height) * this.height;
    return { x: x0 + ((x - chart.left) / chart.inner.width) * (x1 - x0), y: y1 - ((y - chart.top) / chart.inner.height) * (y1 - y0) };
  }

  /** About the pointer, or the middle where there is none. */
  zoom(event: MouseEvent | null, by: number): void {
    const [xs, ys] = this.window(), p = event ? this.at(event) : { x: (xs[0] + xs[1]) / 2, y: (ys[0] + ys[1]) / 2 };
    const about = ([low, high]: [number, number], c: number): [number, number] => [c + (low - c) * by, c + (high - c) * by];
    this.zoomed = [about(xs, p.x), about(ys, p.y)];
    this.draw(this.data);
  }

  reset(): void {
    this.zoomed = null;
    this.draw(this.data);
  }

  private pointed(event: PointerEvent): void {
    if (this.drag) {
      const p = this.at(event), [xs, ys] = this.window(), dx = this.drag.x - p.x, dy = this.drag.y - p.y;
      this.zoomed = [[xs[0] + dx, xs[1] + dx], [ys[0] + dy, ys[1] + dy]];
      this.draw(this.data);
      return;
    }
    const box = this.chart.root.getBoundingClientRect(), x = ((event.clientX - box.left) / box.width) * this.width, y = ((event.clientY - box.top) / box.height) * this.height;
    let best: Pick = null, least = 18 ** 2;
    const look = (points: CloudPoint[], kind: "sample" | "mark", favour: number) => points.forEach((p, index) => {
      const d = ((this.chart.px(p.x) - x) ** 2 + (this.chart.py(p.y) - y) ** 2) * favour;
      if (d < least) { least = d; best = { kind, index }; }
    });
    look(this.data.samples, "sample", 1);
    look(this.data.marks, "mark", 0.3); // marks win over the samples they lie in
    this.mark(best);
    if (best) this.pick(best);
  }

  save(): void { saveChart(this.chart.root, "outcomes").click(); }

  /** Rings what is picked. */
  mark(what: Pick): void {
    const p = what && (what.kind === "mark" ? this.data.marks : this.data.samples)[what.index];
    this.ring.setAttribute("visibility", p ? "visible" : "hidden");
    if (!p) return;
    this.ring.setAttribute("cx", String(this.chart.px(p.x)));
    this.ring.setAttribute("cy", String(this.chart.py(p.y)));
  }
}
