// Runs cradle in the background: every question gets the program anew, in a memory of its own, so that nothing is left of the last one.
import createCore from "../core/built/core.mjs";

interface Start { module: WebAssembly.Module; files: { name: string; data: Uint8Array }[] }
interface Question { id: number; words: string[]; output: string }

const FOLDER = "/model/";
let start: Start;

async function answer({ id, words, output }: Question): Promise<void> {
  const told: string[] = [], printed: string[] = [], began = performance.now();
  const core = await createCore({
    noInitialRun: true,
    print: (line: string) => printed.push(line),
    printErr: (line: string) => told.push(line),
    instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => {
      void WebAssembly.instantiate(start.module, imports).then((instance) => done(instance, start.module));
      return {};
    },
  });
  core.FS.mkdir("/model");
  for (const { name, data } of start.files) {
    const parts = name.split("/").slice(0, -1);
    parts.forEach((_, i) => { try { core.FS.mkdir(FOLDER + parts.slice(0, i + 1).join("/")); } catch { /* it is there */ } });
    core.FS.writeFile(FOLDER + name, data);
  }
  let code: number;
  try {
    code = core.callMain(words);
  } catch (error) {
    code = (error as { status?: number }).status ?? -1;
    if (code < 0) told.push(String(error));
  }
  let text: string | null = null;
  try { text = core.FS.readFile(output, { encoding: "utf8" }); } catch { /* nothing was written: the code and the words say why */ }
  postMessage({ id, code, told: told.join("\n"), printed: printed.join("\n"), text, ms: performance.now() - began });
}

self.onmessage = (event: MessageEvent<Start | Question>) => {
  if ("module" in event.data) start = event.data;
  else void answer(event.data).catch((error) => postMessage({ id: (event.data as Question).id, code: -1, told: String(error), text: null, ms: 0 }));
};
