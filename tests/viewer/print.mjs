// Claims: every page prints: on paper it is dark on white whatever the screen was, nothing is wider than the sheet, buttons are gone and lists are
// whole, the scene and the plots are painted light; and a PDF of it has its pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { cradle, drawn, eventually, faint, file, open } from "./harness.mjs";

const A4 = 703; // width of a sheet between margins of 1 cm less a little, CSS pixels
const pages = {
  run: ["run", "@rocking-block-zeno", "--time", "3"],
  impact: ["impact", "@compass-gait"],
  check: ["check", "@ramone"],
  outcomes: ["outcomes", "@rocking-block", "--samples", "512", "--sweep", "mu=0:1:3"],
};

/** Mean lightness of what a canvas shows, 0 to 255. */
const lightness = (page, selector) => page.evaluate((where) => {
  const canvas = document.querySelector(where), copy = document.createElement("canvas");
  [copy.width, copy.height] = [64, 64];
  const flat = copy.getContext("2d");
  flat.fillStyle = "#fff"; // what is not painted is paper
  flat.fillRect(0, 0, 64, 64);
  flat.drawImage(canvas, 0, 0, 64, 64);
  const bytes = flat.getImageData(0, 0, 64, 64).data;
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) if (i % 4 < 3) sum += bytes[i];
  return sum / (0.75 * bytes.length);
}, selector);

/** Mean lightness of the lightest picture in a PDF: the scene, as plots are transparent. Pictures are deflated RGB [ISO 32000-1, 8.9.5]. */
function lightestPicture(pdf) {
  const text = pdf.toString("latin1");
  let lightest = 0;
  for (const { 0: head, index } of text.matchAll(/<<[^<>]*\/Subtype\s*\/Image[^]*?>>\s*stream\r?\n/g)) {
    const [width, height] = ["Width", "Height"].map((key) => Number(head.match(new RegExp(`/${key} (\\d+)`))[1]));
    if (!/\/FlateDecode/.test(head)) continue;
    const bytes = inflateSync(pdf.subarray(index + head.length, index + head.length + Number(head.match(/\/Length (\d+)/)[1])));
    if (bytes.length === 3 * width * height && bytes.length > 1e5) lightest = Math.max(lightest, bytes.reduce((sum, byte) => sum + byte, 0) / bytes.length);
  }
  return lightest;
}

for (const [name, words] of Object.entries(pages)) {
  test(`${name} prints, from a dark screen too`, async () => {
    const path = file(`${name}.html`);
    cradle(...words, "--html", path);
    await open(path, async (page) => {
      await drawn(page);
      const dark = await lightness(page, ".view canvas"), scene = ".view canvas.paper";
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await eventually(async () => assert.deepEqual(await faint(page), []));
      const sheet = () => page.evaluate(() => ({
        paper: getComputedStyle(document.body).backgroundColor,
        wide: document.documentElement.scrollWidth,
        buttons: [...document.querySelectorAll("button")].filter((b) => b.getClientRects().length && !b.matches(".event, .marks button")).length,
        cut: [...document.querySelectorAll(".events, .scroll, .plot")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== "visible" || e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== "visible").length,
      }));
      await eventually(async () => assert.deepEqual(await sheet(), { paper: "rgb(255, 255, 255)", wide: A4, buttons: 0, cut: 0 }));
      await eventually(async () => assert.ok((await lightness(page, scene)) > dark + 60, `${dark}`));
      const pdf = await page.pdf({ format: "A4", margin: { top: "1cm", bottom: "1cm", left: "1cm", right: "1cm" } });
      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
      const sheets = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
      assert.ok(sheets >= 1 && sheets <= 8, `${sheets} sheets`);
      assert.ok(lightestPicture(pdf) > 150, `${lightestPicture(pdf)}`);
    }, { width: A4, height: 1000, scheme: "dark" });
  });
}

test("every event of a run is on the paper", async () => {
  await open(file("run.html"), async (page) => {
    await page.emulateMedia({ media: "print" });
    const seen = await page.evaluate(() => [...document.querySelectorAll(".events li")].every((li) => li.getBoundingClientRect().height > 8));
    assert.ok(seen && (await page.locator(".events li").count()) > 10);
    const plots = await page.evaluate(() => [...document.querySelectorAll(".plot canvas")].map((c) => c.getBoundingClientRect().width));
    for (const width of plots) assert.ok(width <= A4 && width > 0.9 * A4, `${width}`);
  }, { width: A4, height: 1000 });
});
