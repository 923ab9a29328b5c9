import { stringify } from "../../core/base/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { Draft, RequestFile, RequestSpec, Revision } from "../../core/request.ts";

/** A corrected request against the one it corrects: what differs, and what of that a request under way may take over. */
export interface Difference {
  /** "steps[0].argv[1]", "attachments ./select.sh". */
  readonly path: string;
  readonly change: string;
}

/** Follow from who hands it in, as which version and how files are compared, not from the work. */
const NOT_WORK = [
  "name",
  "requestor",
  "requestorDn",
  "processingVersion",
  "previousVersion",
  "cleanupPolicy",
  "changes",
];
/** What the next attempts may get otherwise; the rest would make other work of it. */
const REVISABLE = /^(steps|resources|retries|recovery|attachments)\b|^outputs\[\d+\]\.merge\.argv/;

const RECOVERY = /^recovery\b/;

export function differences(before: Draft, after: Draft): readonly Difference[] {
  const found: Difference[] = [];
  compare("", workOf(before), workOf(after), found);
  const old = new Map(before.files.map((file) => [file.path, file]));
  for (const file of after.files) {
    const known = old.get(file.path);
    old.delete(file.path);
    if (!known) found.push({ path: `attachments ${file.path}`, change: `new, ${file.content.length} bytes` });
    else if (known.sha256 !== file.sha256 || known.executable !== file.executable)
      found.push({
        path: `attachments ${file.path}`,
        change: `changed: ${describeFile(known)} → ${describeFile(file)}`,
      });
  }
  for (const path of old.keys()) found.push({ path: `attachments ${path}`, change: "left out" });
  return found;
}

/** Fields of the work stand at the top, as in the document. */
const workOf = ({ spec: { work, ...rest } }: Draft): unknown =>
  Object.fromEntries(Object.entries({ ...work, ...rest }).filter(([key]) => !NOT_WORK.includes(key)));

const describeFile = ({ content, executable, sha256 }: RequestFile): string =>
  `${content.length} bytes${executable ? ", executable" : ""} (${sha256.slice(0, 8)})`;

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (isBranch(before) && isBranch(after)) {
    const isList = Array.isArray(before);
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const place = isList ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      compare(place, before[key], after[key], found);
    }
  } else if (text(before) !== text(after)) found.push({ path, change: `${text(before)} → ${text(after)}` });
}

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function text(value: unknown): string {
  const shown = value === undefined || value === null ? "nothing" : stringify(value);
  return shown.length > 100 ? `${shown.slice(0, 99)}…` : shown;
}

/**
 * What a request that has begun cannot take over. `keeps`: its next version keeps what is done and has not changed, so that is
 * where corrected work belongs: what ran is then known by the command and the files it ran with.
 */
export const revisionProblems = (all: readonly Difference[], name: string, keeps: boolean): readonly Problem[] =>
  all
    .filter(({ path }) => !(keeps ? RECOVERY : REVISABLE).test(path))
    .map(({ path, change }) => ({
      path,
      message: keeps ? `is for the next version: ${change}` : `is other work: ${change}`,
      allowed: keeps
        ? `wms2 restart ${name} --from FILE --reason TEXT, or wms2 run FILE: the next version keeps what is done and unchanged; a release takes recovery`
        : `wms2 restart ${name} --from FILE --reason TEXT; a release takes commands, attachments, resources, retries and recovery`,
    }));

export const revisionOf = ({ steps, outputs, resources, retries, recovery }: RequestSpec): Revision => ({
  steps,
  outputs,
  resources,
  retries,
  recovery,
});
