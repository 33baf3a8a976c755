// Bundles src/ into one HTML file and writes it as a C array:   node build.mjs OUTPUT.c
// The same page lies beside it as page.html, for a look at it in a browser.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUTPUT.c");

const bundle = async (entry, more) => {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    charset: "utf8",
    legalComments: "inline",
    logLevel: "warning",
    ...more,
  });
  return result.outputFiles[0].text;
};

const script = await bundle("main.ts", { format: "iife" });
const style = await bundle("style.css", {});
if (/<\/(script|style)/i.test(script + style)) throw new Error("the bundle would end its own element");

// functions as replacements: "$&" in the bundle is no pattern
const page = (await readFile(join(here, "src", "template.html"), "utf8"))
  .replace("/*style*/", () => style)
  .replace("/*script*/", () => script);
await writeFile(join(dirname(output), "page.html"), page);

const bytes = Buffer.from(page, "utf8");
const lines = [];
for (let i = 0; i < bytes.length; i += 32) lines.push(Array.from(bytes.subarray(i, i + 32)).join(",") + ",");
await writeFile(
  output,
  `#include "io/page.h"\nconst unsigned char crd_page_template[] = {\n${lines.join("\n")}\n};\n` +
    "const size_t crd_page_template_size = sizeof crd_page_template;\n",
);
