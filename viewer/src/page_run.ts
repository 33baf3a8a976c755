// Run: the player. Scene on top, transport under it, then the plots with the common cursor and the list of events.
import type { Bench } from "./bench";
import { lastAtOrBefore, type Page, type Run, type RunEvent, type Scene } from "./data";
import { h, icon, number, section, svg } from "./dom";
import { Clock, SPEEDS } from "./player";
import { record } from "./save";
import { SeriesPlots } from "./series";
import { signalsOf } from "./signals";
import { Trajectory } from "./trajectory";
import type { View3D } from "./view3d";

const SHOWN_EVENTS = 2000;

function facts(run: Run): HTMLElement {
  const entries = Object.entries(run.summary);
  return h("dl", { class: "facts" }, ...entries.flatMap(([name, value]) => [
    h("div", {}, h("dt", {}, name), h("dd", {}, typeof value === "string" ? value : number(value, 5)))]));
}

/** Ticks above the scrubber, one for each event; many become a texture, which is what they are. */
function eventStrip(events: RunEvent[], clock: Clock): SVGSVGElement {
  const strip = svg("svg", { class: "event-strip", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  const span = clock.end - clock.begin || 1, byKind = new Map<string, string>();
  for (const event of events) {
    const x = (1000 * (event.t - clock.begin)) / span;
    byKind.set(event.kind, (byKind.get(event.kind) ?? "") + `M${x.toFixed(1)} 0V10`);
  }
  for (const [kind, d] of byKind) strip.append(svg("path", { d, class: `event-${kind}`, "vector-effect": "non-scaling-stroke" }));
  return strip;
}

interface Stage { view: View3D; clock: Clock; path: Trajectory; signal: AbortSignal }

function transport({ view, clock, path, signal }: Stage): HTMLElement {
  const digits = Math.max(3, Math.ceil(-Math.log10((clock.end - clock.begin || 1) / 2000)));
  const time = h("output", { class: "time", "aria-live": "off" });
  const play = h("button", { type: "button", class: "play", title: "play, pause (space)", "aria-label": "play or pause", click: () => clock.play(!clock.playing) });
  const scrub = h("input", { type: "range", min: clock.begin, max: clock.end, step: "any", value: clock.begin, "aria-label": "time", class: "scrub" });
  scrub.addEventListener("input", () => { clock.play(false); clock.seek(Number(scrub.value)); });
  const jump = (forward: boolean) => {
    const event = path.nextEvent(clock.t, forward);
    clock.play(false);
    clock.seek(event ? event.t : forward ? clock.end : clock.begin);
  };
  const speed = h("select", { "aria-label": "speed", title: "speed (+ and -)", change: () => { clock.speed = Number(speed.value); } },
    ...SPEEDS.map((s) => h("option", { value: s, selected: s === 1 }, `${s} ×`)));
  const moving = view.scene.bodies.map((body, b) => ({ body, b })).filter(({ body }) => !body.fixed);
  const follow = h("select", { "aria-label": "follow", title: "follow a body (f)", change: () => view.follow(Number(follow.value)) },
    h("option", { value: -1 }, "follow none"), ...moving.map(({ body, b }) => h("option", { value: b }, `follow ${body.name || `body ${b}`}`)));
  let shown: boolean | undefined;
  clock.on(() => {
    if (shown !== clock.playing) play.replaceChildren(icon((shown = clock.playing) ? "pause" : "play"));
    scrub.value = String(clock.t);
    time.textContent = `${clock.t.toFixed(digits)} s`;
    speed.value = String(clock.speed);
  });
  keys({ view, clock, path, signal }, { jump, follow });
  return h("div", { class: "transport noprint" },
    h("div", { class: "scrubber" }, eventStrip(path.events, clock), scrub),
    h("div", { class: "controls" },
      h("button", { type: "button", title: "previous event (shift-e)", "aria-label": "previous event", click: () => jump(false) }, icon("previous")), play,
      h("button", { type: "button", title: "next event (e)", "aria-label": "next event", click: () => jump(true) }, icon("next")), time, speed, follow, record(view, clock)));
}

function keys({ view, clock, path, signal }: Stage, control: { jump: (forward: boolean) => void; follow: HTMLSelectElement }): void {
  const next = (select: HTMLSelectElement) => {
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    select.dispatchEvent(new Event("change"));
  };
  const step = (by: number) => {
    clock.play(false);
    const k = path.frameAt(clock.t), target = Math.min(path.t.length - 1, Math.max(0, by < 0 && path.t[k] < clock.t ? k + by + 1 : k + by));
    clock.seek(path.t[target]);
  };
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("select, input[type=number]")) return;
    const range = target.matches("input[type=range]");
    if (event.key === " " && target.closest("button, summary")) return;
    const actions: Record<string, () => void> = {
      " ": () => clock.play(!clock.playing),
      ArrowLeft: () => step(event.shiftKey ? -10 : -1),
      ArrowRight: () => step(event.shiftKey ? 10 : 1),
      Home: () => { clock.play(false); clock.seek(clock.begin); },
      End: () => { clock.play(false); clock.seek(clock.end); },
      e: () => control.jump(true), E: () => control.jump(false),
      "+": () => clock.faster(1), "=": () => clock.faster(1), "-": () => clock.faster(-1),
      f: () => next(control.follow),
    };
    const action = actions[event.key];
    if (!action || (range && event.key === "Tab")) return;
    event.preventDefault();
    action();
    view.ask();
  }, { signal });
}

function contactLine(path: Trajectory, clock: Clock, unit: string): HTMLElement {
  const line = h("p", { class: "contact-line" });
  clock.on(() => {
    const words = path.contactWords(clock.t);
    line.replaceChildren(
      words.length === 0 ? "no contact" : `${words.length} contact${words.length === 1 ? "" : "s"}: `,
      ...words.slice(0, 6).map((c) => h("span", { class: "one" }, `${c.name} `, h("span", { class: `mode ${c.mode}` }, c.mode), ` ${number(c.force, 3)} ${unit}`)),
      words.length > 6 ? `… and ${words.length - 6} more` : "",
    );
  });
  return line;
}

function eventList(path: Trajectory, clock: Clock): HTMLElement {
  const shown = path.events.slice(0, SHOWN_EVENTS);
  const kinds = new Map<string, number>();
  for (const event of path.events) kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1);
  const rows = shown.map((event) =>
    h("li", {}, h("button", { type: "button", class: "event", click: () => { clock.play(false); clock.seek(event.t); } },
      h("span", { class: "at" }, `${event.t.toFixed(6)} s`), h("span", { class: `kind event-${event.kind}` }, event.kind),
      h("span", { class: "what" }, [event.contact, event.text].filter(Boolean).join(": ")))));
  const list = h("ol", { class: "events", tabindex: 0, "aria-label": "events" }, ...rows);
  const times = Float64Array.from(shown, (event) => event.t);
  let marked = -1;
  clock.on(() => {
    const at = times.length && times[0] <= clock.t + 1e-12 ? lastAtOrBefore(times, clock.t + 1e-12) : -1; // the last event that has happened
    if (at === marked) return;
    rows[marked]?.classList.remove("current");
    marked = at;
    const row = rows[marked];
    if (!row) return;
    row.classList.add("current");
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = row.offsetTop - list.clientHeight / 2;
  });
  const counts = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
  return section("Events", path.events.length ? `${counts}. Each jumps to its instant.${path.events.length > shown.length ? ` The first ${shown.length} are listed.` : ""}` : "There were none.", rows.length ? list : null);
}

/** Another run beside this one: that which was there before something was changed, or one from another page. */
interface Other { run: Run; from: string }
let kept: Other | null = null; // outlives the page that is shown: what is dragged makes a new one

/** The run in the page of another file. */
async function readRun(file: File): Promise<Run> {
  const text = (await file.text()).match(/id="data">([^<]*)<\/script>/)?.[1], page = text ? (JSON.parse(text) as Page) : null;
  if (!page?.run) throw new Error(`${file.name}: found no run, expected a page of \`cradle run --html\``);
  return page.run;
}

function comparison(run: Run, scene: Scene, bench: Bench, plots: SeriesPlots, set: (path: Trajectory | null) => void): HTMLElement {
  const told = h("span", { class: "explain" });
  const difference = h("input", { type: "checkbox", "aria-label": "differences", change: () => use() });
  const use = () => {
    if (kept && kept.run.qpos.length && new Trajectory(scene, kept.run).width !== scene.nq) kept = null; // of another mechanism
    const path = kept ? new Trajectory(scene, kept.run) : null;
    set(path);
    bench.view?.ghost(path !== null);
    plots.compare(kept ? signalsOf(scene, kept.run) : null, difference.checked);
    told.textContent = kept ? `beside: ${kept.from} (ghost, dashed)` : "";
    forget.hidden = !kept;
    differs.hidden = !kept;
  };
  const keep = h("button", { type: "button", title: "keep this run as a ghost, then change something", click: () => { kept = { run, from: "the run kept" }; use(); } }, "keep as ghost");
  const forget = h("button", { type: "button", click: () => { kept = null; use(); } }, "forget it");
  const differs = h("label", {}, difference, " differences");
  const file = h("input", { type: "file", accept: ".html", "aria-label": "compare with the run of another page", change: () => {
    const [chosen] = file.files ?? [];
    if (chosen) readRun(chosen).then((other) => { kept = { run: other, from: chosen.name }; use(); }, (error) => { told.textContent = String(error.message ?? error); });
  } });
  use();
  return h("div", { class: "controls noprint" }, keep, h("label", { class: "file" }, "compare with a page …", file), forget, differs, told);
}

export function showRun(place: HTMLElement, page: Page, bench: Bench): void {
  const run = page.run!, scene = page.scene!, view = bench.view!, { signal } = bench.life;
  const path = new Trajectory(scene, run), clock = new Clock(path.begin, path.end);
  signal.addEventListener("abort", () => clock.play(false));
  const some = Array.from({ length: Math.min(200, path.t.length) }, (_, i) => path.frame(Math.floor((i * (path.t.length - 1)) / Math.max(1, Math.min(200, path.t.length) - 1))));
  if (some.length) view.reframe(some);
  const plots = new SeriesPlots(signalsOf(scene, run), (t) => { clock.play(false); clock.seek(t); }, signal);
  let other: Trajectory | null = null;
  clock.on(() => {
    view.setPose(path.qposAt(clock.t));
    if (other) view.setGhost(other.qposAt(clock.t));
    view.setContacts(path.contactsAt(clock.t, view.size));
    plots.show(clock.t);
  });
  bench.controls.append(transport({ view, clock, path, signal }), contactLine(path, clock, run.force_unit),
    h("ul", { class: "legend" }, h("li", { class: "mode stick" }, "● sticks"), h("li", { class: "mode slip" }, "● slips"), h("li", { class: "mode" }, "● no force"),
      h("li", {}, "thin arrow: normal; thick: force; ring: moment of a limit; cone: friction")));
  place.append(
    comparison(run, scene, bench, plots, (beside) => { other = beside; clock.seek(clock.t); }),
    section("In time", "Click to go there, drag to zoom, double-click to see all; ctrl and wheel zoom about the pointer.", plots.root),
    eventList(path, clock),
    facts(run),
  );
  if (path.t.length) clock.seek(clock.begin);
  // for tests and for whoever wants to script the page
  Object.assign(window, { cradle: { seek: (t: number) => clock.seek(t), time: () => clock.t, playing: () => clock.playing, frames: () => path.t.length, calls: () => view.calls, pose: (name: string) => view.pose(scene.bodies.findIndex((b) => b.name === name)) } });
}
