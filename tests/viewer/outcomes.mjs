// Claims: the page of `outcomes` draws the samples, hull, paths and marked outcomes in the axes chosen; what is pointed at is told and
// moves the mechanism. The rocking block's exact set is {(a, 0)} and {(0, b)} with a, b in 0 .. 0.21 v0 [Halm & Posa, section 5].
import assert from "node:assert/strict";
import { test } from "node:test";
import { cradle, dataOf, drawn, eventually, file, open, readable } from "./harness.mjs";

const block = file("block.html");
cradle("outcomes", "@rocking-block", "--samples", "4096", "--seed", "1", "--html", block);
const data = dataOf(block).outcomes.sets[0];
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

const sweep = file("sweep.html");
cradle("outcomes", "@box-wall", "--samples", "512", "--sweep", "mu=0:1:5", "--html", sweep);

test("a sweep has a slider over all its sets, drawn to one scale", async () => {
  const { parameter, sets } = dataOf(sweep).outcomes;
  assert.equal(parameter, "mu");
  assert.deepEqual(sets.map((set) => set.value), [0, 0.25, 0.5, 0.75, 1]);
  for (const set of sets) for (const contact of set.contacts) assert.equal(contact.mu, set.value);
  await open(sweep, async (page) => {
    const ticks = () => page.locator(".cloud text.tick").allTextContents();
    const samples = () => page.locator(".cloud image").getAttribute("href");
    assert.equal(await page.locator(".sweep output").textContent(), "mu = 1");
    const [scale, last] = [await ticks(), await samples()];
    await page.locator(".sweep input").focus();
    await page.keyboard.press("Home");
    assert.equal(await page.locator(".sweep output").textContent(), "mu = 0");
    assert.deepEqual(await ticks(), scale);
    assert.notEqual(await samples(), last);
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator(".sweep output").textContent(), "mu = 0.25");
    const mark = sets[1].marks[0], rows = await page.locator(".reading tbody tr").allInnerTexts();
    sets[1].axes.forEach((axis, i) => assert.ok(Math.abs(Number(rows[i].split("\t").at(-1).replace("−", "-")) - dot(axis.row, mark.v_plus)) < 1e-3));
  });
});

test("a sweep over a joint moves the mechanism with it", async () => {
  const path = file("joint.html");
  cradle("outcomes", "@rocking-block", "--samples", "64", "--sweep", "x=0:0.3:3", "--html", path);
  const { outcomes, scene } = dataOf(path), joint = scene.joints.find((j) => j.name === outcomes.parameter);
  assert.ok(joint && outcomes.sets.length === 3);
  outcomes.sets.forEach((set) => assert.ok(Math.abs(set.contacts[0].point[0] - outcomes.sets[0].contacts[0].point[0] - set.value) < 1e-12));
  await open(path, async (page) => {
    const pixels = () => page.evaluate(() => document.querySelector(".view canvas").toDataURL());
    await drawn(page);
    const before = await pixels();
    await page.locator(".sweep input").focus();
    await page.keyboard.press("Home");
    await eventually(async () => assert.notEqual(await pixels(), before));
  });
});

test("a box is told, and its samples have no paths of the middle", async () => {
  const path = file("box.html"), h5 = file("box.h5");
  cradle("outcomes", "@rocking-block", "--samples", "512", "--box", "mu=0.1,draws=8", "--html", path, "-o", h5);
  const [set] = dataOf(path).outcomes.sets;
  assert.equal(set.paths.length, 0);
  cradle("view", h5, "-o", file("box-view.html"));
  assert.deepEqual(dataOf(file("box-view.html")).outcomes.sets[0].v_plus, set.v_plus);
  assert.deepEqual(dataOf(file("box-view.html")).outcomes.sets[0].summary, set.summary);
  await open(path, async (page) => assert.match(await page.locator(".facts").innerText(), /μ ± 0.1, e ± 0, v ± 0; 8 problems drawn/));
});

// The five collisions of figure 12 move along the two legs of the set, from one end to the other as the ratio of stiffness grows.
test("compliant bodies are drawn beside the set and can be chosen", async () => {
  const path = file("compliant.html");
  cradle("outcomes", "@rocking-block", "--samples", "512", "--compliant", "--html", path, "-o", file("compliant.h5"));
  cradle("view", file("compliant.h5"), "-o", file("compliant-view.html"));
  assert.deepEqual(dataOf(file("compliant-view.html")).outcomes.sets[0].marks, dataOf(path).outcomes.sets[0].marks);
  const [set] = dataOf(path).outcomes.sets, soft = set.marks.filter((mark) => mark.law === "compliant");
  assert.equal(soft.length, 51);
  const n = (mark, name) => dot(set.axes.find((axis) => axis.name === name).row, mark.v_plus) / v0;
  for (const mark of soft) assert.ok(Math.min(Math.abs(n(mark, "A n")), Math.abs(n(mark, "B n"))) < 5e-3, `${mark.label}`);
  await open(path, async (page) => {
    assert.equal(await page.locator(".cloud .mark-compliant").count(), 51);
    assert.equal(await page.locator(".cloud .line-compliant").count(), 1);
    await page.locator("select[aria-label=compliant]").selectOption({ index: 50 });
    assert.match(await page.locator(".reading h3").textContent(), /^compliant: k A \/ k B = 1e\+05/);
  });
});

test("it fits a phone and is readable in light and dark", async () => {
  for (const path of [block, sweep]) await readable(path);
});
