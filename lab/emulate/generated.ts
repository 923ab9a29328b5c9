import { blockRow } from "./dbs/bulk.ts";
import { fileRow } from "./dbs/files.ts";

/** A dataset too large to be kept: its files follow from these numbers alone. */
export interface Generated {
  readonly dataset: string;
  readonly blocks: number;
  readonly files_per_block: number;
  readonly lumis_per_file: number;
  readonly events_per_file: number;
  readonly file_bytes: number;
  readonly rses: readonly string[];
  readonly created: number;
  readonly valid: boolean;
}

/** Stands for the six digits of the block in texts that are otherwise the same for every block. */
const DIGITS = "@@@@@@";
const PIECE_BYTES = 1 << 18;
type Kind = "files" | "names" | "lumis" | "replicas";
type Shape = "array" | "lines";

interface Template {
  readonly text: Buffer;
  readonly offsets: Uint32Array;
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
  blockRow(block: number) {
    const { dataset, files_per_block: file_count, file_bytes, created, rses } = this.spec;
    const counts = { file_count, block_size: file_count * file_bytes, open_for_writing: 0 };
    const about = { block_name: this.blockName(block), creation_date: created, create_by: "seed", ...counts };
    return blockRow({ ...about, origin_site_name: rses[0] ?? "UNKNOWN" }, dataset);
  }

  /** Of one block or of all: file rows, lumi rows, or file names alone. */
  *rows(kind: Kind, block: number | null, shape: Shape): Generator<Uint8Array> {
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

  #template(kind: Kind, shape: Shape): Template {
    const found = this.#templates.get(kind + shape);
    if (found) return found;
    const rows: string[] = [];
    for (let file = 0; file < this.spec.files_per_block; file += 1) rows.push(...this.#rowsOf(kind, file));
    const text = Buffer.from(shape === "array" ? rows.join(",\n") : rows.map((row) => `${row}\n`).join(""));
    const offsets: number[] = [];
    for (let at = text.indexOf(DIGITS); at >= 0; at = text.indexOf(DIGITS, at + 6)) offsets.push(at);
    const made = { text, offsets: Uint32Array.from(offsets) };
    this.#templates.set(kind + shape, made);
    return made;
  }

  #rowsOf(kind: Kind, file: number): string[] {
    const lfn = this.#lfn(file);
    if (kind === "names") return [JSON.stringify({ logical_file_name: lfn })];
    if (kind === "replicas") return [this.#replicas(lfn)];
    if (kind === "files") return [this.#file(lfn)];
    const { lumis_per_file, events_per_file } = this.spec;
    const events = Math.floor(events_per_file / Math.max(1, lumis_per_file));
    const name = JSON.stringify(lfn);
    return Array.from(
      { length: lumis_per_file },
      (_, at) =>
        `{"run_num":3${DIGITS},"lumi_section_num":${file * lumis_per_file + at + 1},"event_count":${events},"logical_file_name":${name}}`,
    );
  }
  #file(lfn: string): string {
    const { dataset, events_per_file: event_count, file_bytes: file_size, valid } = this.spec;
    const sums = { file_type: "EDM", check_sum: "1234567890", adler32: "0cc737eb", file_size, event_count };
    const owner = { dataset, block: this.#name(DIGITS), parents: [], configs: [], person: "seed" };
    return JSON.stringify(fileRow({ logical_file_name: lfn, is_file_valid: valid ? 1 : 0, ...sums }, owner).row);
  }
  #replicas(lfn: string): string {
    const { file_bytes, rses } = this.spec;
    const states = Object.fromEntries(rses.map((rse) => [rse, "AVAILABLE"]));
    const head = { scope: "cms", name: lfn, bytes: file_bytes, md5: null, adler32: "0cc737eb" };
    return JSON.stringify({ ...head, pfns: {}, rses: {}, states });
  }
}

const digits = (number: number): string => String(number).padStart(6, "0");

function filled({ text, offsets }: Template, block: number): Buffer {
  const copy = Buffer.from(text);
  const codes = Buffer.from(digits(block));
  for (const offset of offsets) for (let at = 0; at < 6; at += 1) copy[offset + at] = codes[at]!;
  return copy;
}

function* pieces(text: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += PIECE_BYTES) yield text.subarray(at, at + PIECE_BYTES);
}
