// Claims: the page of a real run shows the trace's own states, its events at their exact times, the same from `run --html` and from
// `view` on its trace; a minute at 1 ms stays small.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
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
  assert.deepEqual(dataOf(file("view.html")), dataOf(page));
});

test("the pose of the ball is the trace's at every time looked at", async () => {
  await open(page, async (browser) => {
    for (const row of [0, 123, 777, 1500, trace.length - 1].map((i) => trace[i])) {
      await browser.evaluate((t) => window.cradle.seek(t), row.t);
      const { pos, quat } = await browser.evaluate(() => window.cradle.pose("ball"));
      [row.qpos1, row.qpos2, row.qpos3].forEach((x, i) => assert.ok(Math.abs(pos[i] - x) < 1e-6, `t = ${row.t}: ${pos[i]}, expected ${x}`));
      [row.qpos4, row.qpos5, row.qpos6, row.qpos7].forEach((x, i) => assert.ok(Math.abs(quat[i] - x) < 1e-6));
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

test("a minute at 1 ms stays below 3 MB and opens", async () => {
  const long = file("long.html");
  cradle("run", "@pendulum:3", "--time", "60", "--dt", "0.001", "--html", long);
  assert.ok(statSync(long).size < 3e6, `${statSync(long).size} bytes`);
  await open(long, async (browser) => {
    await browser.evaluate(() => window.cradle.seek(59.9));
    assert.ok((await browser.locator(".time-cursor").count()) >= 4);
  });
});

test("it fits a phone and is readable in light and dark", () => readable(page));
