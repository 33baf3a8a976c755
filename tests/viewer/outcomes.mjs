// Claims: the page of `outcomes` draws the samples, hull, paths and marked outcomes in the axes chosen; what is pointed at is told and
// moves the mechanism. The rocking block's exact set is {(a, 0)} and {(0, b)} with a, b in 0 .. 0.21 v0 [Halm & Posa, section 5].
import assert from "node:assert/strict";
import { test } from "node:test";
import { cradle, dataOf, file, open, readable } from "./harness.mjs";

const block = file("block.html");
cradle("outcomes", "@rocking-block", "--samples", "4096", "--seed", "1", "--html", block);
const data = dataOf(block).outcomes;
const v0 = 0.44294469180700202;

const floats = (text) => {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
};
const dot = (row, v) => row.reduce((sum, x, i) => sum + x * v[i], 0);

test("the data are outcomes of the block", () => {
  const nv = data.v_minus.length, v = floats(data.v_plus), axis = Object.fromEntries(data.axes.map((a) => [a.name, a.row]));
  assert.deepEqual(Object.keys(axis), ["A n", "A t", "B n", "B t"]);
  assert.equal(v.length / nv, data.terminated);
  for (let i = 0; i < v.length; i += nv) {
    const n = ["A n", "B n"].map((name) => dot(axis[name], v.slice(i, i + nv)) / v0);
    assert.ok(Math.min(...n) > -1e-5 && Math.min(...n.map(Math.abs)) < 1e-5 && Math.max(...n) < 0.2101, `${n}`);
  }
  assert.ok(data.marks.some((m) => m.law === "sequential") && data.marks.some((m) => m.law === "anitescu-potra"));
  for (const path of data.paths) { // from the velocity before to one of the outcomes
    const p = floats(path.v);
    data.v_minus.forEach((x, i) => assert.ok(Math.abs(p[i] - x) < 1e-6));
  }
});

test("axes can be chosen, hull and paths hidden", async () => {
  await open(block, async (page) => {
    assert.equal(await page.locator(".cloud text.label").first().textContent(), "A n (m/s)");
    await page.locator("select[aria-label=across]").selectOption("B t");
    assert.equal(await page.locator(".cloud text.label").first().textContent(), "B t (m/s)");
    assert.equal(await page.locator(".cloud .hull").count(), 1);
    await page.getByRole("button", { name: "hull" }).click();
    assert.equal(await page.locator(".cloud .hull").count(), 0);
    assert.equal(await page.locator(".cloud .path").count(), data.paths.length);
    await page.getByRole("button", { name: "paths" }).click();
    assert.equal(await page.locator(".cloud .path").count(), 0);
  });
});

test("what is pointed at is told, by mouse and by keyboard", async () => {
  await open(block, async (page) => {
    const index = data.marks.findIndex((m) => m.law === "sequential"), mark = data.marks[index];
    await page.locator(".marks button").nth(index).focus();
    assert.match(await page.locator(".reading h3").textContent(), /^sequential/);
    const rows = await page.locator(".reading tbody tr").allInnerTexts();
    const shown = rows.map((row) => Number(row.split("\t").at(-1).replace("−", "-")));
    data.axes.forEach((axis, i) => assert.ok(Math.abs(shown[i] - dot(axis.row, mark.v_plus)) < 1e-3));
    const before = await page.locator(".cloud .dot-before").boundingBox();
    await page.mouse.move(before.x + 200, before.y - 10); // far from everything: nothing changes
    await page.locator(".cloud .mark-anitescu-potra").first().hover();
    assert.match(await page.locator(".reading h3").textContent(), /^(anitescu-potra|sequential)/);
  });
});

test("it fits a phone and is readable in light and dark", () => readable(block));
