// Claims: the player shows the pose that the trace has at a time, between frames too; it plays, pauses, scrubs, steps and jumps from event
// to event by mouse and by keyboard; poses of every mechanism are those of the library.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cradle, dataOf, file, open, pack, pageOf, readable } from "./harness.mjs";

// A ball thrown over the floor: z(t) piecewise a parabola, e = 0.5 at every bounce, x(t) = t, turning about y.
const g = 9.81, radius = 0.1, drop = 1, e = 0.5, turn = 2;
const bounces = [Math.sqrt((2 * drop) / g)];
for (let v = e * g * bounces[0]; bounces.length < 6; v *= e) bounces.push(bounces.at(-1) + (2 * v) / g);
function height(t) {
  if (t <= bounces[0]) return radius + drop - (g * t * t) / 2;
  const k = bounces.findLastIndex((b) => b <= t), v = g * bounces[0] * e ** (k + 1), s = t - bounces[k];
  return radius + Math.max(0, v * s - (g * s * s) / 2);
}
const qposAt = (t) => [t, 0, height(t), Math.cos((turn * t) / 2), 0, Math.sin((turn * t) / 2), 0];

const hostile = "<img src=x onerror=alert(1)>";
function ballRun() {
  cradle("impact", "@bouncing-ball", "--html", file("ball-scene.html"));
  const scene = dataOf(file("ball-scene.html")).scene;
  scene.bodies[1].name = hostile;
  const frames = 121, t = Float64Array.from({ length: frames }, (_, i) => i / 60);
  const start = new Uint32Array(frames + 1), point = [], force = [], mode = [];
  t.forEach((time, i) => {
    if (height(time) < radius + 0.02) point.push(time, 0, 0), force.push(0.3, 0, 5), mode.push(i % 2 ? 2 : 3);
    start[i + 1] = mode.length;
  });
  const f32 = (x) => pack(Float32Array.from(x)), each = mode.map(() => 1);
  return {
    cradle: "page/1", kind: "run", version: "test", scene,
    run: {
      input: hostile, t: pack(t), qpos: f32([...t].flatMap(qposAt)), summary: { duration: "2 s", bounces: bounces.length },
      series: { t: pack(t), groups: [
        { title: "energy", unit: "J", lines: [{ name: "potential", y: f32([...t].map((x) => g * height(x))) }, { name: "zero", y: f32([...t].map(() => 0)) }] },
        { title: "contacts", unit: "", lines: [{ name: "number", y: f32([...t].map((_, i) => start[i + 1] - start[i])) }] }] },
      names: ["floor/ball"],
      contacts: { start: pack(start), name: pack(new Uint32Array(mode.length)), point: f32(point), normal: f32(each.flatMap(() => [0, 0, 1])), force: f32(force), mode: pack(Uint8Array.from(mode)), mu: f32(each) },
      force_unit: "N",
      events: bounces.filter((b) => b <= 2).map((b) => ({ t: b, kind: "impact", text: `${hostile} loses`, contact: "floor/ball" })),
    },
  };
}
const ball = file("ball.html");
pageOf(ballRun(), ball);

const pose = (page) => page.evaluate((name) => window.cradle.pose(name), hostile);
const time = (page) => page.evaluate(() => window.cradle.time());

test("the pose at a time is that of the trace", async () => {
  await open(ball, async (page) => {
    for (const t of [0, 0.25, 1, 2]) { // frames: exact to single precision
      await page.evaluate((at) => window.cradle.seek(at), t);
      const found = await pose(page), expected = qposAt(t);
      for (let i = 0; i < 3; i++) assert.ok(Math.abs(found.pos[i] - expected[i]) < 1e-6, `${t}: ${found.pos}`);
      for (let i = 0; i < 4; i++) assert.ok(Math.abs(found.quat[i] - expected[3 + i]) < 1e-6, `${t}: ${found.quat}`);
    }
    const t = 0.3 + 0.4 / 60; // between frames 18 and 19: g h^2/8 from the parabola, and still a rotation
    await page.evaluate((at) => window.cradle.seek(at), t);
    const found = await pose(page);
    assert.ok(Math.abs(found.pos[2] - height(t)) < g / 60 ** 2 / 8 + 1e-6);
    assert.ok(Math.abs(Math.hypot(...found.quat) - 1) < 1e-6);
    assert.ok(Math.abs(found.quat[2] - Math.sin((turn * t) / 2)) < 1e-5);
  });
});

test("it plays to the end at the speed asked for, and pauses", async () => {
  await open(ball, async (page) => {
    await page.keyboard.press(" ");
    assert.equal(await page.evaluate(() => window.cradle.playing()), true);
    await page.waitForFunction(() => window.cradle.time() > 0.1);
    await page.keyboard.press(" ");
    const stopped = await time(page);
    await page.waitForTimeout(100);
    assert.equal(await time(page), stopped);
    await page.locator("select[aria-label=speed]").selectOption("4");
    await page.locator("button.play").click();
    await page.waitForFunction(() => window.cradle.time() === 2 && !window.cradle.playing());
  });
});

test("scrubbing, frame steps and events by keyboard", async () => {
  await open(ball, async (page) => {
    await page.locator(".scrub").fill("1.5");
    assert.equal(await time(page), 1.5);
    await page.keyboard.press("Home");
    assert.equal(await time(page), 0);
    for (const bounce of bounces.slice(0, 3)) {
      await page.keyboard.press("e");
      assert.equal(await time(page), bounce); // exact, not the nearest frame
    }
    await page.keyboard.press("Shift+E");
    assert.equal(await time(page), bounces[1]);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    assert.ok(Math.abs((await time(page)) - 11 / 60) < 1e-12);
    await page.keyboard.press("ArrowLeft");
    assert.ok(Math.abs((await time(page)) - 10 / 60) < 1e-12);
    await page.keyboard.press("End");
    assert.equal(await time(page), 2);
  });
});

test("the list of events jumps to its time and follows the clock", async () => {
  await open(ball, async (page) => {
    await page.locator(".events button").nth(2).click();
    assert.equal(await time(page), bounces[2]);
    assert.equal(await page.locator(".events li.current").count(), 1);
    assert.match(await page.locator(".events li.current").innerText(), new RegExp(bounces[2].toFixed(6)));
  });
});

test("the plots have a common cursor, and a click seeks", async () => {
  await open(ball, async (page) => {
    await page.evaluate(() => window.cradle.seek(1));
    const places = await page.evaluate(() => [...document.querySelectorAll(".time-cursor")].map((c) => {
      const over = c.parentElement.getBoundingClientRect();
      return (c.getBoundingClientRect().left - over.left) / over.width;
    }));
    assert.equal(places.length, 2);
    for (const place of places) assert.ok(Math.abs(place - 0.5) < 0.01, `${place}`); // t = 1 of 0 .. 2
    const over = page.locator(".u-over").first(), box = await over.boundingBox();
    await over.click({ position: { x: box.width / 4, y: box.height / 2 } });
    assert.ok(Math.abs((await time(page)) - 0.5) < 0.02);
  });
});

test("hostile names are text", async () => {
  await open(ball, async (page) => {
    assert.equal(await page.locator("h1").textContent(), hostile);
    assert.equal(await page.locator("img").count(), 0);
    assert.match(await page.locator("select[aria-label=follow]").innerText(), /<img src=x/);
  });
});

test("it fits a phone and is readable in light and dark", () => readable(ball));

test("poses of every example are those of the library", async () => {
  for (const name of ["@pendulum:5", "@ramone", "@four-bar"]) {
    const path = file("scene.html");
    cradle("impact", name, "--html", path);
    const { scene } = dataOf(path);
    const still = { cradle: "page/1", kind: "run", version: "test", scene, run: {
      input: name, t: pack(new Float64Array(1)), qpos: pack(Float32Array.from(scene.qpos)), summary: {}, series: { t: "", groups: [] }, names: [],
      contacts: { start: pack(new Uint32Array(2)), name: "", point: "", normal: "", force: "", mode: "", mu: "" }, force_unit: "N", events: [] } };
    pageOf(still, path);
    await open(path, async (page) => {
      for (const body of scene.bodies) {
        const found = await page.evaluate((n) => window.cradle.pose(n), body.name);
        for (let i = 0; i < 3; i++) assert.ok(Math.abs(found.pos[i] - body.xpos[i]) < 1e-5, `${name} ${body.name}: ${found.pos}, expected ${body.xpos}`);
        const same = Math.abs(found.quat.reduce((sum, q, i) => sum + q * body.xquat[i], 0));
        assert.ok(same > 1 - 1e-9, `${name} ${body.name}: ${found.quat}, expected ${body.xquat}`);
      }
    });
  }
});
