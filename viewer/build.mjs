// Bundles src/ into one HTML template:   node build.mjs OUTPUT.html
// The licences of the packages in the bundle stand in a comment at its head, so that every page that cradle writes carries them.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUTPUT.html");

const packages = new Set();
const bundle = async (entry, more) => {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [join("src", entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    target: "es2022",
    charset: "utf8",
    legalComments: "inline",
    logLevel: "warning",
    ...more,
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const from = input.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (from) packages.add(from[1]);
  }
  return result.outputFiles[0].text;
};

const script = await bundle("main.ts", { format: "iife" });
const worker = await bundle("worker.ts", { format: "iife", define: { "import.meta.url": '"file:///"' } });
const core = (await readFile(join(here, "core", "built", "core.wasm.gz"))).toString("base64");
const style = await bundle("style.css", {});
if (/<\/(script|style)/i.test(script + style + worker)) throw new Error("the bundle would end its own element");

const licences = [];
for (const name of [...packages].sort()) {
  const at = join(here, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(at, "package.json"), "utf8"));
  licences.push(`${name} ${version}\n\n${(await readFile(join(at, "LICENSE"), "utf8")).trim()}\n`);
}
licences.push(await readFile(join(here, "core", "built", "LICENCES"), "utf8"));
if (licences.join("").includes("--")) throw new Error("a licence would end the comment that it stands in");

// functions as replacements: "$&" in the bundle is no pattern
const page = (await readFile(join(here, "src", "template.html"), "utf8"))
  .replace("@licences@", () => licences.join("\n"))
  .replace("/*style*/", () => style)
  .replace("/*worker*/", () => worker)
  .replace("@core@", () => core)
  .replace("/*script*/", () => script);
await writeFile(output, page);
