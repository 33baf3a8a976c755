// Claims: the player shows the pose that the trace has at a time, between frames too; it plays, pauses, scrubs, steps and jumps from event
// to event by mouse and by keyboard; poses of every mechanism are those of the library.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cradle, dataOf, drawn, file, open, pack, pageOf, readable } from "./harness.mjs";

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
function ballRun(mu = 1) {
  cradle("impact", "@bouncing-ball", "--html", file("ball-scene.html"));
  const scene = dataOf(file("ball-scene.html")).scene;
  scene.bodies[1].name = hostile;
  const frames = 121, t = Float64Array.from({ length: frames }, (_, i) => i / 60);
  const start = new Uint32Array(frames + 1), point = [], force = [], mode = [];
  t.forEach((time, i) => {
    if (height(time) < radius + 0.02) point.push(time, 0, 0), force.push(0.3, 0, 5), mode.push(i % 2 ? 2 : 3);
    start[i + 1] = mode.length;
  });
  const f32 = (x) => pack(Float32Array.from(x)), each = mode.map(() => mu);
  return {
    cradle: "page/1", kind: "run", version: "test", scene,
    run: {
      input: hostile, t: pack(t), qpos: f32([...t].flatMap(qposAt)), summary: { duration: "2 s", bounces: bounces.length },
      series: { t: pack(t), groups: [
        { title: "energy", unit: "J", lines: [{ name: "potential", y: f32([...t].map((x) => g * height(x))) }, { name: "zero", y: f32([...t].map(() => 0)) }] },
        { title: "contacts", unit: "", lines: [{ name: "number", y: f32([...t].map((_, i) => start[i + 1] - start[i])) }] }] },
      names: ["floor/ball"],
      contacts: { start: pack(start), name: pack(new Uint32Array(mode.length)), point: f32(point), normal: f32(mode.flatMap(() => [0, 0, 1])), force: f32(force), mode: pack(Uint8Array.from(mode)), mu: f32(each) },
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
    await drawn(page);
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
    assert.equal(places.length, 3); // energy, counts, positions
    for (const place of places) assert.ok(Math.abs(place - 0.5) < 0.01, `${place}`); // t = 1 of 0 .. 2
    const over = page.locator(".u-over").first(), box = await over.boundingBox();
    await over.click({ position: { x: box.width / 4, y: box.height / 2 } });
    assert.ok(Math.abs((await time(page)) - 0.5) < 0.02);
  });
});

/** How many pixels of the scene have the colour of a name in the style sheet, and the picture itself. */
const scene = (page) => page.evaluate(async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const canvas = document.querySelector(".view canvas"), copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const flat = copy.getContext("2d");
  flat.drawImage(canvas, 0, 0);
  const { data } = flat.getImageData(0, 0, copy.width, copy.height), style = getComputedStyle(document.documentElement);
  const rgb = (name) => style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/gi).map((hex) => parseInt(hex, 16));
  const count = (name) => {
    const [r, g, b] = rgb(name);
    let n = 0;
    for (let i = 0; i < data.length; i += 4) n += Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 9;
    return n;
  };
  let bytes = "";
  for (let i = 0; i < data.length; i += 8192) bytes += String.fromCharCode(...data.subarray(i, i + 8192));
  return { stick: count("--stick"), slip: count("--slip"), width: copy.width, data: btoa(bytes) };
});

// Contacts of odd frames stick, of even ones slip.
test("sticking and slipping have their colours, and c hides the contacts", async () => {
  await open(ball, async (page) => {
    const touching = Array.from({ length: 121 }, (_, frame) => frame).filter((frame) => height(frame / 60) < radius + 0.02);
    await page.keyboard.press("f"); // close to the ball: what is drawn there is large
    await page.locator(".view canvas").first().hover();
    for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -400);
    for (const [frame, shown, other] of [[touching.find((frame) => frame % 2 === 1), "stick", "slip"], [touching.find((frame) => frame % 2 === 0), "slip", "stick"]]) {
      await page.evaluate((t) => window.cradle.seek(t), frame / 60 + 1e-9);
      const seen = await scene(page);
      assert.ok(seen[shown] > 60 && seen[other] === 0, `frame ${frame}: ${seen.stick} stick, ${seen.slip} slip`);
      assert.match(await page.locator(".contact-line").innerText(), new RegExp(`floor/ball ${shown}`));
    }
    await page.keyboard.press("c");
    const hidden = await scene(page);
    assert.ok(hidden.stick === 0 && hidden.slip === 0);
    assert.equal(await page.getByRole("button", { name: "contacts" }).getAttribute("aria-pressed"), "false");
  });
});

// From the front a cone of friction mu is a triangle whose base is 2 mu times its height.
test("the friction cone opens as wide as its friction says", async () => {
  for (const mu of [0.5, 1]) {
    const pictures = [];
    for (const value of [mu, 0]) {
      const path = file("cone.html");
      pageOf(ballRun(value), path);
      await open(path, async (page) => {
        await page.locator("select[aria-label=view]").selectOption("front");
        await page.locator("select[aria-label=follow]").selectOption("1"); // close to the ball, so that pixels do not matter
        await page.getByLabel("size of arrows and cones").fill("0.3");
        await page.locator(".view canvas").first().hover();
        for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -400);
        await page.evaluate((t) => window.cradle.seek(t), Math.round(60 * bounces[0]) / 60 + 1e-9);
        pictures.push(await scene(page));
      });
    }
    const box = { left: 1e9, right: 0, top: 1e9, bottom: 0 }, [a, b] = pictures.map((picture) => Buffer.from(picture.data, "base64")), { width } = pictures[0];
    for (let i = 0; i < a.length; i += 4) {
      if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) < 12) continue;
      const x = (i / 4) % width, y = Math.floor(i / 4 / width);
      box.left = Math.min(box.left, x), box.right = Math.max(box.right, x), box.top = Math.min(box.top, y), box.bottom = Math.max(box.bottom, y);
    }
    const ratio = (box.right - box.left) / (box.bottom - box.top);
    assert.ok(Math.abs(ratio - 2 * mu) < 0.25 * mu, `mu = ${mu}: ${ratio}`);
  }
});

test("speed, view, follow and the list of events by keyboard", async () => {
  await open(ball, async (page) => {
    const value = (name) => page.locator(`select[aria-label=${name}]`).inputValue();
    await page.keyboard.press("+");
    assert.equal(await value("speed"), "2");
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    assert.equal(await value("speed"), "0.5");
    for (const name of ["front", "side", "top", "oblique"]) {
      await page.keyboard.press("v");
      assert.equal(await value("view"), name);
    }
    await page.keyboard.press("f");
    assert.equal(await value("follow"), "1");
    await page.evaluate(() => window.cradle.seek(2));
    const followed = await scene(page);
    await page.keyboard.press("f");
    assert.equal(await value("follow"), "-1");
    await page.keyboard.press("v"); // another view, about the middle of the whole motion
    assert.notEqual((await scene(page)).data, followed.data);
    const event = page.locator(".events button").nth(1);
    await event.focus();
    await page.keyboard.press("Enter");
    assert.equal(await time(page), bounces[1]);
    const names = await page.evaluate(() => [...document.querySelectorAll("button, select, input")].filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.title)).length);
    assert.equal(names, 0); // whatever can be reached has a name
  });
});

test("hostile names are text", async () => {
  await open(ball, async (page) => {
    assert.ok((await page.locator("footer").textContent()).includes(hostile));
    assert.equal(await page.locator("h1").getAttribute("title"), hostile);
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
