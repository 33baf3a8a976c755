// Claims: the page of `fit` ranks the laws with the program's numbers; an impact that is pointed at is shown with what was measured and
// every law's answer; a law that is chosen is drawn; the mechanism is there where a model is; motions have a page too.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { cradle, file, open, readable } from "./harness.mjs";

// a ball of 1 kg that slides over a floor: rebound 0.6, friction 0.2
const rows = Array.from({ length: 12 }, (_, i) => {
  const v = [2 + 0.1 * i, -1 - 0.1 * i], p = 1.6 * -v[1];
  return { M: [[1, 0], [0, 1]], v, v_plus: [v[0] - 0.2 * p * (1 + 0.01 * Math.sin(9 * i)), v[1] + p * (1 + 0.01 * Math.sin(7 * i))], contacts: [{ n: [0, 1], t: [[1, 0]] }] };
});
writeFileSync(file("drops.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
const laws = "newton,routh,moreau";
cradle("fit", file("drops.jsonl"), "--law", laws, "--html", file("fit.html"));
const found = JSON.parse(cradle("fit", file("drops.jsonl"), "--law", laws, "--json")).fits[0];

writeFileSync(file("ball.xml"), "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 1'><freejoint/><geom type='sphere' size='0.05' mass='1'/></body></worldbody></mujoco>");
const flight = (t) => [t, 1.5 * t, 0, 0.55 - 4.905 * t * t, 1, 0, 0, 0].join(",");
writeFileSync(file("throws.csv"), Array.from({ length: 20 }, (_, i) => flight(i / 100)).join("\n"));
writeFileSync(file("table.csv"), [1, 2, 3, 4].map((v) => [0, 0, 0.05, 1, 0, 0, 0, 1, 0, -v, 0, 0, 0, 1, 0, 0.5 * v, 0, 0, 0].join(",")).join("\n"));

test("the laws stand by rank", async () => {
  await open(file("fit.html"), async (page) => {
    const lines = page.locator("tr[data-law]");
    const order = [...found.laws].sort((a, b) => a.rank - b.rank);
    assert.deepEqual(await lines.evaluateAll((all) => all.map((line) => line.dataset.law)), order.map((law) => law.law));
    assert.match(await lines.first().innerText(), new RegExp(String(Number(order[0].e.value.toPrecision(4)))));
    await lines.nth(2).click();
    assert.match(await page.locator("h3", { hasText: "error over" }).innerText(), new RegExp(order[2].law));
  });
});

test("an impact that is pointed at is shown", async () => {
  await open(file("fit.html"), async (page) => {
    await page.locator("circle[data-row='8']").first().dispatchEvent("mouseenter");
    const impact = page.locator("section", { has: page.locator("h2", { hasText: "The impact" }) });
    assert.equal(await impact.locator("h3").innerText(), "row 8");
    const numbers = async (name) => (await impact.locator("tr", { hasText: name }).locator("td").allInnerTexts()).map((text) => Number(text.replace("−", "-")));
    const [n, t] = await numbers("measured");
    assert.ok(Math.abs(n - rows[7].v_plus[1]) < 1e-3 && Math.abs(t - rows[7].v_plus[0]) < 1e-3);
    const newton = found.laws.find((law) => law.law === "newton"), line = await numbers("newton");
    assert.ok(Math.abs(line[2] - newton.v_plus[7][0]) < 1e-3 && Math.abs(line[4] - newton.errors[7]) < 1e-4);
    assert.equal(await page.locator("circle.dot.small.chosen").count(), 2); // normal and tangential
    await impact.locator("button", { hasText: "next" }).click();
    assert.equal(await impact.locator("h3").innerText(), "row 9");
  });
});

test("a model is drawn at the impact, and motions have a page", async () => {
  cradle("fit", "--model", file("ball.xml"), file("table.csv"), "--law", "newton", "--html", file("table.html"), "-q");
  await open(file("table.html"), async (page) => {
    await page.locator(".view canvas").first().waitFor({ state: "attached" });
    await page.locator("select[aria-label='after the impact']").selectOption({ index: 1 });
  });
  cradle("fit", "--model", file("ball.xml"), file("throws.csv"), "--trajectories", "--law", "newton", "--grid", "3", "--resamples", "10", "--html", file("throws.html"), "-q");
  await open(file("throws.html"), async (page) => assert.match(await page.locator("pre").innerText(), /20 samples/));
});

test("it fits a phone and is readable in light and dark", async () => {
  await readable(file("fit.html"));
});
