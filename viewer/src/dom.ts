// Elements made in code. Every text goes in as a text node, so no name from a file can become markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: any) => void)>;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

const ICONS = {
  play: "M4 2.5v11l9-5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z", next: "M3 3v10l7-5zM11 3h2v10h-2z", previous: "M13 3v10L6 8zM3 3h2v10H3z",
  theme: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM8 3v10a5 5 0 1 1 0-10z",
};
export function icon(name: keyof typeof ICONS): SVGElement {
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name], "fill-rule": "evenodd" }));
}

/** A section with a heading and a line that says how to read it. */
export function section(title: string, explanation: string, ...children: Child[]): HTMLElement {
  return h("section", {}, h("h2", {}, title), explanation ? h("p", { class: "explain" }, explanation) : null, ...children);
}

export type Cell = Node | string;

/** A table that scrolls inside itself where the window is narrow. Columns named in `text` are left-aligned. */
export function table(head: Cell[], rows: Cell[][], text: number[] = [0], caption = "", style = ""): HTMLElement {
  const place = (column: number) => (text.includes(column) ? "text" : "number");
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption || "table" },
    h(
      "table",
      style ? { class: style } : {},
      h("thead", {}, h("tr", {}, ...head.map((cell, i) => h("th", { scope: "col", class: place(i) }, cell)))),
      h(
        "tbody",
        {},
        ...rows.map((row) =>
          h("tr", {}, ...row.map((cell, i) => (i === 0 ? h("th", { scope: "row", class: place(i) }, cell) : h("td", { class: place(i) }, cell)))),
        ),
      ),
    ),
  );
}

/** A number with so many significant digits; "∞" for null, which is how JSON carries what is not finite. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-12) return "0";
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("-", "−").replace("e-", "e−").replace("e+", "e");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

const NOTHING = 1e-9; // of the scale: what rounding leaves of zero

/** The value, or 0 where it is nothing beside `scale`. */
export const rounded = (value: number, scale: number) => (Math.abs(value) <= NOTHING * scale ? 0 : value);

export function percent(value: number): string {
  const shown = Math.abs(value) < 1e-9 ? 0 : 100 * value;
  return `${shown > 0 ? "+" : ""}${number(shown, 3)} %`;
}

export type Level = "good" | "bad" | "note" | "unknown";
const MARK: Record<Level, string> = { good: "✓", bad: "✗", note: "·", unknown: "?" };

/** A word with its mark, so that colour is never the only sign. */
export function badge(level: Level, text: string): HTMLElement {
  return h("span", { class: `badge ${level}` }, h("span", { class: "mark", "aria-hidden": "true" }, MARK[level]), ` ${text}`);
}
