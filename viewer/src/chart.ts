// Small plots in SVG: axes with round ticks, labels with units, and whatever a page draws between them.
import { number, svg } from "./dom";

export interface Axis { label: string; min: number; max: number }

/** Round numbers that divide the range into about `count` parts. */
export function ticks(min: number, max: number, count = 5): number[] {
  const span = max - min;
  if (!(span > 0)) return [min];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10);
  const out: number[] = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max + 1e-9 * span; k++) out.push(k * step);
  return out;
}

/** The range of the values with a margin; a single value gets a range about it. */
export function extent(values: Iterable<number>, margin = 0.06): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [-1, 1];
  const pad = high > low ? margin * (high - low) : Math.max(0.5 * Math.abs(high), 0.1);
  return [low - pad, high + pad];
}

export class Chart {
  readonly root: SVGSVGElement;
  readonly plot: SVGGElement; // clipped to the frame
  readonly over: SVGGElement; // on top, not clipped
  readonly left = 66;
  readonly top = 10;
  readonly inner: { width: number; height: number };
  private static count = 0;

  constructor(readonly x: Axis, readonly y: Axis, title: string, readonly width = 420, readonly height = 300) {
    const right = 14, bottom = 46;
    this.inner = { width: width - this.left - right, height: height - this.top - bottom };
    const clip = `frame${Chart.count++}`;
    this.plot = svg("g", { "clip-path": `url(#${clip})` });
    this.over = svg("g");
    const { width: w, height: h } = this.inner;
    this.root = svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": title },
      svg("defs", {}, svg("clipPath", { id: clip }, svg("rect", { x: this.left, y: this.top, width: w, height: h }))),
      svg("rect", { class: "frame", x: this.left, y: this.top, width: w, height: h }),
      this.plot,
      ...this.axes(),
      this.over,
    );
  }

  private axes(): SVGElement[] {
    const { width: w, height: h } = this.inner, bottom = this.top + h, out: SVGElement[] = [];
    for (const value of ticks(this.x.min, this.x.max)) {
      const x = this.px(value);
      out.push(svg("line", { class: "tick", x1: x, x2: x, y1: bottom, y2: bottom + 4 }));
      const words = number(value, 6), cut = x + 3.6 * words.length > this.width; // a long number at the end would be cut off
      out.push(svg("text", { class: "tick", x: cut ? this.width - 1 : x, y: bottom + 17, "text-anchor": cut ? "end" : "middle" }, words));
    }
    for (const value of ticks(this.y.min, this.y.max)) {
      const y = this.py(value);
      out.push(svg("line", { class: "tick", x1: this.left - 4, x2: this.left, y1: y, y2: y }));
      out.push(svg("text", { class: "tick", x: this.left - 8, y: y + 4, "text-anchor": "end" }, number(value, 6)));
    }
    out.push(svg("text", { class: "label", x: this.left + w / 2, y: bottom + 37, "text-anchor": "middle" }, this.x.label));
    const middle = this.top + h / 2;
    out.push(svg("text", { class: "label", transform: `translate(13 ${middle}) rotate(-90)`, "text-anchor": "middle" }, this.y.label));
    out.push(svg("rect", { class: "border", x: this.left, y: this.top, width: w, height: h }));
    return out;
  }

  px(value: number): number { return this.left + (this.inner.width * (value - this.x.min)) / (this.x.max - this.x.min); }
  py(value: number): number { return this.top + this.inner.height * (1 - (value - this.y.min) / (this.y.max - this.y.min)); }

  /** A polyline; null breaks it. */
  line(points: ([number, number] | null)[], style: string): SVGPathElement {
    let d = "", pen = false;
    for (const point of points) {
      if (!point) { pen = false; continue; }
      d += `${pen ? "L" : "M"}${this.px(point[0]).toFixed(2)} ${this.py(point[1]).toFixed(2)}`;
      pen = true;
    }
    const path = svg("path", { d, class: style, fill: "none" });
    this.plot.append(path);
    return path;
  }

  area(points: [number, number][], style: string): void {
    const d = points.map(([x, y], i) => `${i ? "L" : "M"}${this.px(x).toFixed(2)} ${this.py(y).toFixed(2)}`).join("") + "Z";
    this.plot.append(svg("path", { d, class: style }));
  }

  rect(x0: number, y0: number, x1: number, y1: number, style: string): void {
    const left = this.px(x0), top = this.py(y1);
    this.plot.append(svg("rect", { class: style, x: left, y: top, width: this.px(x1) - left, height: this.py(y0) - top }));
  }

  /** Words in the middle of the plot. */
  say(text: string): void {
    const { width, height } = this.inner;
    this.over.append(svg("text", { class: "aside", x: this.left + width / 2, y: this.top + height / 2, "text-anchor": "middle" }, text));
  }

  /** A cross in a ring, for the state at hand. */
  mark(x: number, y: number, label: string): void {
    const cx = this.px(x), cy = this.py(y);
    this.over.append(
      svg("g", { class: "state", "data-x": x, "data-y": y }, svg("title", {}, label), svg("circle", { cx, cy, r: 7 }),
        svg("path", { d: `M${cx - 11} ${cy}h22M${cx} ${cy - 11}v22` })),
    );
  }
}

/** The names of the colours, beside their swatches. */
export function legend(entries: [string, string][]): HTMLElement {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const [style, text] of entries) {
    const item = document.createElement("li");
    const swatch = svg("svg", { viewBox: "0 0 18 12", width: 18, height: 12, "aria-hidden": "true" });
    if (style.startsWith("line-")) swatch.append(svg("path", { d: "M0 6H18", class: style, fill: "none" }));
    else swatch.append(svg("rect", { width: 18, height: 12, class: style }));
    item.append(swatch, text);
    list.append(item);
  }
  return list;
}
