// Pictures for papers: a plot as SVG with its colours written into it, the scene as PNG.
import { h } from "./dom";
import type { View3D } from "./view3d";

/** What a plot's look is made of; written out, because a file has no style sheet. */
const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-size", "font-weight", "text-anchor", "shape-rendering"];

function download(name: string, content: Blob): void {
  const link = h("a", { href: URL.createObjectURL(content), download: name.replace(/[^\w.-]+/g, "_") });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The plot as the text of an SVG file. */
export function chartText(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const from = [chart, ...chart.querySelectorAll<SVGElement>("*")], to = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of LOOK) to[i].style.setProperty(name, style.getPropertyValue(name));
  });
  const [, , width, height] = (chart.getAttribute("viewBox") ?? "0 0 400 300").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("font-family", "sans-serif");
  return new XMLSerializer().serializeToString(copy);
}

export function saveChart(chart: SVGSVGElement, name: string): HTMLElement {
  return h("button", { type: "button", class: "save", title: "save this plot as SVG", click: () => download(`${name}.svg`, new Blob([chartText(chart)], { type: "image/svg+xml" })) }, "SVG");
}

export function saveScene(view: View3D): HTMLElement {
  return h("button", { type: "button", class: "save", title: "save the scene as PNG", click: () => view.picture((blob) => download("scene.png", blob)) }, "PNG");
}
