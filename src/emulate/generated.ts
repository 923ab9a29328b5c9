/** A dataset too large to be kept: its files follow from these numbers alone. */
export interface Generated {
  readonly dataset: string;
  readonly blocks: number;
  readonly filesPerBlock: number;
  readonly lumisPerFile: number;
  readonly eventsPerFile: number;
  readonly fileBytes: number;
  readonly rses: readonly string[];
  readonly created: number;
  readonly valid: boolean;
}

/** Stands for the six digits of the block in texts that are otherwise the same for every block. */
const DIGITS = "@@@@@@";
const PIECE_BYTES = 1 << 18;
export type Shape = "array" | "lines";

interface Template {
  readonly text: Buffer;
  readonly places: Uint32Array;
}

/**
 * Blocks differ in six digits only (in their name, their files' names and their run), so that an answer is a copy of
 * one text with digits put in: the emulator must be faster than whoever is measured with it.
 */
export class GeneratedDataset {
  readonly spec: Generated;
  readonly #templates = new Map<string, Template>();

  constructor(spec: Generated) {
    this.spec = spec;
  }

  blockName(block: number): string {
    return this.#name(digits(block));
  }
  /** null: no block of that name. */
  blockNumber(name: string): number | null {
    const block = Number(name.slice(-6));
    return name === this.blockName(block) && block < this.spec.blocks ? block : null;
  }
  blockRow(block: number): Record<string, unknown> & { block_name: string } {
    const { dataset, filesPerBlock, fileBytes, created, rses } = this.spec;
    return {
      block_id: block + 1,
      block_name: this.blockName(block),
      block_size: filesPerBlock * fileBytes,
      create_by: "emulate",
      creation_date: created,
      dataset,
      dataset_id: 1,
      file_count: filesPerBlock,
      last_modification_date: created,
      last_modified_by: "emulate",
      open_for_writing: 0,
      origin_site_name: rses[0] ?? "UNKNOWN",
    };
  }

  /** Of one block or of all: file rows, lumi rows, or file names alone. */
  *rows(kind: "files" | "names" | "lumis" | "replicas", block: number | null, shape: Shape): Generator<Uint8Array> {
    const [first, end] = block === null ? [0, this.spec.blocks] : [block, block + 1];
    if (shape === "array") yield Buffer.from("[");
    for (let at = first; at < end; at += 1) {
      if (shape === "array" && at > first) yield Buffer.from(",");
      yield* pieces(filled(this.#template(kind, shape), at));
    }
    if (shape === "array") yield Buffer.from("]\n");
  }

  #name(block: string): string {
    return `${this.spec.dataset}#00000000-0000-4000-8000-000000${block}`;
  }
  #lfn(file: number): string {
    const [, primary, processed, tier] = this.spec.dataset.split("/");
    const [era, ...version] = (processed ?? "").split("-");
    return `/store/data/${era}/${primary}/${tier}/${version.join("-") || "v1"}/000/${DIGITS}/00000/f${digits(file)}.root`;
  }

  #template(kind: "files" | "names" | "lumis" | "replicas", shape: Shape): Template {
    const found = this.#templates.get(kind + shape);
    if (found) return found;
    const rows: string[] = [];
    for (let file = 0; file < this.spec.filesPerBlock; file += 1) rows.push(...this.#rowsOf(kind, file));
    const text = Buffer.from(shape === "array" ? rows.join(",\n") : rows.map((row) => `${row}\n`).join(""));
    const places: number[] = [];
    for (let at = text.indexOf(DIGITS); at >= 0; at = text.indexOf(DIGITS, at + 6)) places.push(at);
    const made = { text, places: Uint32Array.from(places) };
    this.#templates.set(kind + shape, made);
    return made;
  }

  #rowsOf(kind: "files" | "names" | "lumis" | "replicas", file: number): string[] {
    const lfn = this.#lfn(file);
    if (kind === "names") return [JSON.stringify({ logical_file_name: lfn })];
    if (kind === "replicas") return [this.#replicas(lfn)];
    if (kind === "files") return [this.#file(lfn)];
    const { lumisPerFile, eventsPerFile } = this.spec;
    const events = Math.floor(eventsPerFile / Math.max(1, lumisPerFile));
    const name = JSON.stringify(lfn);
    return Array.from(
      { length: lumisPerFile },
      (_, at) =>
        `{"run_num":3${DIGITS},"lumi_section_num":${file * lumisPerFile + at + 1},"event_count":${events},"logical_file_name":${name}}`,
    );
  }
  #file(lfn: string): string {
    const { dataset, eventsPerFile, fileBytes, created, valid } = this.spec;
    return JSON.stringify({
      logical_file_name: lfn,
      is_file_valid: valid ? 1 : 0,
      dataset,
      block_name: this.#name(DIGITS),
      file_type: "EDM",
      check_sum: "1234567890",
      event_count: eventsPerFile,
      file_size: fileBytes,
      adler32: "0cc737eb",
      md5: "",
      auto_cross_section: 0,
      branch_hash_id: null,
      file_id: 2 ** 62,
      dataset_id: 1,
      block_id: 1,
      file_type_id: 1,
      creation_date: created,
      create_by: "emulate",
      last_modification_date: created,
      last_modified_by: "emulate",
    });
  }
  #replicas(lfn: string): string {
    const { fileBytes, rses } = this.spec;
    const states = Object.fromEntries(rses.map((rse) => [rse, "AVAILABLE"]));
    const head = { scope: "cms", name: lfn, bytes: fileBytes, md5: null, adler32: "0cc737eb" };
    return JSON.stringify({ ...head, pfns: {}, rses: {}, states });
  }
}

const digits = (number: number): string => String(number).padStart(6, "0");

function filled({ text, places }: Template, block: number): Buffer {
  const copy = Buffer.from(text);
  const codes = Buffer.from(digits(block));
  for (const place of places) for (let at = 0; at < 6; at += 1) copy[place + at] = codes[at]!;
  return copy;
}

function* pieces(text: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += PIECE_BYTES) yield text.subarray(at, at + PIECE_BYTES);
}
