import { parseJson } from "../../../core/base/json.ts";
import type { Each } from "../../../core/graph.ts";
import type { Form } from "../../../intake/reading/form.ts";
import { travelPath } from "../../../intake/reading/paths.ts";
import { isRow, type Row, type Spot } from "../../../intake/reading/values.ts";
import { parseDecimal, writeDecimal } from "../decimal.ts";
import { MAX_RANGE_VALUES, MAX_ROWS } from "../limits.ts";
import { ordered } from "../read-each.ts";
import { readTable } from "../read-table.ts";
import { isLikeRange, type RangeRoom, readRange } from "../read-values.ts";

const FORMS = '"1:100", "0:100:10", "0.0:1.0:0.1", a list, "@file" or a value';

/** A parameter's values as text, and as our form writes them. */
interface Parameter {
  readonly values: readonly string[];
  readonly written: unknown;
}
/** What makes several of one entry, and the keys of ours that say so. */
interface Expanded {
  readonly each: Each | null;
  readonly written: Row;
  /** Shared parameters it uses. */
  readonly uses: readonly string[];
}
const NOTHING: Expanded = { each: null, written: {}, uses: [] };

/** Parameters at the top of a spec, and how an entry of it uses them or has its own. */
export class TorcParameters {
  readonly #top: Form;
  readonly #shared: ReadonlyMap<string, Parameter>;
  readonly #known = new Map<Form, Expanded>();
  readonly #room: RangeRoom = { left: MAX_RANGE_VALUES };

  constructor(top: Form) {
    this.#top = top;
    this.#shared = this.#readAll(top.section("parameters"));
    top.knows("parameters_file");
  }

  written(names: ReadonlySet<string>): Row {
    const used = [...this.#shared].filter(([name]) => names.has(name));
    return Object.fromEntries(used.map(([name, { written }]) => [name, written]));
  }

  /** Own parameters hide the shared ones altogether. */
  of(form: Form): Expanded {
    const known = this.#known.get(form) ?? this.#readFor(form);
    this.#known.set(form, known);
    return known;
  }

  #readFor(form: Form): Expanded {
    const mode = form.choice("parameter_mode", ["product", "zip"] as const, "product");
    const own = this.#readAll(form.section("parameters"));
    const asked = form.list("use_parameters", 100);
    const table =
      form.spot("parameters_file") ??
      (form.flag("use_parameters_file", false) ? this.#top.spot("parameters_file") : null);
    if (table) {
      if (own.size + asked.length > 0) table.problem("stands beside other parameters; keep one of them");
      return {
        each: ordered("rows", readTable(table, this.#top.section("attachments"))),
        written: { each: { table: table.value } },
        uses: [],
      };
    }
    if (own.size > 0) {
      if (asked.length > 0) form.warn("use_parameters", "has no effect beside parameters");
      return expanded(own, mode, true);
    }
    const used = new Map<string, Parameter>();
    for (const spot of asked) {
      const shared = this.#shared.get(String(spot.value));
      if (shared) used.set(String(spot.value), shared);
      else spot.notes.warn(spot.path, `${JSON.stringify(spot.value)} is not one of the parameters, and has no effect`);
    }
    return used.size === 0 ? NOTHING : expanded(used, mode, false);
  }

  #readAll(form: Form): ReadonlyMap<string, Parameter> {
    const read = Object.keys(form.row).flatMap((name) => {
      const spot = form.spot(name);
      const parameter = spot && this.#read(spot);
      return parameter && parameter.values.length > 0 ? [[name, parameter] as const] : [];
    });
    return new Map(read);
  }

  #read(spot: Spot): Parameter | null {
    if (Array.isArray(spot.value))
      return listed(
        spot.list(MAX_ROWS).map(({ value }) => value),
        spot,
      );
    if (typeof spot.value !== "string") return listed([spot.value], spot);
    const text = spot.value
      .trim()
      .replace(/^\{([^{},]*)\}$/, "$1")
      .trim();
    if (text.startsWith("@")) return this.#readFile(spot, text.slice(1));
    if (/^\[.*\]$/s.test(text)) return listed(splitList(text.slice(1, -1)).map(plainNumber), spot);
    return text.includes(":") ? readTorcRange(text, spot, this.#room) : listed([plainNumber(text)], spot);
  }

  /** A value a line, or a list of JSON. */
  #readFile(spot: Spot, written: string): Parameter | null {
    const file = travelPath(written);
    if (file === null) return spot.mustBe("a file beside the document", FORMS);
    spot.notes.files.push({ path: spot.path, file, use: "table" });
    const attached = this.#top.section("attachments").row[file];
    if (!isRow(attached) || typeof attached.content_base64 !== "string")
      return spot.problem(`${file} is not attached`, "`wms2 submit FILE` attaches it when it lies beside FILE");
    const text = Buffer.from(attached.content_base64, "base64").toString("utf8");
    const json = parseJson(text);
    const lines = text.split("\n").map((line) => line.trim());
    return listed(
      json.ok && Array.isArray(json.value) ? json.value : lines.filter((line) => line !== "").map(plainNumber),
      spot,
    );
  }
}

function expanded(parameters: ReadonlyMap<string, Parameter>, mode: "product" | "zip", own: boolean): Expanded {
  const names = [...parameters.keys()];
  const columns = Object.fromEntries([...parameters].map(([name, { values }]) => [name, values]));
  const written = Object.fromEntries([...parameters].map(([name, parameter]) => [name, parameter.written]));
  const each = mode === "zip" ? { zip: names } : names;
  return {
    each: { how: mode === "zip" ? "rows" : "product", columns },
    written: own ? { parameters: written, each } : { each },
    uses: own ? [] : names,
  };
}

const splitList = (text: string): readonly string[] =>
  text.trim() === "" ? [] : text.split(",").map((item) => item.trim().replace(/^(['"])(.*)\1$/s, "$2"));

function listed(values: readonly unknown[], spot: Spot): Parameter | null {
  if (values.length === 0) return spot.problem("has no values", FORMS);
  if (values.length > MAX_ROWS) return spot.problem(`has ${values.length} values; at most ${MAX_ROWS}`);
  if (values.some((value) => typeof value === "object")) return spot.mustBe("values", FORMS);
  const texts = values.map((value) => (typeof value === "string" ? value : plainNumber(String(value))));
  const range = texts.find(isLikeRange);
  if (range !== undefined) return spot.problem(`${JSON.stringify(range)} would be read as a range here`);
  const written = texts.map(asWritten);
  return { values: texts, written: written.length === 1 ? written[0] : written };
}

/** Numbers as Torc puts them into texts: 1.50 is 1.5, 1e-3 is 0.001, 007 is 7. */
function plainNumber(text: string): string {
  const number = parseDecimal(text);
  if (number === null) return text;
  const plain = writeDecimal(number);
  return number.places === 0 ? plain : plain.replace(/\.?0+$/, "");
}

/** A number where our reader makes the same text of it. */
const asWritten = (text: string): unknown => (String(Number(text)) === text ? Number(text) : text);

function readTorcRange(text: string, spot: Spot, room: RangeRoom): Parameter | null {
  const parts = text.split(":").map((part) => plainNumber(part.trim()));
  const isRange = parts.length <= 3 && parts.every((part) => parseDecimal(part) !== null);
  if (!isRange) return spot.mustBe("a range", FORMS);
  const [from = "", to = "", by = "1"] = parts;
  const range = readRange(`${from}..${to} step ${by}`);
  if (typeof range === "string") return spot.problem(range, FORMS);
  room.left -= range.count;
  if (room.left < 0)
    return spot.problem(`the ranges of this document have more than ${MAX_RANGE_VALUES} values together`);
  const values = range.values();
  if (!parts.some((part) => part.includes(".")))
    return { values, written: `${from}..${to}${by === "1" ? "" : ` step ${by}`}` };
  const texts = values.map(plainNumber);
  warnOfSums(texts, Number(from), Number(by), spot);
  return { values: texts, written: texts.length === 1 ? asWritten(texts[0]!) : texts.map(asWritten) };
}

/** Torc adds the step again and again, and what it loses is in its names. */
function warnOfSums(values: readonly string[], from: number, by: number, spot: Spot): void {
  let sum = from;
  for (const value of values) {
    if (Number(value) !== sum) {
      spot.notes.warn(spot.path, `is exact here: ${value}, where Torc writes ${sum}`);
      return;
    }
    sum += by;
  }
}
