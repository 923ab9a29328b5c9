import { listed } from "../../core/base/text.ts";
import type { Each } from "../../core/graph.ts";
import { Form } from "../../intake/reading/form.ts";
import { shown } from "../../intake/reading/notes.ts";
import type { Spot } from "../../intake/reading/values.ts";
import { PARAMETER, PARAMETER_RULE } from "./placeholders.ts";
import { readTable } from "./read-table.ts";
import { type RangeRoom, readValues } from "./read-values.ts";

export type Parameters = Readonly<Record<string, readonly string[]>>;
const EACH_FORMS = "[lr, seed] (every combination), {zip: [lr, seed]} (row by row) or {table: sweep.csv}";

/** `parameters: {lr: [0.1, 0.01], seed: 1..50}`. */
export function readParameters(form: Form, room: RangeRoom): Parameters {
  const names = Object.keys(form.row).filter((name) => {
    if (!PARAMETER.test(name)) form.problem(name, "is not a name for a parameter", PARAMETER_RULE);
    return PARAMETER.test(name);
  });
  const read = names.map((name) => {
    const spot = form.spot(name);
    if (spot === null) form.missing(name, "a value, a list or a range");
    return [name, spot ? readValues(spot, room) : []] as const;
  });
  return Object.fromEntries(read.filter(([, values]) => values.length > 0));
}

/** What makes several jobs of one template; null: nothing does. `own` come before `shared` of the same name. */
export function readEach(spot: Spot | null, own: Parameters, shared: Parameters, attached: Form): Each | null {
  const known = { ...shared, ...own };
  // What is not varied has one value, and may be named in any of its texts.
  const constants = Object.fromEntries(Object.entries(own).filter(([, values]) => values.length === 1));
  const isEmpty = Object.keys(constants).length === 0;
  if (spot === null) return isEmpty ? null : ordered("product", constants);
  if (typeof spot.value === "string" || Array.isArray(spot.value))
    return ordered("product", { ...constants, ...chosen(spot, known) });
  const form = Form.at(spot, "a choice of parameters", EACH_FORMS);
  if (form === null) return null;
  const zip = form.spot("zip");
  const table = form.spot("table");
  form.close({ product: "write each: [a, b]" });
  if ((zip === null) === (table === null)) {
    spot.problem("must have either zip or table", EACH_FORMS);
    return null;
  }
  const columns = zip ? chosen(zip, known) : readTable(table!, attached);
  if (zip) checkLengths(zip, columns);
  return ordered("rows", { ...constants, ...columns });
}

export const ordered = (how: Each["how"], columns: Each["columns"]): Each => ({
  how,
  columns,
  order: Object.keys(columns),
});

function chosen(spot: Spot, known: Parameters): Parameters {
  const entries = typeof spot.value === "string" ? [spot] : spot.list(100);
  const columns: Record<string, readonly string[]> = {};
  if (entries.length === 0 && Array.isArray(spot.value)) spot.problem("names no parameter", EACH_FORMS);
  for (const entry of entries) {
    const name = entry.value;
    if (typeof name !== "string" || !Object.hasOwn(known, name))
      entry.unknown("is not a parameter", Object.keys(known), listed(Object.keys(known), 20) || "parameters: {…}");
    else if (Object.hasOwn(columns, name)) entry.problem(`${shown(name)} is named twice`);
    else columns[name] = known[name]!;
  }
  return columns;
}

function checkLengths(spot: Spot, columns: Parameters): void {
  const lengths = Object.entries(columns).map(([name, { length }]) => `${name} has ${length}`);
  if (new Set(Object.values(columns).map(({ length }) => length)).size > 1)
    spot.problem(`needs as many values of each: ${listed(lengths, 8)}`);
}
