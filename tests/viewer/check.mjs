// Claims: the page of `check` says the verdict first, draws the admissible region where the library says it is, marks the state,
// and shows hostile names as text.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { cradle, file, open, readable } from "./harness.mjs";

const kane = file("kane.html");
cradle("check", "@double-pendulum-floor", "--e", "0.5", "--mu", "0.5", "--html", kane);
const walker = file("walker.html");
cradle("check", "@compass-gait", "--html", walker);

test("the verdict comes first and is the program's", async () => {
  const said = cradle("check", "@double-pendulum-floor", "--e", "0.5", "--mu", "0.5");
  await open(kane, async (page) => {
    assert.equal(await page.title(), "double-pendulum-floor · Check");
    const lines = await page.locator(".verdict .says").allTextContents();
    assert.equal(lines.length, 3);
    const words = (text) => text.replaceAll("`", "").replace(/\s+/g, " "); // lines are wrapped in a terminal, names set apart
    for (const line of lines) assert.ok(words(said).includes(words(line)), line);
    const first = page.locator(".results > :first-child"); // what all findings come to, as the program ends with
    assert.equal((await first.textContent()).replace(/^\S /, ""), words(said).match(/verdict: (.*?) ?$/)[1]);
  });
});

// Errata B-01..B-04 of Kane's pendulum: at e = 0.5, mu = 0.4 slips and is admissible, mu = 0.5 sticks and gains energy.
test("the region is coloured where it is admissible, and the state is marked outside", async () => {
  await open(kane, async (page) => {
    const at = (mu, e) => page.evaluate(([mu, e]) => {
      const chart = document.querySelector(".region svg"), frame = chart.querySelector(".frame").getBoundingClientRect();
      const x = frame.left + mu * frame.width, y = frame.bottom - e * frame.height; // both axes run from 0 to 1
      return [...chart.querySelectorAll("rect[class^=fill]")].filter((r) => {
        const b = r.getBoundingClientRect();
        return b.left <= x && x <= b.right && b.top <= y && y <= b.bottom;
      }).map((r) => r.getAttribute("class"))[0] ?? "";
    }, [mu, e]);
    assert.equal(await at(0.4, 0.5), "fill-slip");
    assert.equal(await at(0.52, 0.55), "");
    assert.equal(await at(0.5, 0.36), "fill-stick"); // below e* = 0.3968, above the border of sticking
    assert.equal(await at(0.9, 0.9), "");
    const mark = page.locator(".region .state");
    assert.equal(await mark.getAttribute("data-x"), "0.5");
    assert.equal(await mark.getAttribute("data-y"), "0.5");
  });
});

test("kinetic angles and all tables are there", async () => {
  const data = JSON.parse(cradle("check", "@compass-gait", "--json"));
  await open(walker, async (page) => {
    const text = await page.locator("main").innerText();
    assert.match(text, /134\.8°: an impulse at one opens the other/);
    const rows = await page.locator("section", { hasText: "Criteria" }).locator("tbody tr").count();
    assert.equal(rows, data.restitution.propositions.length + data.theorem2.propositions.length + data.wellposed.propositions.length);
  });
});

test("names from a file are text, never markup", async () => {
  const name = '</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u2028"';
  const problem = { cradle: "impact-problem/1", M: [[1, 0], [0, 1]], v: [-1, -1],
    contacts: [{ name, n: [1, 0], t: [[0, 1]], mu: 0.5, e: 0.5 }, { name: "<b>B</b>", n: [0.5, 1], mu: 0, e: 0 }] };
  writeFileSync(file("hostile.json"), JSON.stringify(problem));
  cradle("check", file("hostile.json"), "--html", file("hostile.html"));
  await open(file("hostile.html"), async (page) => {
    assert.equal(await page.locator(".region h3").first().textContent(), name);
    assert.equal(await page.locator("script").count(), 4);
    assert.equal(await page.locator("img, b").count(), 0);
  });
});

test("a state without contact says so", async () => {
  cradle("check", "@pendulum:3", "--html", file("free.html"));
  await open(file("free.html"), async (page) => {
    assert.match(await page.locator(".verdict").innerText(), /nothing touches/);
  });
});

test("it fits a phone and is readable in light and dark", async () => {
  for (const path of [kane, walker]) await readable(path);
});

test("t changes between dark and light", async () => {
  await open(kane, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await paper();
    await page.keyboard.press("t");
    assert.notEqual(await paper(), before);
    await page.keyboard.press("t");
    assert.equal(await paper(), before);
  });
});

test("a plot can be saved as SVG with its colours", async () => {
  await open(kane, async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".region .save").click()]);
    assert.equal(download.suggestedFilename(), "region-A.svg");
    const text = readFileSync(await download.path(), "utf8");
    assert.match(text, /^<svg [^>]*width="420"/);
    assert.match(text, /fill: rgb\(/);
    assert.match(text, /coefficient of friction μ/);
  });
});
