// Reads the data of the page and shows the kind of page it asks for.
import type { Page } from "./data";
import { h } from "./dom";
import { showCheck } from "./page_check";
import { showImpact } from "./page_impact";
import { showOutcomes } from "./page_outcomes";
import { showRun } from "./page_run";

const place = document.getElementById("page")!;

type Theme = "light" | "dark";
function theme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
function toggleTheme(): void {
  document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
  repaint();
}
const repaint = () => window.dispatchEvent(new Event("cradle-theme"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
matchMedia("print").addEventListener("change", repaint); // paper is light whatever the screen is

const TITLE: Record<Page["kind"], string> = {
  check: "Check",
  impact: "Impact",
  outcomes: "Outcomes",
  run: "Run",
};

function header(page: Page, input: string): HTMLElement {
  return h(
    "header",
    {},
    h("p", { class: "kind" }, TITLE[page.kind]),
    h("h1", {}, input),
    h("button", { type: "button", class: "theme", click: toggleTheme, title: "dark or light (t)" }, "dark / light"),
  );
}

function show(page: Page): void {
  const part = page[page.kind];
  if (!part) throw new Error(`the page has no part "${page.kind}"`);
  document.title = `${TITLE[page.kind]}: ${part.input}`;
  place.append(header(page, part.input));
  if (page.kind === "check") showCheck(place, page);
  if (page.kind === "impact") showImpact(place, page);
  if (page.kind === "outcomes") showOutcomes(place, page);
  if (page.kind === "run") showRun(place, page);
  place.append(h("footer", {}, `made by cradle ${page.version}`));
}

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.key === "t" && !event.ctrlKey && !event.metaKey && !target.closest("input, select, textarea")) toggleTheme();
});

show(JSON.parse(document.getElementById("data")!.textContent!) as Page);
