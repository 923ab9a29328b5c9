import { FILE_STATES, type FileState, type RunLumis } from "../core/workflow.ts";
import type { PlanFile } from "./facts.ts";

/**
 * Input files in a form that weighs little: a million of them have to fit beside the plan. Names and numbers lie in arrays of
 * bytes and numbers, one set for each page that came; equal lists of sites are one list. What a file answers is made when
 * it is asked for: use it and let it go.
 */
export async function packFiles(
  pages: AsyncIterable<readonly PlanFile[]>,
  signal?: AbortSignal,
): Promise<readonly PlanFile[]> {
  const files: PlanFile[] = [];
  const places = new Map<string, Sites>();
  const interned = (sites: Sites): Sites => {
    const key = sites.join(",");
    if (!places.has(key)) places.set(key, sites);
    return places.get(key)!;
  };
  for await (const page of pages) {
    signal?.throwIfAborted();
    const packed = new PackedPage(page, interned);
    for (const at of page.keys()) files.push(new PackedFile(packed, at));
  }
  return files;
}

type Sites = PlanFile["sites"];

class PackedFile implements PlanFile {
  readonly #page: PackedPage;
  readonly #at: number;

  constructor(page: PackedPage, at: number) {
    this.#page = page;
    this.#at = at;
  }

  get lfn(): string {
    return this.#page.lfns.get(this.#at);
  }
  get path(): string {
    return this.#page.paths.get(this.#at);
  }
  get sizeBytes(): number {
    return this.#page.sizes[this.#at]!;
  }
  get events(): number | null {
    const events = this.#page.events[this.#at]!;
    return events < 0 ? null : events;
  }
  get sites(): Sites {
    return this.#page.sites[this.#at]!;
  }
  get state(): FileState {
    return FILE_STATES[this.#page.states[this.#at]!]!;
  }
  get lumis(): readonly RunLumis[] {
    return this.#page.lumis.get(this.#at);
  }
}

class PackedPage {
  readonly lfns: PackedTexts;
  readonly paths: PackedTexts;
  readonly sizes: Float64Array;
  /** -1: nobody counted them. */
  readonly events: Float64Array;
  readonly sites: readonly Sites[];
  readonly states: Uint8Array;
  readonly lumis: PackedLumis;

  constructor(files: readonly PlanFile[], interned: (sites: Sites) => Sites) {
    this.lfns = new PackedTexts(files.map(({ lfn }) => lfn));
    this.paths = files.every(({ lfn, path }) => lfn === path)
      ? this.lfns
      : new PackedTexts(files.map(({ path }) => path));
    this.sizes = Float64Array.from(files, ({ sizeBytes }) => sizeBytes);
    this.events = Float64Array.from(files, ({ events }) => events ?? -1);
    this.sites = files.map(({ sites }) => interned(sites));
    this.states = Uint8Array.from(files, ({ state }) => FILE_STATES.indexOf(state ?? "fresh"));
    this.lumis = new PackedLumis(files.map(({ lumis }) => lumis));
  }
}

/** Behind what all of them begin with, one after the other. Two bytes a character, but for plain ones. */
class PackedTexts {
  readonly #prefix: string;
  readonly #encoding: "latin1" | "utf16le";
  readonly #bytes: Buffer;
  readonly #ends: Uint32Array;
  /** Who asks for one asks again soon. */
  #last = { at: -1, text: "" };

  constructor(texts: readonly string[]) {
    const shared = sharedPrefix(texts);
    this.#prefix = texts[0]?.slice(0, shared) ?? "";
    const rest = texts.map((text) => text.slice(shared));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of what one byte can hold
    this.#encoding = rest.every((text) => /^[\x00-\xff]*$/.test(text)) ? "latin1" : "utf16le";
    this.#bytes = Buffer.from(rest.join(""), this.#encoding);
    let end = 0;
    this.#ends = Uint32Array.from(rest, (text) => {
      end += text.length;
      return end;
    });
  }

  get(at: number): string {
    if (this.#last.at !== at) this.#last = { at, text: this.#make(at) };
    return this.#last.text;
  }

  #make(at: number): string {
    const width = this.#encoding === "latin1" ? 1 : 2;
    const start = at === 0 ? 0 : this.#ends[at - 1]!;
    return this.#prefix + this.#bytes.toString(this.#encoding, start * width, this.#ends[at]! * width);
  }
}

function sharedPrefix([first = "", ...others]: readonly string[]): number {
  let shared = first.length;
  for (const text of others) {
    let at = 0;
    while (at < shared && text.charCodeAt(at) === first.charCodeAt(at)) at += 1;
    shared = at;
  }
  return shared;
}

const NO_LUMIS: readonly RunLumis[] = [];

/** For each run of each file: the run, how many lumis, the lumis. */
class PackedLumis {
  readonly #numbers: Uint32Array | Float64Array;
  readonly #ends: Uint32Array;
  #last = { file: -1, runs: NO_LUMIS };

  constructor(files: readonly (readonly RunLumis[])[]) {
    let length = 0;
    let highest = 0;
    this.#ends = Uint32Array.from(files, (runs) => {
      for (const { run, lumis } of runs) {
        length += 2 + lumis.length;
        if (run > highest) highest = run;
        for (const lumi of lumis) if (lumi > highest) highest = lumi;
      }
      return length;
    });
    this.#numbers = highest <= 0xffff_ffff ? new Uint32Array(length) : new Float64Array(length);
    let at = 0;
    for (const runs of files) {
      for (const { run, lumis } of runs) {
        this.#numbers[at++] = run;
        this.#numbers[at++] = lumis.length;
        for (const lumi of lumis) this.#numbers[at++] = lumi;
      }
    }
  }

  get(file: number): readonly RunLumis[] {
    if (this.#last.file !== file) this.#last = { file, runs: this.#make(file) };
    return this.#last.runs;
  }

  #make(file: number): readonly RunLumis[] {
    const numbers = this.#numbers;
    const end = this.#ends[file]!;
    let at = file === 0 ? 0 : this.#ends[file - 1]!;
    if (at === end) return NO_LUMIS;
    const runs: RunLumis[] = [];
    while (at < end) {
      const run = numbers[at]!;
      const lumis = new Array<number>(numbers[at + 1]!);
      at += 2;
      for (let index = 0; index < lumis.length; index++) lumis[index] = numbers[at++]!;
      runs.push({ run, lumis });
    }
    return runs;
  }
}
