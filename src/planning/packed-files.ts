import type { FileState, RunLumis } from "../domain/workflow.ts";
import type { PlanFile } from "./facts.ts";

/**
 * Input files in a form that weighs little: a million of them have to fit beside the plan. Numbers lie in typed arrays, one set
 * for each page that came, lumis behind each other in one of them; equal lists of sites are one list. What a file
 * answers for its lumis is made when it is asked for: use it and let it go.
 */
export class FilePacker {
  readonly #files: PlanFile[] = [];
  readonly #places = new Map<string, PlanFile["sites"]>();

  add(files: readonly PlanFile[]): void {
    const page = new Page(files, (sites) => this.#interned(sites));
    for (const [at, file] of files.entries()) this.#files.push(new PackedFile(file.lfn, page, at));
  }

  finish(): readonly PlanFile[] {
    return this.#files;
  }

  #interned(sites: PlanFile["sites"]): PlanFile["sites"] {
    const key = sites.join(",");
    const known = this.#places.get(key);
    if (known) return known;
    this.#places.set(key, sites);
    return sites;
  }
}

export async function packFiles(
  pages: AsyncIterable<readonly PlanFile[]>,
  signal?: AbortSignal,
): Promise<readonly PlanFile[]> {
  const packer = new FilePacker();
  for await (const page of pages) {
    signal?.throwIfAborted();
    packer.add(page);
  }
  return packer.finish();
}

/** Not a class field each: an object of three words per file is most of what is held. */
class PackedFile implements PlanFile {
  readonly lfn: string;
  readonly #page: Page;
  readonly #at: number;

  constructor(lfn: string, page: Page, at: number) {
    this.lfn = lfn;
    this.#page = page;
    this.#at = at;
  }

  get path(): string {
    return this.#page.paths?.[this.#at] ?? this.lfn;
  }
  get sizeBytes(): number {
    return this.#page.sizes[this.#at]!;
  }
  get events(): number | null {
    const events = this.#page.events[this.#at]!;
    return events < 0 ? null : events;
  }
  get sites(): PlanFile["sites"] {
    return this.#page.sites[this.#at]!;
  }
  get state(): FileState {
    return this.#page.states[this.#at]!;
  }
  get lumis(): readonly RunLumis[] {
    return this.#page.lumisOf(this.#at);
  }
}

const NO_LUMIS: readonly RunLumis[] = [];

class Page {
  readonly sizes: Float64Array;
  readonly events: Float64Array;
  readonly sites: readonly PlanFile["sites"][];
  readonly states: readonly FileState[];
  /** null: each file's path is its LFN. */
  readonly paths: readonly string[] | null;
  /** For each run of a file: the run, how many lumis, the lumis. A file's part begins where `starts` says. */
  readonly #lumis: Uint32Array | Float64Array;
  readonly #starts: Uint32Array;

  constructor(files: readonly PlanFile[], interned: (sites: PlanFile["sites"]) => PlanFile["sites"]) {
    this.sizes = Float64Array.from(files, ({ sizeBytes }) => sizeBytes);
    this.events = Float64Array.from(files, ({ events }) => events ?? -1);
    this.sites = files.map(({ sites }) => interned(sites));
    this.states = files.map(({ state }) => state ?? "fresh");
    this.paths = files.every(({ lfn, path }) => lfn === path) ? null : files.map(({ path }) => path);
    this.#starts = new Uint32Array(files.length + 1);
    this.#lumis = this.#pack(files.map(({ lumis }) => lumis));
  }

  #pack(ofFiles: readonly (readonly RunLumis[])[]): Uint32Array | Float64Array {
    let length = 0;
    let most = 0;
    for (const [at, runs] of ofFiles.entries()) {
      for (const { run, lumis } of runs) {
        length += 2 + lumis.length;
        if (run > most) most = run;
        for (const lumi of lumis) if (lumi > most) most = lumi;
      }
      this.#starts[at + 1] = length;
    }
    const into = most <= 0xffff_ffff ? new Uint32Array(length) : new Float64Array(length);
    let at = 0;
    for (const runs of ofFiles) {
      for (const { run, lumis } of runs) {
        into[at++] = run;
        into[at++] = lumis.length;
        for (const lumi of lumis) into[at++] = lumi;
      }
    }
    return into;
  }

  lumisOf(file: number): readonly RunLumis[] {
    const packed = this.#lumis;
    const end = this.#starts[file + 1]!;
    let at = this.#starts[file]!;
    if (at === end) return NO_LUMIS;
    const runs: RunLumis[] = [];
    while (at < end) {
      const [run, count] = [packed[at]!, packed[at + 1]!];
      runs.push({ run, lumis: Array.from(packed.subarray(at + 2, at + 2 + count)) });
      at += 2 + count;
    }
    return runs;
  }
}
