import { err, ok, type Result } from "../core/base/result.ts";
import type { Problem } from "../core/problem.ts";
import { DEFAULT_INTAKE_RULES, type IntakeRules, type Submission } from "../core/submission.ts";
import { translateGraph } from "../kinds/graph/import/translate.ts";
import { TranslatedNotes } from "../kinds/graph/import/translation.ts";
import type { Kinds } from "../kinds/kind.ts";
import { readOwn } from "./read-own.ts";
import { readReqMgr2 } from "./read-reqmgr2.ts";
import { Form } from "./reading/form.ts";
import { Notes, shown } from "./reading/notes.ts";
import { travelPath } from "./reading/paths.ts";
import { plainData } from "./reading/plain-data.ts";
import { isReqMgr2, unwrap } from "./unwrap.ts";

/**
 * A document becomes a Submission, or the list of everything that is wrong with it. It may be in our own form, in
 * ReqMgr2's field names, also wrapped, or a graph of another system (docs/guides/graph-imports.md). Nothing a document says is evaluated: it is either
 * refused or carried as data.
 */
export function readSubmission(
  document: unknown,
  rules: IntakeRules,
  kinds: Kinds,
): Result<Submission, readonly Problem[]> {
  const { read, notes } = readDocument(document, rules, kinds);
  return read === null || notes.count > 0 ? err(notes.problems) : ok({ ...read, warnings: notes.warnings });
}

/** `mayStay`: jobs find it where it is; it is worth sending only if it is small. */
interface NeededFile {
  readonly path: string;
  readonly mayStay: boolean;
}

/**
 * Files beside a request that travel with it, for who sends it: arguments of its commands that begin with "./", tables,
 * and `attach`. In the order they appear, without "./". An argument may also be a file the job makes itself: attach those that
 * exist; what had to be there and was not is a problem of readSubmission.
 */
export function neededFiles(document: unknown, kinds: Kinds): readonly NeededFile[] {
  const { notes, row } = readDocument(document, DEFAULT_INTAKE_RULES, kinds);
  const beside = notes.commands.flatMap(({ argv }) => argv).filter((word) => word.startsWith("./"));
  const tables = notes.files.filter(({ use }) => use === "table").map(({ file }) => file);
  const scripts = notes.files.filter(({ use }) => use === "script").map(({ file }) => file);
  const attach = Array.isArray(row?.attach) ? row.attach.filter((path) => typeof path === "string") : [];
  const needed = new Set([...beside, ...tables, ...attach].map(travelPath).filter((path) => path !== null));
  const all = new Set([...needed, ...scripts.map(travelPath).filter((path) => path !== null)]);
  return [...all].map((path) => ({ path, mayStay: !needed.has(path) }));
}

function readDocument(document: unknown, rules: IntakeRules, kinds: Kinds) {
  const notes = new Notes();
  const data = plainData(document, notes);
  const [only, ...more] = unwrap(data);
  if (only === undefined && notes.count === 0)
    notes.problem("", `must be a map of keys (got ${shown(data)})`, "name, kind, input, steps, …");
  if (more.length > 0) {
    const names = [only!, ...more].map(({ row, path }) => String(row.RequestName ?? row.RequestString ?? path));
    const some = names.length > 5 ? `${names.slice(0, 5).join(", ")}, …` : names.join(", ");
    notes.problem("", `holds ${names.length} requests (${some}); submit them one at a time`);
  }
  if (only === undefined || more.length > 0) return { notes, read: null, row: null };
  const { row, path } = only;
  if (isReqMgr2(row)) return { notes, read: readReqMgr2(new Form(row, path, notes, true), rules, kinds), row };
  const translation = translateGraph(row, notes);
  if (translation === null) return { notes, read: readOwn(new Form(row, path, notes), rules, kinds), row };
  const translated = new TranslatedNotes(notes, translation.pathOf);
  return { notes: translated, read: readOwn(new Form(translation.document, "", translated), rules, kinds), row };
}
