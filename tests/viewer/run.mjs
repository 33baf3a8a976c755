// Claims: the page of a real run shows the trace's own states, its events at their exact times, the same from `run --html` and from
// `view` on its trace; a minute at 1 ms stays small and plays at full frame rate.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { cradle, dataOf, file, open, readable } from "./harness.mjs";

const page = file("ball.html");
const said = JSON.parse(cradle("run", "@bouncing-ball", "--time", "2", "--json", "--html", page));
cradle("run", "@bouncing-ball", "--time", "2", "-o", file("ball.csv"));
const [titles, ...rows] = readFileSync(file("ball.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
const trace = rows.map((row) => Object.fromEntries(titles.map((title, i) => [title, Number(row[i])])));

test("no trace is left beside the page", () => assert.ok(!existsSync(`${page}.trace.h5`)));

test("view of the trace gives the same page", () => {
  cradle("run", "@bouncing-ball", "--time", "2", "-o", file("ball.h5"));
  cradle("view", file("ball.h5"), "-o", file("view.html"));
  const { source, ...rest } = dataOf(page); // the trace does not know the command
  assert.equal(source.command[0], "run");
  assert.deepEqual(dataOf(file("view.html")), rest);
});

test("the pose of the ball is the trace's at every time looked at", async () => {
  await open(page, async (browser) => {
    for (const row of [0, 123, 777, 1500, trace.length - 1].map((i) => trace[i])) {
      await browser.evaluate((t) => window.cradle.seek(t), row.t);
      const { pos, quat } = await browser.evaluate(() => window.cradle.pose("ball"));
      [row.qpos0, row.qpos1, row.qpos2].forEach((x, i) => assert.ok(Math.abs(pos[i] - x) < 1e-6, `t = ${row.t}: ${pos[i]}, expected ${x}`));
      [row.qpos3, row.qpos4, row.qpos5, row.qpos6].forEach((x, i) => assert.ok(Math.abs(quat[i] - x) < 1e-6));
    }
  });
});

// dropped from 1 m the ball first lands at sqrt(2 / 9.81)
test("events are exact and reached by a key", async () => {
  await open(page, async (browser) => {
    await browser.keyboard.press("e");
    const t = await browser.evaluate(() => window.cradle.time());
    assert.equal(t, said.events[0].t);
    assert.ok(Math.abs(t - Math.sqrt(2 / 9.81)) < 1e-6, `${t}`);
    const { pos } = await browser.evaluate(() => window.cradle.pose("ball"));
    assert.ok(Math.abs(pos[2] - 0.1) < 1e-5, `${pos[2]}`); // its radius: it touches
    assert.equal(await browser.locator(".events li").count(), said.events.length);
  });
});

test("a geom called <script> shows as text, from the file to the page", async () => {
  const name = "<script>alert(1)</script>", model = file("hostile.xml"), path = file("hostile.html");
  const quoted = name.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  writeFileSync(model, `<mujoco model="${quoted}"><worldbody><geom name="floor" type="plane" size="0 0 1"/><body name="${quoted}" pos="0 0 0.3"><freejoint/>
    <geom name="${quoted}" type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>`);
  cradle("run", model, "--time", "0.5", "--html", path);
  await open(path, async (browser) => {
    assert.equal(await browser.locator("script").count(), 4); // the page's own: data, the core and its worker, the page
    assert.ok((await browser.locator(".events").innerText()).includes(name));
    assert.ok((await browser.locator("select[aria-label=follow]").innerText()).includes(name));
    await browser.evaluate(() => window.cradle.seek(0.5));
    assert.ok((await browser.locator(".contact-line").innerText()).includes(name));
  });
});

// Three links in contact for a minute at 1 ms: 60001 states.
const long = file("long.html");
const length = JSON.parse(cradle("run", "@pendulum:3", "--time", "60", "--dt", "0.001", "--json", "--html", long));

test("a minute at 1 ms adds less than 0.8 MB to the page: 60 frames a second and every event", async () => {
  assert.equal(length.steps, 60000);
  const own = statSync(long).size - statSync(new URL("../../viewer/page.html", import.meta.url)).size;
  assert.ok(own < 0.8e6, `${own} bytes`);
  await open(long, async (browser) => {
    const frames = await browser.evaluate(() => window.cradle.frames());
    assert.ok(frames >= 3600 && frames <= 3601 + length.events.length, `${frames} frames, ${length.events.length} events`);
    await browser.evaluate(() => window.cradle.seek(59.9));
    assert.ok((await browser.locator(".time-cursor").count()) >= 4);
  });
});

// A frame at 60 Hz has 16.7 ms. What it costs is counted, as a time would judge the machine: one layout and one style pass at most, draw calls
// for geoms, their shadows and the glyphs of contacts, and no node of the page that was not there before. The milliseconds are told, not judged.
test("it plays at full frame rate: a frame lays out once and adds nothing to the page", async (t) => {
  await open(long, async (browser) => {
    const tools = await browser.context().newCDPSession(browser);
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => Object.fromEntries((await tools.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
    await browser.evaluate(() => {
      window.drawn = 0;
      const count = () => { window.drawn++; requestAnimationFrame(count); };
      requestAnimationFrame(count);
    });
    await browser.evaluate(() => window.cradle.seek(20));
    await browser.keyboard.press(" ");
    await browser.waitForFunction(() => window.drawn >= 10); // compiled and warm
    const [from, first, nodes] = [await spent(), await browser.evaluate(() => window.drawn), await browser.locator("*").count()];
    await browser.waitForFunction((n) => window.drawn >= n, first + 40);
    const [to, last] = [await spent(), await browser.evaluate(() => window.drawn)];
    assert.ok(await browser.evaluate(() => window.cradle.playing()));
    const each = (name) => (to[name] - from[name]) / (last - first);
    t.diagnostic(`${(1000 * each("TaskDuration")).toFixed(1)} ms of the page's thread a frame`);
    for (const name of ["LayoutCount", "RecalcStyleCount"]) assert.ok(each(name) < 1.5, `${each(name)} ${name} a frame`);
    assert.ok((await browser.locator("*").count()) < nodes + 20); // the line of contacts may have grown by some names
    assert.ok((await browser.evaluate(() => window.cradle.calls())) < 200);
  }, { motion: "no-preference" });
});

test("it fits a phone and is readable in light and dark", () => readable(page));

// A hinge under a servo: f = 5 (0.2 - q). The sensor reads q, the actuator's force follows from it, and both are among the plots.
test("controls, forces of actuators and sensors can be plotted", async () => {
  writeFileSync(file("servo.xml"), `<mujoco><worldbody><body pos="0 0 1"><joint name="h" type="hinge" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="1"/></body></worldbody><actuator><position name="servo" joint="h" kp="5"/></actuator>
    <sensor><jointpos name="angle" joint="h"/></sensor><keyframe><key qpos="0.3" ctrl="0.2"/></keyframe></mujoco>`);
  cradle("run", file("servo.xml"), "--time", "0.5", "--html", file("servo.html"));
  await open(file("servo.html"), async (browser) => {
    const columns = async (group) => {
      const plot = browser.locator(".series figure").first();
      await plot.getByLabel("signals").selectOption({ value: group });
      const [download] = await Promise.all([browser.waitForEvent("download"), plot.getByRole("button", { name: "CSV" }).click()]);
      const [head, ...lines] = readFileSync(await download.path(), "utf8").trim().split("\n").map((line) => line.split(","));
      return { head, lines: lines.map((line) => line.map(Number)) };
    };
    const angle = await columns("sensors: joints"), force = await columns("actuator forces"), control = await columns("controls");
    assert.deepEqual(force.head, ['"t s"', '"servo N or N m"']);
    assert.equal(angle.lines.length, force.lines.length);
    angle.lines.forEach(([t, q], i) => {
      assert.equal(force.lines[i][0], t);
      assert.ok(Math.abs(force.lines[i][1] - 5 * (0.2 - q)) < 1e-5, `${t}: ${force.lines[i][1]} at ${q}`);
      assert.equal(Math.fround(control.lines[i][1]), Math.fround(0.2));
    });
  });
});
