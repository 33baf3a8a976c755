// Claims: the page of `impact` shows every answer of every law with the program's numbers, draws the mechanism, shows what is pointed at
// everywhere, and works from a problem file without a mechanism.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cradle, eventually, file, open, readable } from "./harness.mjs";

const walker = file("walker.html");
cradle("impact", "@compass-gait", "--html", walker);
const data = JSON.parse(cradle("impact", "@compass-gait", "--json"));
const answers = data.laws.flatMap((law) => law.solutions ?? (law.v_plus ? [law] : []));

const lines = (page) => page.locator("section", { hasText: "The laws" }).locator("tbody tr[data-row]");

test("every answer has a line with its energy", async () => {
  await open(walker, async (page) => {
    assert.equal(await lines(page).count(), answers.length);
    const shown = await lines(page).locator(".energy").allTextContents();
    answers.forEach((answer, i) => assert.equal(Number(shown[i]), Number(Math.max(0, answer.energy.ratio).toFixed(4))));
  });
});

test("a line that is pointed at or reached by the keyboard is chosen everywhere", async () => {
  await open(walker, async (page) => {
    await lines(page).nth(5).hover();
    assert.equal(await page.locator("select[aria-label=law]").evaluate((s) => s.selectedIndex), 5);
    await lines(page).nth(2).focus();
    assert.equal(await page.locator("select[aria-label=law]").evaluate((s) => s.selectedIndex), 2);
    const chosen = await page.locator("circle.dot.chosen").count();
    assert.equal(chosen, 2 * answers[0].contacts.length); // a velocity and an impulse for every contact
  });
});

test("the mechanism is drawn", async () => {
  await open(walker, async (page) => {
    const colours = () => page.evaluate(() => {
      const canvas = document.querySelector(".view canvas"), copy = document.createElement("canvas");
      copy.width = 200, copy.height = 100;
      const flat = copy.getContext("2d");
      flat.drawImage(canvas, 0, 0, 200, 100);
      const bytes = flat.getImageData(0, 0, 200, 100).data, seen = new Set();
      for (let i = 0; i < bytes.length; i += 4) seen.add((bytes[i] >> 3) + "," + (bytes[i + 1] >> 3) + "," + (bytes[i + 2] >> 3));
      return seen.size;
    });
    await eventually(async () => assert.ok((await colours()) > 20, "a scene in more than 20 colours"));
  });
});

test("a problem file, a spatial problem and a state without contact have pages too", async () => {
  cradle("dynamics", "@ramone", "--problem", file("problem.json"));
  cradle("impact", file("problem.json"), "--html", file("problem.html"));
  await open(file("problem.html"), async (page) => {
    assert.equal(await page.locator("canvas").count(), 0);
    assert.ok((await lines(page).count()) > 5);
  });
  cradle("impact", "@pendulum:3", "--html", file("free.html"));
  await open(file("free.html"), async (page) => assert.match(await page.title(), /pendulum · Impact/));
});

test("it fits a phone and is readable in light and dark", async () => {
  await readable(walker);
});
