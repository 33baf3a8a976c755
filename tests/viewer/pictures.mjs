// Claims: the PNG of a picture shows what its SVG shows, as Chromium draws it; neither is empty; the SVG is well-formed and asks for nothing.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { cradle, file, open } from "./harness.mjs";

/** Mean distance of the two pictures in the three channels, 0 to 255, and that of the first from a white sheet. */
async function compare(svg, png) {
  const url = (type, path) => `data:${type};base64,${readFileSync(path).toString("base64")}`;
  const sheet = file("sheet.html");
  writeFileSync(sheet, `<!doctype html><link rel="icon" href="data:,"><img id="svg" src="${url("image/svg+xml", svg)}"><img id="png" src="${url("image/png", png)}">`);
  let found;
  await open(sheet, async (page) => {
    found = await page.evaluate(async () => {
      const bytes = async (id) => {
        const image = document.getElementById(id);
        await image.decode();
        const canvas = document.createElement("canvas"), size = document.getElementById("svg");
        [canvas.width, canvas.height] = [size.naturalWidth, size.naturalHeight];
        const flat = canvas.getContext("2d");
        flat.imageSmoothingQuality = "high";
        flat.drawImage(image, 0, 0, canvas.width, canvas.height);
        return flat.getImageData(0, 0, canvas.width, canvas.height).data;
      };
      const [a, b] = [await bytes("svg"), await bytes("png")];
      let apart = 0, ink = 0;
      for (let i = 0; i < a.length; i++) if (i % 4 < 3) apart += Math.abs(a[i] - b[i]), ink += 255 - a[i];
      return { apart: apart / (0.75 * a.length), ink: ink / (0.75 * a.length) };
    });
  });
  return found;
}

const verbs = {
  mechanism: ["view", "@ramone"],
  impact: ["impact", "@compass-gait"],
  check: ["check", "@double-pendulum-floor"],
  outcomes: ["outcomes", "@rocking-block", "--samples", "512", "--compliant"],
  energies: ["run", "@bouncing-ball", "--time", "1"],
  scenes: ["run", "@rocking-block-zeno", "--time", "1", "--at", "0,0.5,1"],
};
for (const [name, words] of Object.entries(verbs)) {
  test(`PNG and SVG show the same: ${name}`, async () => {
    const svg = file(`${name}.svg`), png = file(`${name}.png`);
    cradle(...words, "--svg", svg, "--png", png);
    const { apart, ink } = await compare(svg, png);
    assert.ok(ink > 8, `${ink}`); // not a white sheet
    assert.ok(apart < 2.5, `${apart}`); // edges and letters differ by a shade
  });
}

test("a picture that is another one is told apart", async () => {
  const { apart } = await compare(file("impact.svg"), file("check.png"));
  assert.ok(apart > 10, `${apart}`);
});
