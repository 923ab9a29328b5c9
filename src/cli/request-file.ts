import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type ErrorCode, WorldError } from "../core/base/errors.ts";
import type { Result } from "../core/base/result.ts";
import type { Problem } from "../core/problem.ts";
import { DEFAULT_INTAKE_RULES } from "../core/submission.ts";
import { absolutePaths } from "../intake/absolute-paths.ts";
import { neededFiles } from "../intake/read-submission.ts";
import { makeLineFinder } from "../intake/reading/line-of.ts";
import { parseDocument } from "../intake/reading/parse-document.ts";
import { isRow } from "../intake/reading/values.ts";
import { unwrap } from "../intake/unwrap.ts";
import { parseTorcKdl, torcKdlLines } from "../kinds/graph/import/torc-kdl.ts";
import { isWfFormat, REPLAY } from "../kinds/graph/import/wfformat.ts";
import { MAX_ROWS } from "../kinds/graph/limits.ts";
import { KINDS } from "../kinds/table.ts";
import { RefusedError } from "./client.ts";
import { readAssignment } from "./settings.ts";
import { count } from "./view/text.ts";

/**
 * A request file as it travels: the files it names are attached, its input paths are absolute, and what the
 * command line changed is changed. Whether it makes sense is for intake to say. "-" is stdin.
 */
export function readRequestFile(
  file: string,
  changes: { readonly name?: string | undefined; readonly set?: readonly string[] | undefined },
): unknown {
  const hint = "give the path of a YAML or JSON file, or - for stdin";
  const text = readText(file, `the request file ${file}`, { hint });
  const parsed = parseRequest(text, file);
  if (!parsed.ok) throw problemsIn(file, parsed.error);
  const folder = file === "-" ? process.cwd() : dirname(resolve(file));
  let document = absolutePaths(parsed.value, (path) => resolve(folder, path));
  const [only, ...more] = changes.set?.length || changes.name !== undefined ? unwrap(document) : [];
  if (only && more.length === 0) document = only.row;
  document = withChanges(document, changes.set ?? []);
  if (changes.name !== undefined) document = withChange(document, { key: nameKey(document), value: changes.name });
  return withAttachments(document, folder);
}

/** By the name of the file; without one by its first sign. */
function parseRequest(text: string, file: string): Result<unknown, Problem[]> {
  if (file.endsWith(".kdl")) return parseTorcKdl(text);
  if (file.endsWith(".json5")) return parseDocument(text, "json5");
  const isJson = file.endsWith(".json") || (!/\.ya?ml$/.test(file) && /^\s*[{[]/.test(text));
  return parseDocument(text, isJson ? "json" : "yaml");
}

export const problemsIn = (file: string, problems: readonly Problem[]): RefusedError =>
  new RefusedError("bad-request", file, `${file} has ${count(problems.length, "problem")}`, null, problems);

/** The same problems with the lines of the file they are in, for who sent it; stdin cannot be read twice. */
export function withLines(file: string, problems: readonly Problem[]): readonly Problem[] {
  if (file === "-" || problems.length === 0) return problems;
  if (file.endsWith(".json5")) return problems; // nobody can say
  const text = readText(file, `the request file ${file}`);
  const lineOf = file.endsWith(".kdl") ? torcKdlLines(text) : makeLineFinder(text);
  return problems.map((problem) => {
    const line = lineOf(problem.path);
    return line === null ? problem : { ...problem, message: `line ${line}: ${problem.message}` };
  });
}

/** What a server says of a file is told with its lines. */
export async function tellLines<T>(file: string, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    if (!(error instanceof RefusedError)) throw error;
    throw new RefusedError(error.code, error.subject, error.message, error.hint, withLines(file, error.problems));
  });
}

/** The text of a file; "-" is stdin. */
export function readText(file: string, what: string, options: { code?: ErrorCode; hint?: string } = {}): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new WorldError(options.code ?? "bad-usage", file, `${what} cannot be read`, { ...options, cause: error });
  }
}

/** A document that is JSON when its name says so, else YAML. */
export const readDocument = (file: string, hint?: string): Result<unknown, Problem[]> =>
  parseDocument(readText(file, file, hint === undefined ? {} : { hint }), file.endsWith(".json") ? "json" : "yaml");

/** Our own form has `name`; a ReqMgr2 document has RequestName or RequestString. */
function nameKey(document: unknown): string {
  const keys = ["name", "request_name", "RequestName", "RequestString"];
  return keys.find((key) => isRow(document) && Object.hasOwn(document, key)) ?? "name";
}

/** What --set changed. */
export const withChanges = (document: unknown, set: readonly string[]): unknown =>
  set.reduce((changed, word) => withChange(changed, readAssignment(word)), document);

/** `split.files_per_job` reaches into the document; maps on the way are made. */
function withChange(document: unknown, { key, value }: { key: string; value: unknown }): unknown {
  const row = isRow(document) ? document : {};
  const dot = key.indexOf(".");
  if (dot < 0) return { ...row, [key]: value };
  const first = key.slice(0, dot);
  return { ...row, [first]: withChange(row[first], { key: key.slice(dot + 1), value }) };
}

const REPLAY_PROGRAM = fileURLToPath(new URL("../submit-dir/payload/replay/replay.sh", import.meta.url));

/** Said here, since a server would only say that there is too much of something. */
const tooLarge = (path: string, bytes: number): RefusedError =>
  problemsIn(path, [
    {
      path: "",
      message: `is too large to travel with the request: ${Math.ceil(bytes / 1e6)} MB`,
      allowed: `${DEFAULT_INTAKE_RULES.maxFilesBytes / 1e6} MB for all files together, and tables of ${MAX_ROWS} rows`,
    },
  ]);

/** Attaches what lies beside the request file; what is missing is reported by intake, with its place. */
function withAttachments(document: unknown, folder: string): unknown {
  if (!isRow(document)) return document;
  const found: Record<string, unknown> = {};
  // What is wrapped has no place for them.
  for (const { path, mayStay } of unwrap(document)[0]?.path === "" ? neededFiles(document, KINDS) : []) {
    const place = path === REPLAY && isWfFormat(document) ? REPLAY_PROGRAM : join(folder, path);
    const stats = statSync(place, { throwIfNoEntry: false });
    if (!stats?.isFile() || (mayStay && stats.size > DEFAULT_INTAKE_RULES.maxFileBytes)) continue;
    if (stats.size > DEFAULT_INTAKE_RULES.maxFilesBytes) throw tooLarge(path, stats.size);
    const content = readFileSync(place);
    found[path] = {
      content_base64: content.toString("base64"),
      executable: (statSync(place).mode & 0o111) !== 0,
      sha256: createHash("sha256").update(content).digest("hex"),
    };
  }
  if (Object.keys(found).length === 0) return document;
  return { ...document, attachments: { ...found, ...(isRow(document.attachments) ? document.attachments : {}) } };
}

/** In one step: who looks meanwhile sees the old file or the new one. */
export function writeOut(path: string, text: string): void {
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
}
