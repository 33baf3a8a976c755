// Pictures for papers: a plot as SVG with its colours written into it, the scene as PNG.
import { h } from "./dom";
import type { Clock } from "./player";
import type { View3D } from "./view3d";

/** What a plot's look is made of; written out, because a file has no style sheet. */
const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-size", "font-weight", "text-anchor", "shape-rendering"];

export function download(name: string, content: Blob): void {
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

/** Plays from the beginning to the end at the speed chosen and keeps it as a film; a second click ends it. */
export function record(view: View3D, clock: Clock): HTMLElement | null {
  if (typeof MediaRecorder === "undefined") return null;
  let recorder: MediaRecorder | null = null;
  const button = h("button", { type: "button", class: "save", title: "play it once and save the scene as a film", click: () => {
    const stream = recorder ? null : view.stream();
    if (recorder) recorder.stop();
    if (!stream) return;
    const parts: Blob[] = [];
    recorder = new MediaRecorder(stream, { videoBitsPerSecond: 8e6 });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => {
      recorder = null;
      button.textContent = "WebM";
      clock.play(false);
      download("scene.webm", new Blob(parts, { type: "video/webm" }));
    });
    clock.seek(clock.begin);
    recorder.start();
    clock.play(true);
    button.textContent = "stop";
  } }, "WebM");
  clock.on(() => { if (recorder && !clock.playing && clock.t >= clock.end) recorder.stop(); });
  return button;
}
