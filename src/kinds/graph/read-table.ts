import { parseJson } from "../../core/base/json.ts";
import type { Form } from "../../intake/reading/form.ts";
import { TRAVEL_RULE, travelPath } from "../../intake/reading/paths.ts";
import { isRow, type Spot } from "../../intake/reading/values.ts";
import { parseCsv } from "./csv.ts";
import { MAX_ROWS } from "./limits.ts";
import { PARAMETER, PARAMETER_RULE } from "./placeholders.ts";

type Columns = Readonly<Record<string, readonly string[]>>;
/** A row of a table, or why there is none. */
type Cells = ReadonlyMap<string, unknown> | string;

/** A file beside the document with a row a job and a column a parameter; {} after a problem. */
export function readTable(spot: Spot, attachments: Form): Columns {
  const file = typeof spot.value === "string" ? travelPath(spot.value) : null;
  if (file === null || !/\.(csv|json|jsonl)$/.test(file))
    return spot.mustBe("a table beside the document", `sweep.csv, .json or .jsonl: ${TRAVEL_RULE}`) ?? {};
  spot.notes.files.push({ path: spot.path, file, use: "table" });
  const attached = attachments.row[file] ?? attachments.row[`./${file}`];
  if (!isRow(attached) || typeof attached.content_base64 !== "string")
    return spot.problem("is not attached", "`wms2 submit FILE` attaches it when it lies beside FILE") ?? {};
  const table = tables.get(attached) ?? parseTable(attached.content_base64, file);
  tables.set(attached, table);
  return typeof table === "string" ? (spot.problem(table) ?? {}) : table.columns;
}

type Table = { readonly columns: Columns } | string;
/** By the map that holds the file in the document: many jobs may go by one table, and it is read once. */
const tables = new WeakMap<object, Table>();

function parseTable(base64: string, file: string): Table {
  const text = Buffer.from(base64, "base64")
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  const rows = file.endsWith(".csv") ? csvRows(text) : jsonRows(text, file.endsWith(".jsonl"));
  if (typeof rows === "string") return rows;
  return rows.length === 0 ? "has no rows" : columnsOf(rows);
}

const tooLong = (rows: number): string | null =>
  rows > MAX_ROWS ? `has more than ${MAX_ROWS} rows, the most there may be: make several graphs of it` : null;

/** The first line names the columns. Every cell is text, as it was written. */
function csvRows(text: string): readonly Cells[] | string {
  const parsed = parseCsv(text, MAX_ROWS + 2);
  if (typeof parsed === "string") return parsed;
  const names = parsed[0] ?? [];
  return (
    tooLong(parsed.length - 1) ??
    parsed
      .slice(1)
      .map((cells) =>
        cells.length === names.length
          ? new Map(names.map((name, index) => [name, cells[index]]))
          : `has ${cells.length} cells, and there are ${names.length} columns`,
      )
  );
}

function jsonRows(text: string, byLines: boolean): readonly Cells[] | string {
  const pieces = byLines ? text.split("\n").filter((line) => line.trim() !== "") : [text];
  const many = tooLong(pieces.length);
  if (many !== null) return many;
  const parsed = pieces.map(parseJson);
  const broken = parsed.findIndex(({ ok }) => !ok);
  if (broken >= 0) return `is not JSON${byLines ? ` in line ${broken + 1}` : ""}`;
  const values = parsed.map((piece) => (piece.ok ? piece.value : null));
  const rows = byLines ? values : values[0];
  if (!Array.isArray(rows)) return "must be a list of maps, one a row";
  return (
    tooLong(rows.length) ?? rows.map((row) => (isRow(row) ? new Map(Object.entries(row)) : "is not a map of columns"))
  );
}

/** All rows have the columns of the first. */
function columnsOf(rows: readonly Cells[]): Table {
  const [first] = rows;
  const names = first instanceof Map ? [...first.keys()] : [];
  const wrong = names.find((name) => !PARAMETER.test(name));
  if (wrong !== undefined) return `has a column ${JSON.stringify(wrong.slice(0, 60))}: ${PARAMETER_RULE}`;
  const columns = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const [index, row] of rows.entries()) {
    const problem = typeof row === "string" ? row : addRow(row, columns);
    if (problem !== null) return `row ${index + 1} ${problem}`;
  }
  return { columns: Object.fromEntries(columns) };
}

function addRow(row: ReadonlyMap<string, unknown>, columns: ReadonlyMap<string, string[]>): string | null {
  for (const name of row.keys()) if (!columns.has(name)) return `has a column ${name} that the first has not`;
  for (const [name, cells] of columns) {
    const cell = row.get(name);
    if (!["string", "number", "boolean"].includes(typeof cell)) return `has no value for ${name}`;
    cells.push(String(cell));
  }
  return null;
}
