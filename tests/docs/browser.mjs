// The site in a real browser, opened from disk: no page has an error, none asks for anything outside the site, none is wider than a
// phone, and the box finds headings. usage: node --test browser.mjs, with CRADLE_SITE and CRADLE_CHROMIUM set.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { chromium } = createRequire(join(root, "viewer", "package.json"))("playwright-core");
const site = process.env.CRADLE_SITE ?? join(root, "build", "docs");
const home = pathToFileURL(site + "/").href;

let browser, page;
const wrong = [];
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CRADLE_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
  page.on("console", (message) => { if (message.type() === "error") wrong.push(`${page.url()}: ${message.text()}`); });
  page.on("pageerror", (error) => wrong.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => { if (!request.url().startsWith(home)) wrong.push(`${page.url()} asks for ${request.url()}`); });
});
after(async () => { await browser?.close(); });

test("every page opens without an error, within the site, and is no wider than a phone", async () => {
  const pages = readdirSync(site).filter((name) => name.endsWith(".html"));
  assert.ok(pages.length > 30, `${pages.length} pages`);
  for (const name of pages) {
    await page.goto(home + name);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 360) wrong.push(`${name}: ${width} px of page in a window of 360 px`);
  }
  assert.deepEqual(wrong, []);
});

test("formulas are set: a fraction is drawn above its denominator", async () => {
  await page.goto(home + "theory-friction.html");
  const [above, below] = await page.evaluate(() => [...document.querySelector("math mfrac").children].map((e) => e.getBoundingClientRect().top));
  assert.ok(above < below - 4, `${above} and ${below}`);
});

test("the box finds a heading and leads to it", async () => {
  await page.goto(home + "index.html");
  await page.fill("#find", "moreau law");
  await page.fill("#find", "crd_tree_oscm");
  await page.click("#found a");
  assert.match(page.url(), /api-tree\.html#crd_tree_oscm/);
  await page.fill("#find", "a face crosses the chord"); // no heading has these words
  assert.equal(await page.textContent("#found"), "nothing found");
  await page.fill("#find", "hyperstatic box four feet"); // nor these, verb-check.md does
  await page.waitForSelector('#found a[href^="verb-check.html"]');
  assert.match(await page.textContent("#found"), /hyperstatic/);
  await page.click('#found a[href^="verb-check.html"]');
  assert.match(page.url(), /verb-check\.html#contacts-that-last/);
  await page.goto(home + "api-index.html");
  await page.click('main a[href="api-coulomb.html#crd_coulomb_solve"]');
  assert.match(page.url(), /api-coulomb\.html#crd_coulomb_solve/);
  await page.fill("#find", "zzzz");
  assert.equal(await page.textContent("#found"), "nothing found");
  assert.deepEqual(wrong, []);
});
