// The program as emscripten hands it over (tools/viewer-core).

interface Core {
  FS: { mkdir(path: string): void; writeFile(path: string, data: Uint8Array): void; readFile(path: string, options: { encoding: "utf8" }): string };
  callMain(words: string[]): number;
}
declare const createCore: (options: Record<string, unknown>) => Promise<Core>;
export default createCore;
