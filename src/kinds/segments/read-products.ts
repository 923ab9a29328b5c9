import { FREQUENCIES, type Frequency, monthsEach, writeDuration } from "../../core/calendar.ts";
import type { Product, ProductOutput, SegmentsWork } from "../../core/segments.ts";
import type { IntakeRules } from "../../core/submission.ts";
import { Form } from "../../intake/reading/form.ts";
import { shown } from "../../intake/reading/notes.ts";
import { isRow, Spot } from "../../intake/reading/values.ts";
import { checkSizes, readSizes, SIZE_HINTS, sizesFor, type WrittenSizes } from "../read-sizes.ts";
import { subLength } from "./lengths.ts";
import { readOwnCommand, readOwnPath } from "./read-command.ts";
import { readMonths } from "./read-times.ts";
import { PLACEHOLDERS } from "./texts.ts";

/** What the document says for all components. */
export interface ForAll extends Pick<SegmentsWork, "segmentMonths"> {
  /** Every key of an entry, for components and entries that leave it out. */
  readonly defaults: Form;
  readonly usual: WrittenSizes;
  readonly rules: IntakeRules;
  /** How many kinds of products may still be read: what is written once for all components counts in each of them. */
  readonly room: { left: number };
}
export const MAX_PRODUCTS = 20_000;
const MAX_OF_COMPONENT = 1000;

const AVERAGED: readonly Frequency[] = ["annual", "seasonal", "monthly"];
const MAX_LENGTHS = 100;
const SHAPE = "monthly, or {frequency, lengths, from, tail, run, outputs, resources}";
const HINTS = {
  chunk_length: "write lengths: [5y]",
  chunkLength: "write lengths: [5y]",
  interval: "write lengths: [20y]",
  output: "write outputs",
  command: "write run",
  freq: "write frequency",
};

/** A product as it is written, before it is known what it is made of. */
interface Written extends Omit<Product, "fromMonths" | "name"> {
  /** undefined: by the lengths of its family. */
  readonly from: number | null | undefined;
  readonly spot: Spot;
}

/** The products of one component: its own `ts` and `ta`, or those of all. */
export function readProducts(component: Form, all: ForAll): readonly Product[] {
  const written = (["ts", "ta"] as const).flatMap((family) => {
    const [own, usual] = [component.spot(family), all.defaults.spot(family)];
    const entries = (own ?? usual)?.list(MAX_LENGTHS) ?? [];
    return entries.flatMap((entry) => readEntry(entry, family, { component, all, isOwn: own !== null }));
  });
  if (all.room.left < 0) {
    component.notes.problem("components", TOO_MANY);
    return [];
  }
  if (written.length > MAX_OF_COMPONENT)
    component.notes.problem(component.path, `has ${written.length} kinds of products; at most ${MAX_OF_COMPONENT}`);
  if (written.length > MAX_OF_COMPONENT) return [];
  const products = written.map((product) => finish(product, written));
  const names = new Set<string>();
  for (const [index, { name }] of products.entries()) {
    if (names.has(name)) written[index]!.spot.problem(`makes ${name} a second time`);
    names.add(name);
  }
  return products;
}

const TOO_MANY = `have more than ${MAX_PRODUCTS} kinds of products together: make several requests of them`;

interface Around {
  readonly component: Form;
  readonly all: ForAll;
  /** The entry is the component's; else one of all, and what the component says comes before it. */
  readonly isOwn: boolean;
}

function readEntry(entry: Spot, family: Product["family"], { component, all, isOwn }: Around): readonly Written[] {
  all.room.left -= 1;
  if (all.room.left < 0) return [];
  const short = typeof entry.value === "string" ? { frequency: entry.value } : entry.value;
  const form = Form.at(new Spot(entry.path, short, entry.notes), "a product", SHAPE);
  if (form === null) return [];
  const places = isOwn ? [form, component, all.defaults] : [component, form, all.defaults];
  const inherited = (key: string | string[]): Spot | null => {
    const spots = places.map((place) => place.spot(key));
    return spots.find((spot) => spot !== null) ?? null;
  };
  const needed = (key: string, allowed: string): Spot | null => {
    const spot = inherited(key);
    if (spot === null) form.missing(key, allowed);
    return spot;
  };
  const frequencies = family === "ts" ? FREQUENCIES : AVERAGED;
  const frequency = form
    .needed(["frequency", "source"], frequencies.join(", "))
    ?.oneOf(frequencies, `is not a frequency of ${family}`);
  const tail = inherited("tail")?.oneOf(["skip", "emit"], "is not one of the choices");
  const run = needed("run", '"./series.sh {output} {inputs}"');
  const common = {
    family,
    frequency: frequency ?? "monthly",
    from: readFrom(inherited("from")),
    tail: tail ?? "skip",
    argv: readOwnCommand(run, PLACEHOLDERS.run),
    outputs: readOutputs(needed("outputs", '"pp/{component}/{product}/{span}.nc"')),
    resources: readOwnSizes(inherited("resources"), all),
  } as const;
  if (run && !common.argv.some((word) => /\{outputs?\}/.test(word)))
    run.problem(
      "must be told what to make",
      "{output} or {outputs}: it is made under another name, verified, then renamed",
    );
  const lengths = inherited(["lengths", "length"]);
  if (lengths === null) form.missing("lengths", "[5y, 10y]");
  const spots = lengths === null ? [] : Array.isArray(lengths.value) ? lengths.list(MAX_LENGTHS) : [lengths];
  form.close(HINTS);
  all.room.left -= spots.length;
  if (all.room.left < 0) return [];
  return spots.flatMap((spot) => {
    const lengthMonths = readMonths(spot);
    if (lengthMonths === null || !fits(lengthMonths, spot, common.frequency, all)) return [];
    return [{ ...common, lengthMonths, spot }];
  });
}

/** Chunks begin and end with segments, and have whole values of their frequency. */
function fits(months: number, spot: Spot, frequency: Frequency, { segmentMonths }: ForAll): boolean {
  const each = Math.max(1, monthsEach(frequency));
  if (months % segmentMonths !== 0)
    spot.problem(`${writeDuration(months)} is not a multiple of a segment, which has ${writeDuration(segmentMonths)}`);
  else if (months % each !== 0) spot.problem(`${writeDuration(months)} has no whole number of ${frequency} values`);
  else return true;
  return false;
}

function readFrom(spot: Spot | null): number | null | undefined {
  if (spot === null) return undefined;
  return spot.value === "history" ? null : (readMonths(spot) ?? undefined);
}

/** With its name, and what it is made of: what it says, or the largest length of its family that divides its own. */
function finish({ from, spot, ...written }: Written, all: readonly Written[]): Product {
  const { family, frequency, lengthMonths } = written;
  const lengths = all
    .filter((other) => other.family === family && other.frequency === frequency)
    .map((other) => other.lengthMonths);
  if (typeof from === "number" && !(lengths.includes(from) && from < lengthMonths && lengthMonths % from === 0))
    spot.problem(
      `${writeDuration(lengthMonths)} cannot be made from ${writeDuration(from)}`,
      `history, or a shorter one of ${lengths.map(writeDuration).join(", ")} that divides it`,
    );
  const name = `${family}-${frequency}-${writeDuration(lengthMonths)}`;
  return { name, ...written, fromMonths: from === undefined ? subLength(lengthMonths, lengths) : from };
}

/** A path, {path, min_size, files, levels}, or a list of them. */
function readOutputs(spot: Spot | null): readonly ProductOutput[] {
  if (spot === null) return [];
  const entries = Array.isArray(spot.value) ? spot.list(1000) : [spot];
  if (entries.length === 0) spot.problem("names no file");
  return entries.flatMap((entry) => {
    if (!isRow(entry.value)) return [{ path: readOwnPath(entry, PLACEHOLDERS.path, true), minBytes: 1, levels: null }];
    const form = new Form(entry.value, entry.path, entry.notes);
    const levels = form.spot("levels");
    const files = form.spot("files");
    const path = readOwnPath(form.needed("path"), PLACEHOLDERS.path, true);
    const output = {
      path,
      ...(files && { files: form.integer("files", { min: 1, max: 100_000 }, 1) }),
      minBytes: form.size("min_size", { min: 0, max: 1e18 }, 1),
      levels: levels && readOwnCommand(levels, PLACEHOLDERS.levels),
    };
    if (levels && !output.levels?.some((word) => word.includes("{output}")))
      levels.problem(`must be told which file to count (got ${shown(levels.value)})`, "{output}");
    if (files && path !== "" && !path.endsWith("/"))
      files.problem("is of folders, and this is a file", "a path that ends with a slash");
    form.close();
    return [output];
  });
}

export function readOwnSizes(
  spot: Spot | null,
  { usual, rules }: Pick<ForAll, "usual" | "rules">,
): Product["resources"] {
  const form = spot && Form.at(spot, "a map of resources", "{cores, memory, time, disk, gpus}");
  if (!form) return sizesFor(usual, rules);
  const sizes = sizesFor(readSizes(form, usual), rules);
  form.close(SIZE_HINTS);
  checkSizes(sizes, form, null, rules);
  return sizes;
}
