// Other mechanisms in the same page: the built-in examples, and files of one's own. Nothing leaves the page.
import { Core, whyNot } from "./core";
import type { Page, Source } from "./data";
import { h } from "./dom";

/** The page of another mechanism; throws with the program's own words. */
async function load(source: Source): Promise<Page> {
  const core = new Core(source), answer = await core.ask("view", []);
  core.close();
  if (!answer?.page) throw new Error(answer?.told.split("\n").find((line) => line.includes(":")) ?? "no answer");
  return { ...answer.page, source };
}

const isModel = (name: string) => /\.(xml|mjcf|urdf)$/i.test(name);

/** The file to begin with: a scene where there is one, as it includes the robot. */
async function sourceOf(files: File[]): Promise<Source> {
  const models = files.filter((file) => isModel(file.name)).sort((a, b) => Number(/scene/i.test(b.name)) - Number(/scene/i.test(a.name)));
  if (!models.length) throw new Error("found no model, expected an .xml or .urdf file and the files it names");
  const ordered = [models[0], ...files.filter((file) => file !== models[0])];
  const pathOf = (file: File) => file.webkitRelativePath.split("/").slice(1).join("/") || file.name;
  const encode = async (file: File) => {
    let text = "";
    const bytes = new Uint8Array(await file.arrayBuffer());
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return { name: pathOf(file), data: btoa(text) };
  };
  return { command: ["view", models[0].name], files: await Promise.all(ordered.map(encode)) };
}

export function playground(source: Source | undefined, show: (page: Page) => void): HTMLElement | null {
  if (whyNot(source)) return null;
  const told = h("output", { class: "status" });
  const go = (what: Promise<Source>) => {
    told.textContent = "reading …";
    told.className = "status busy";
    what.then(load).then(show, (error) => { told.textContent = String(error.message ?? error); told.className = "status failed"; });
  };
  const select = h("select", { "aria-label": "another example", change: () => {
    if (select.value) go(Promise.resolve({ command: ["view", select.value], files: [] }));
  } }, h("option", { value: "" }, "examples …"));
  select.addEventListener("pointerdown", () => void fill(), { once: true });
  select.addEventListener("focus", () => void fill(), { once: true });
  let filled = false;
  const fill = async () => {
    if (filled) return;
    filled = true;
    const core = new Core(source!), answer = await core.say(["example", "--json"]);
    core.close();
    const { examples } = JSON.parse(answer?.printed || "{\"examples\": []}") as { examples: { name: string }[] };
    select.append(...examples.map(({ name }) => h("option", { value: `@${name}` }, `@${name}`)));
  };
  const file = h("input", { type: "file", multiple: true, "aria-label": "a model of your own and the files it names", change: () => { if (file.files?.length) go(sourceOf([...file.files])); } });
  const folder = h("input", { type: "file", webkitdirectory: true, "aria-label": "a folder with a model and its meshes", change: () => { if (folder.files?.length) go(sourceOf([...folder.files])); } });
  return h("details", { class: "playground noprint" }, h("summary", {}, "Open …"), h("div", { class: "sheet" },
    h("label", {}, "an example", select), h("label", {}, "a model and the files it names", file), h("label", {}, "a folder with a model and its meshes", folder), told));
}
