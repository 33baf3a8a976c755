// What the browser tests share: pages made by the program, opened from disk in Debian's Chromium, watched for errors and requests.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const source = fileURLToPath(new URL("../..", import.meta.url));
const { chromium } = createRequire(join(source, "viewer", "package.json"))("playwright-core");
const program = process.env.CRADLE_PROGRAM ?? join(source, "build", "cradle");

export const folder = mkdtempSync(join(tmpdir(), "cradle-viewer-"));
export const file = (name) => join(folder, name);

/** Runs the program; returns what it printed. */
export function cradle(...words) {
  return execFileSync(program, words, { encoding: "utf8", env: { ...process.env, OPENBLAS_NUM_THREADS: "1" }, stdio: ["ignore", "pipe", "pipe"] });
}

/** ms; no claim is about speed, and pages are drawn without a graphics card on machines that others keep busy. */
const PATIENCE = 180_000;

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CRADLE_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Opens the page from file://, hands it to `use`, and fails where it wrote an error to its console, threw, or asked for
 * anything but itself.
 */
export async function open(path, use, { width = 900, height = 600, scheme = "light", motion = "reduce" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: motion });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const wrong = [];
  const address = pathToFileURL(path).href;
  page.on("console", (message) => { if (message.type() === "error") wrong.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => wrong.push(`thrown: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("data:") && !url.startsWith("blob:")) wrong.push(`request: ${url}`);
  });
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  await page.goto(address);
  await use(page);
  assert.deepEqual(wrong, []);
  await context.close();
}

/** Waits until the claim holds; a busy machine may take its time, so only a claim that still fails after `seconds` is a failure, with its own words. */
export async function eventually(claim, seconds = PATIENCE / 1000) {
  for (const end = Date.now() + 1000 * seconds; ;) {
    try {
      return await claim();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/** Until the page has drawn what it was told before: a frame that was asked for, and the one after it. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Texts whose contrast with what lies behind them is below 4.5 to 1 [WCAG 2.1, 1.4.3], plots included. */
export const faint = (page) => page.evaluate(() => {
  const numbers = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const f = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest("script, noscript") || !element.getClientRects().length) continue;
    const style = getComputedStyle(element), svg = element instanceof SVGElement;
    const a = luminance(numbers(svg ? style.fill : style.color)), b = luminance(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${element.textContent.trim().slice(0, 30)}`);
  }
  return bad;
});

/** Words of plots that are drawn smaller than 9 px, or run out of their plot. */
const tiny = (page) => page.evaluate(() => [...document.querySelectorAll("svg.chart text")].filter((text) => {
  const box = text.getBoundingClientRect(), frame = text.closest("svg").getBoundingClientRect();
  return box.width > 0 && (Math.min(box.width, box.height) < 9 && Math.max(box.width, box.height) < 9 || box.right > frame.right + 1 || box.left < frame.left - 1 || parseFloat(getComputedStyle(text).fontSize) * frame.width / text.closest("svg").viewBox.baseVal.width < 9);
}).map((text) => text.textContent));

/** Readable in light and dark, and at the width of a phone no horizontal scrolling of the page as a whole and no tiny words. */
export async function readable(path) {
  await open(path, async (page) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await eventually(async () => assert.deepEqual(await faint(page), [], colorScheme));
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await eventually(async () => {
      const found = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, window: window.innerWidth }));
      assert.ok(found.wide <= 360 && found.window <= 360, `${found.wide} px of page in a window of 360 px`);
      assert.deepEqual(await tiny(page), []);
    });
  });
}

/** The data of a page. */
export function dataOf(path) {
  return JSON.parse(readFileSync(path, "utf8").match(/id="data">([^<]*)<\/script>/)[1]);
}

/** The page of data that no program made, for numbers known in closed form. */
export function pageOf(data, path) {
  const template = readFileSync(join(source, "viewer", "page.html"), "utf8");
  const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  writeFileSync(path, template.replace("@@CRADLE_PAGE_DATA@@", () => json));
}

export const pack = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
