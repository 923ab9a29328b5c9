import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ErrorCode, WorldError } from "../base/errors.ts";
import type { Result } from "../base/result.ts";
import type { Problem } from "../domain/problem.ts";
import { absolutePaths } from "../intake/absolute-paths.ts";
import { neededFiles } from "../intake/read-submission.ts";
import { unwrap } from "../intake/unwrap.ts";
import { KINDS } from "../kinds/table.ts";
import { parseDocument } from "../reading/parse-document.ts";
import { isRow } from "../reading/values.ts";
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
  const json = file.endsWith(".json") || (!/\.ya?ml$/.test(file) && /^\s*[{[]/.test(text));
  const parsed = parseDocument(text, json ? "json" : "yaml");
  if (!parsed.ok) throw problemsIn(file, parsed.error);
  const folder = file === "-" ? process.cwd() : dirname(resolve(file));
  let document = absolutePaths(parsed.value, (path) => resolve(folder, path));
  const [only, ...more] = changes.set?.length || changes.name !== undefined ? unwrap(document) : [];
  if (only && more.length === 0) document = only.row;
  document = withChanges(document, changes.set ?? []);
  if (changes.name !== undefined) document = withChange(document, { key: nameKey(document), value: changes.name });
  return withAttachments(document, folder);
}

export const problemsIn = (file: string, problems: readonly Problem[]): RefusedError =>
  new RefusedError("bad-request", file, `${file} has ${count(problems.length, "problem")}`, null, problems);

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

/** Attaches what lies beside the request file; what is missing is reported by intake, with its place. */
function withAttachments(document: unknown, folder: string): unknown {
  if (!isRow(document)) return document;
  const found: Record<string, unknown> = {};
  // What is wrapped has no place for them.
  for (const path of unwrap(document)[0]?.path === "" ? neededFiles(document, KINDS) : []) {
    const place = join(folder, path);
    if (!statSync(place, { throwIfNoEntry: false })?.isFile()) continue;
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
