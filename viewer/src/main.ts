// Reads the data of the page and shows the kind of page it asks for; where the page can ask the program itself, the other kinds too.
import { Bench, VERBS, type Verb } from "./bench";
import { inputOf } from "./core";
import type { Page } from "./data";
import { h, icon } from "./dom";
import { showCheck } from "./page_check";
import { showFit } from "./page_fit";
import { showImpact } from "./page_impact";
import { showOutcomes } from "./page_outcomes";
import { showRun } from "./page_run";
import { showView } from "./page_view";
import { playground } from "./playground";
import { isDark } from "./theme";

const place = document.getElementById("page")!;

function toggleTheme(): void {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  repaint();
}
const repaint = () => window.dispatchEvent(new Event("cradle-theme"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
matchMedia("print").addEventListener("change", repaint); // paper is light whatever the screen is

const SHOW = { check: showCheck, fit: showFit, impact: showImpact, outcomes: showOutcomes, run: showRun, view: showView };
const WORD = { ...Object.fromEntries(VERBS), fit: "Fit" } as Record<Verb, string>;

/** What the page was made from, as it was named on the command line. */
const madeFrom = (page: Page) => (page.kind === "view" ? page.source && inputOf(page.source) : page[page.kind]?.input) ?? "";

/** The model's own name; the file's where it has none. */
const titleOf = (page: Page) => page.scene?.name || madeFrom(page).split("/").pop() || "cradle";

function tabs(bench: Bench): HTMLElement | null {
  if (!bench.live || !bench.scene) return null;
  return h("nav", { class: "tabs noprint", "aria-label": "questions" }, ...VERBS.map(([verb, word]) =>
    h("button", { type: "button", "data-verb": verb, click: () => void bench.ask(verb) }, word)));
}

/** Stage and results beside each other, with a grip between them. */
function workbench(bench: Bench, right: HTMLElement): HTMLElement {
  if (!bench.view) return h("div", { class: "single" }, bench.left, right);
  const grip = h("div", { class: "grip noprint", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "width of the scene", title: "drag to resize" });
  const place = h("div", { class: "workbench" }, bench.left, grip, right);
  const set = (share: number) => place.style.setProperty("--stage", `${(100 * Math.min(0.75, Math.max(0.25, share))).toFixed(1)}%`);
  const share = () => bench.left.clientWidth / place.clientWidth;
  grip.addEventListener("pointerdown", (event) => grip.setPointerCapture(event.pointerId));
  grip.addEventListener("pointermove", (event) => {
    if (grip.hasPointerCapture(event.pointerId)) set((event.clientX - place.getBoundingClientRect().left) / place.clientWidth);
  });
  grip.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") { event.stopPropagation(); event.preventDefault(); set(share() + (event.key === "ArrowLeft" ? -0.03 : 0.03)); }
  });
  return place;
}

function start(page: Page): void {
  const right = h("div", { class: "results" });
  const bench: Bench = new Bench(page, (answer) => render(answer), page.kind);
  const other = bench.scene ? playground(page.source, (another) => { bench.close(); place.replaceChildren(); start(another); }) : null;
  const file = madeFrom(page);
  const foot = h("footer", {}, `made by cradle ${page.version}${file ? ` from ${file}` : ""}`);
  const nav = tabs(bench), kind = h("p", { class: "kind" });
  const render = (now: Page) => {
    const part = now.kind === "view" ? now.scene : now[now.kind];
    if (!part) throw new Error(`the page has no part "${now.kind}"`);
    bench.life.abort();
    bench.life = new AbortController();
    // an answer knows the mechanism at another state; what it looks like stands in the page
    const scene = now.scene && page.scene && now !== page ? { ...page.scene, qpos: now.scene.qpos, qvel: now.scene.qvel, contacts: now.scene.contacts } : now.scene;
    if (bench.view && scene) bench.view.adopt(scene);
    const at = [window.scrollY, right.scrollTop]; // narrow windows scroll as a whole
    right.replaceChildren();
    bench.controls.replaceChildren();
    SHOW[now.kind](right, { ...now, scene }, bench);
    right.append(foot);
    window.scrollTo(0, at[0]);
    right.scrollTop = at[1];
    kind.textContent = WORD[now.kind];
    document.title = `${titleOf(page)} · ${WORD[now.kind]}`; // a narrow tab of the browser shows its beginning
    nav?.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.verb === now.kind)));
    document.body.dataset.kind = now.kind;
  };
  place.append(
    h("header", { class: "top" }, nav ? null : kind, h("h1", { title: file }, titleOf(page)), nav,
      h("div", { class: "more noprint" }, other, h("button", { type: "button", class: "theme", click: toggleTheme, title: "dark or light (t)", "aria-label": "dark or light" }, icon("theme")))),
    workbench(bench, right));
  render(page);
}

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.key === "t" && !event.ctrlKey && !event.metaKey && !target.closest("input, select, textarea")) toggleTheme();
});

start(JSON.parse(document.getElementById("data")!.textContent!) as Page);
