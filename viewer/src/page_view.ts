// View: a mechanism to look at. Its joints are moved by sliders (bench.ts); here stand the contacts at the pose, and what it is made of.
import type { Bench } from "./bench";
import type { Page, Scene } from "./data";
import { h, number, section, table, type Cell } from "./dom";

const SHOWN_CONTACTS = 40;

export const contactGlyphs = (scene: Scene) => scene.contacts.map((c) => ({ point: c.point, normal: c.normal, mu: c.mu, mode: "none" as const, joint: c.joint }));

function contacts(scene: Scene): HTMLElement {
  const rows: Cell[][] = scene.contacts.slice(0, SHOWN_CONTACTS).map((c) => [c.name, scene.bodies[c.body]?.name ?? "", number(c.mu), number(c.e), ...c.point.map((x) => number(x, 3))]);
  const more = scene.contacts.length - rows.length;
  return section("Contacts", rows.length ? "What touches at this pose: the normal as a thin arrow, the friction cone about it." : "Nothing touches at this pose.",
    rows.length ? table(["contact", "body", "μ", "e", "x", "y", "z"], rows, [0, 1], "contacts at this pose", "contacts") : null, more > 0 ? h("p", { class: "explain" }, `${more} more are drawn.`) : null);
}

function parts(scene: Scene): HTMLElement {
  const mass = scene.bodies.reduce((sum, body) => sum + (body.mass ?? 0), 0);
  const bodies: Cell[][] = scene.bodies.flatMap((body, b) => (b === 0 ? [] : [[body.name || `body ${b}`, scene.bodies[body.parent]?.name || (body.parent ? `body ${body.parent}` : "world"), number(body.mass ?? 0)]]));
  const joints: Cell[][] = scene.joints.map((joint) => [joint.name || "–", joint.type, scene.bodies[joint.body].name || String(joint.body), joint.range ? `${number(joint.range[0], 3)} … ${number(joint.range[1], 3)}` : ""]);
  return section("Parts", `${scene.bodies.length - 1} bodies, ${number(mass)} kg; ${scene.nv} velocities.`,
    h("details", { open: joints.length <= 12 }, h("summary", {}, `${joints.length} joints`), table(["joint", "type", "body", "range"], joints, [0, 1, 2, 3], "joints")),
    h("details", { open: bodies.length <= 12 }, h("summary", {}, `${bodies.length} bodies`), table(["body", "on", "mass (kg)"], bodies, [0, 1], "bodies")));
}

export function showView(place: HTMLElement, page: Page, bench: Bench): void {
  const scene = page.scene!, view = bench.view!;
  view.setPose(scene.qpos);
  view.setContacts(contactGlyphs(scene));
  place.append(contacts(scene), parts(scene));
}
