import { err, ok, type Result } from "../base/result.ts";
import type { Problem } from "../domain/problem.ts";
import type { IntakeRules, Submission } from "../domain/submission.ts";
import { Form } from "./form.ts";
import { Notes, shown } from "./notes.ts";
import { childPath } from "./paths.ts";
import { plainData } from "./plain-data.ts";
import { readOwn } from "./read-own.ts";
import { readReqMgr2 } from "./read-reqmgr2.ts";
import { MARKERS } from "./reqmgr2-fields.ts";
import { isRow, type Row } from "./values.ts";

/**
 * A document becomes a Submission, or the list of everything that is wrong with it. It may be in our own form, in
 * ReqMgr2's field names, or in what ReqMgr2's GET answers. Nothing a document says is evaluated: it is either
 * refused or carried as data.
 */
export function readSubmission(document: unknown, rules: IntakeRules): Result<Submission, readonly Problem[]> {
  const notes = new Notes(rules);
  const data = plainData(document, notes);
  if (!isRow(data)) {
    if (notes.count === 0)
      notes.problem("", `must be a map of keys (got ${shown(data)})`, "name, kind, input, steps, …");
    return err(notes.problems);
  }
  const { row, path } = unwrapped(data);
  const read = isReqMgr2(row) ? readReqMgr2(new Form(row, path, notes, true)) : readOwn(new Form(row, path, notes));
  return notes.count > 0 ? err(notes.problems) : ok({ ...read, warnings: notes.warnings });
}

const isReqMgr2 = (row: Row): boolean =>
  MARKERS.some((key) => Object.hasOwn(row, key)) &&
  !["name", "request_name", "kind"].some((key) => Object.hasOwn(row, key));

/** ReqMgr2's GET wraps a document as {"result": [{"<name>": {…}}]}. */
function unwrapped(data: Row): { readonly row: Row; readonly path: string } {
  const list = Object.keys(data).length === 1 ? data.result : undefined;
  const only: unknown = Array.isArray(list) && list.length === 1 ? list[0] : undefined;
  const [name, inner] = isRow(only) && Object.keys(only).length === 1 ? (Object.entries(only)[0] ?? []) : [];
  if (name === undefined || !isRow(inner)) return { row: data, path: "" };
  return { row: inner, path: childPath("result[0]", name) };
}
