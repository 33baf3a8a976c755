// cradle in the page: asked as on the command line, it answers with the data of a page. It runs in a worker; of questions that wait
// only the latest is asked, and one that takes too long is given up when a newer one comes.
import { u8, type Page, type Source } from "./data";

export interface Answer { page: Page | null; code: number; told: string; printed: string; ms: number }
interface Waiting { words: string[]; tell: (answer: Answer | null) => void }

let compiled: Promise<WebAssembly.Module> | null = null; // once for the page

const PATIENCE = 1500; // ms before a running question is given up for a newer one
const OUTPUT = "/page.html";

/** Options that say where output goes or what the page decides itself; true: a value follows. */
const LEFT_OUT: Record<string, boolean> = {
  "--html": true, "-o": true, "--svg": true, "--png": true, "--region": true, "--at": true, "--look": true, "--threads": true, "--json": false,
  "--open": false, "-q": false, "--qpos": true, "--qvel": true, "--mu": true, "--e": true, "--state": true, "--packages": true,
};
/** Of these another verb understands nothing else. */
const READING: Record<string, boolean> = { "--lenient": false, "--base": true };
const ELSEWHERE = ["--torque", "--repeat", "--event", "--allow-outside"]; // files or traces that are not in the page

const body = (id: string) => document.getElementById(id)?.textContent ?? "";

/** Why this page cannot ask; null: it can. */
export function whyNot(source: Source | undefined): string | null {
  if (!source) return "the page was made from a file, without the question behind it";
  if (source.left_out) return source.left_out;
  if (typeof WebAssembly === "undefined" || typeof Worker === "undefined") return "this browser has no WebAssembly here";
  if (typeof DecompressionStream === "undefined") return "this browser cannot unpack the program (DecompressionStream)";
  if (!body("core-module")) return "this page does not carry the program";
  const other = source.command.find((word) => ELSEWHERE.includes(word.split("=")[0]));
  return other ? `${other} reads what is not in the page` : null;
}

/** Which of the words names the input: a file of the page, or a built-in example. */
export function inputOf({ command, files }: Source): string | undefined {
  const last = (name: string) => name.split("/").pop(), main = files?.[0]?.name;
  return command.find((word, i) => i > 0 && (word.startsWith("@") || (main === undefined ? /\.(xml|mjcf|urdf)$/i.test(word) : last(word) === last(main))));
}

export class Core {
  private worker: Worker | null = null;
  private running: (Waiting & { id: number; since: number }) | null = null;
  private next: Waiting | null = null;
  private count = 0;
  private readonly files: { name: string; data: Uint8Array }[];
  private readonly input: string;

  constructor(private readonly source: Source) {
    this.files = (source.files ?? []).map(({ name, data }) => ({ name, data: u8(data) }));
    this.input = this.files.length ? `/model/${this.files[0].name}` : inputOf(source)!;
  }

  get verb(): string { return this.source.command[0]; }

  /** The words of the command for a verb with these options: the command's own where it is the same verb. */
  words(verb: string, options: string[]): string[] {
    const kept: string[] = [], given = this.source.command.slice(1);
    for (let i = 0; i < given.length; i++) {
      const name = given[i].split("=")[0], whole = given[i].includes("=");
      if (!name.startsWith("-") || (i > 0 && /^-[\d.]/.test(name))) continue; // the input
      const known = { ...LEFT_OUT, ...READING }[name];
      const valued = known ?? (i + 1 < given.length && !given[i + 1].startsWith("--"));
      const value = valued && !whole && i + 1 < given.length ? [given[++i]] : [];
      // the input may stand last: a word that follows a flag
      if (known === undefined && value.length && value[0] === inputOf(this.source)) value.length = 0;
      if (name in LEFT_OUT || (verb !== this.verb && !(name in READING))) continue;
      kept.push(whole ? given[i] : name, ...value);
    }
    const output = verb === "view" ? ["-o", OUTPUT] : ["--html", OUTPUT];
    return [verb, this.input, ...kept, ...options, ...output];
  }


  /** null: a newer question took its place. */
  ask(verb: string, options: string[]): Promise<Answer | null> {
    return this.say(this.words(verb, options));
  }

  /** The same with all words given, as on the command line. */
  say(words: string[]): Promise<Answer | null> {
    return new Promise((tell) => {
      this.next?.tell(null);
      this.next = { words, tell };
      if (this.running && performance.now() - this.running.since > PATIENCE) this.giveUp();
      void this.go();
    });
  }

  /** The end: nothing is asked any more. */
  close(): void {
    this.next = null;
    this.giveUp();
  }

  private giveUp(): void {
    this.worker?.terminate();
    this.worker = null;
    this.running?.tell(null);
    this.running = null;
  }

  private async go(): Promise<void> {
    if (this.running || !this.next) return;
    const mine = { ...this.next, id: ++this.count, since: performance.now() };
    this.running = mine;
    this.next = null;
    try {
      const worker = await this.ready();
      if (this.running !== mine) return;
      worker.postMessage({ id: mine.id, words: mine.words, output: OUTPUT });
    } catch (error) {
      this.done({ page: null, code: -1, told: String(error), printed: "", ms: 0 });
    }
  }

  private done(answer: Answer): void {
    this.running?.tell(answer);
    this.running = null;
    void this.go();
  }

  private async ready(): Promise<Worker> {
    const module = await (compiled ??= unpack(body("core-module")));
    if (this.worker) return this.worker;
    const address = URL.createObjectURL(new Blob([body("core-worker")], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = (event) => {
      const { id, code, told, printed, text, ms } = event.data;
      if (this.running?.id === id) this.done({ page: text ? (JSON.parse(text) as Page) : null, code, told, printed, ms });
    };
    worker.onerror = (event) => { event.preventDefault(); this.worker = null; this.done({ page: null, code: -1, told: event.message, printed: "", ms: 0 }); };
    worker.postMessage({ module, files: this.files });
    return (this.worker = worker);
  }
}

async function unpack(text: string): Promise<WebAssembly.Module> {
  const packed = new Blob([u8(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(packed).arrayBuffer());
}
