import { isRow, parseJson } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Site } from "../../core/dag.ts";

export type Statuses = ReadonlyMap<string, Site["status"]>;

/** What sites are said to be, in our words. What is not here ("unknown") leaves a site as it is. */
const STATUSES: Readonly<Record<string, Site["status"]>> = {
  enabled: "enabled",
  drain: "draining",
  test: "draining",
  disabled: "disabled",
  usable: "enabled",
  not_usable: "draining",
};

/**
 * Site statuses as CMS publishes them: `{csvdata: [{VOName, Status}]}`, a list of `{name, value}`, or monitoring documents
 * `{timestamp, data: {name, prod_status}}` in a list or one a line, of which the newest counts.
 */
export function readStatuses(text: string): Result<Statuses, string> {
  const rows = rowsIn(text);
  if (rows === null) return err("is neither JSON nor one JSON document a line");
  const found = new Map<string, { readonly at: number; readonly said: string }>();
  for (const row of rows) {
    const read = readRow(row);
    if (read && read.at >= (found.get(read.name)?.at ?? Number.NEGATIVE_INFINITY)) found.set(read.name, read);
  }
  if (rows.length > 0 && found.size === 0) return err("has no row that names a site and its status");
  return ok(
    new Map(
      [...found].flatMap(([name, { said }]) =>
        Object.hasOwn(STATUSES, said) ? [[name, STATUSES[said]!] as const] : [],
      ),
    ),
  );
}

function rowsIn(text: string): readonly unknown[] | null {
  const whole = parseJson(text);
  if (!whole.ok) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const parsed = lines.map(parseJson);
    return parsed.every((one) => one.ok) ? parsed.map((one) => one.value) : null;
  }
  const { value } = whole;
  if (Array.isArray(value)) return value;
  if (!isRow(value)) return null;
  return Array.isArray(value.csvdata) ? value.csvdata : [value];
}

function readRow(row: unknown): { readonly name: string; readonly at: number; readonly said: string } | null {
  if (!isRow(row)) return null;
  const [name, said] = isRow(row.data)
    ? [row.data.name, row.data.prod_status]
    : row.VOName === undefined
      ? [row.name, row.value]
      : [row.VOName, row.Status];
  if (typeof name !== "string" || typeof said !== "string") return null;
  return { name, at: typeof row.timestamp === "number" ? row.timestamp : 0, said };
}
