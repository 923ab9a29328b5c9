import { parseJson } from "../../../core/base/json.ts";
import { type Answer, busy, notLetIn, plainRefusal, type ServiceRules } from "../http/question.ts";
import { BrokenAnswer, isRow, type Row } from "../http/rows.ts";
import type { DbsBlock, DbsFile, DbsLumi, NewDbsFile, Refusal } from "../services.ts";

/** Of the database behind it, the transaction, the query and the session: worth another try. */
const TRANSIENT_CODES = new Set([101, 102, 103, 104, 105, 106]);

interface DbsError {
  readonly code: number;
  /** Its own code and those it wraps, as far as it tells. */
  readonly codes: readonly number[];
  readonly text: string;
}

/** Almost everything is HTTP 400: only the codes inside tell what it was. null: these are not DBS's words. */
export function readError(text: string): DbsError | null {
  const parsed = parseJson(text);
  const first = parsed.ok && Array.isArray(parsed.value) ? parsed.value[0] : null;
  const error = isRow(first) && isRow(first.error) ? first.error : null;
  if (error === null || typeof error.code !== "number") return null;
  const [message, reason] = [error.message, error.reason].map((part) => (typeof part === "string" ? part : ""));
  const nested = [...`${reason} ${message}`.matchAll(/\bCode:\s*(\d{3})\b/gi)].map(([, digits]) => Number(digits));
  const said = [message, reason].filter((part) => part && part !== "nil").join(": ");
  return { code: error.code, codes: [error.code, ...nested], text: said.replaceAll(/\s+/g, " ").slice(0, 500) };
}

function outage(answer: Answer): string | null {
  const error = readError(answer.text);
  const transient = error?.codes.find((code) => TRANSIENT_CODES.has(code));
  if (error) return transient ? `its database fails (code ${transient}): ${error.text}` : null;
  return notLetIn(answer) ?? busy(answer);
}

/** What a person can do, by code; a wrapped one says more than what wraps it, so it comes first. */
const FIXES: readonly [codes: readonly number[], fix: string][] = [
  [[202], "register the parent files first, or take the request with IncludeParents: false"],
  [[203], "register the parent dataset first"],
  [[207, 405], "check ProcessingVersion: a whole number above 0"],
  [[208, 404], "check AcquisitionEra; DBS has to know it before the dataset"],
  [[209, 412], "check the data tier of the output; only the operators of DBS add tiers"],
  [[210, 407], "the physics group NoGroup is missing there: ask the operators of DBS"],
  [[211, 408], "the access type is missing there: ask the operators of DBS"],
  [[206, 411], "check PrimaryDataset"],
  [[212, 410], "the dataset is missing there: retry the block, which makes it"],
  [[113], "check names, sizes and checksums of the files against the rules of DBS"],
  [[310, 311, 312], "check LFN, size, checksum and configuration of the files; DBS hides which one it was"],
];

function refusal(answer: Answer): Refusal {
  const error = readError(answer.text);
  if (error === null) return plainRefusal(answer);
  const fix = FIXES.find(([codes]) => codes.some((code) => error.codes.includes(code)))?.[1];
  const message = error.text || `HTTP ${answer.status}`;
  return { kind: "refused", code: String(error.code), message, fix: fix ?? "see the message of DBS" };
}

export const DBS_RULES: ServiceRules = {
  name: "dbs",
  requestsPerSec: 100,
  concurrency: 16,
  outage,
  refusal,
  brokenRow: (row) => (isRow(row) && isRow(row.error) ? "the list ends in an error" : null),
};

/** A name that DBS's own rules do not allow: nothing can have it. */
export const isImpossibleName = (answer: Answer): boolean =>
  readError(answer.text)?.codes.some((code) => code === 113 || code === 118) ?? false;

const broken = (what: string): BrokenAnswer => new BrokenAnswer(`the answer is no list of ${what}`);

export function readRows<T>(value: unknown, read: (row: Row) => T): readonly T[] {
  if (!Array.isArray(value) || !value.every(isRow)) throw broken("objects");
  return value.map(read);
}

export const readAccessType = (row: Row): string => String(row.dataset_access_type ?? "unknown");
export const readKnownFile = (row: Row): Row => {
  if (typeof row.logical_file_name !== "string") throw broken("files");
  return row;
};

export function readBlock(row: Row): DbsBlock {
  const { block_name: name, file_count: files, block_size: sizeBytes, open_for_writing: open } = row;
  if (typeof name !== "string" || typeof files !== "number" || typeof sizeBytes !== "number") throw broken("blocks");
  return { name, files, sizeBytes, isOpen: open === 1, originRse: String(row.origin_site_name ?? "") };
}

export function readFile(row: unknown): DbsFile {
  const { logical_file_name: lfn, file_size: sizeBytes, event_count: events } = row as Row;
  if (typeof lfn !== "string" || typeof sizeBytes !== "number") throw broken("files");
  return { lfn, sizeBytes, events: typeof events === "number" ? events : 0 };
}

export function readLumi(row: unknown): DbsLumi {
  const { logical_file_name: lfn, run_num: run, lumi_section_num: lumi, event_count: events } = row as Row;
  if (typeof lfn !== "string" || typeof run !== "number" || typeof lumi !== "number") throw broken("lumis");
  return { lfn, run, lumi, events: typeof events === "number" ? events : null };
}

type KnownFiles =
  | { readonly kind: "missing"; readonly files: readonly NewDbsFile[] }
  | { readonly kind: "conflict"; readonly refusal: Refusal };

/** Which of these files DBS does not have. One it has otherwise, or elsewhere, belongs to somebody. */
export function compareFiles(block: string, files: readonly NewDbsFile[], rows: readonly Row[]): KnownFiles {
  const known = new Map(rows.map((row) => [row.logical_file_name, row]));
  for (const file of files) {
    const row = known.get(file.lfn);
    const differs = row && differences(block, file, row);
    if (!row || !differs) continue;
    const by = `registered by ${row.create_by ?? "an unknown person"} in ${row.block_name ?? "an unknown block"}`;
    const message = `${file.lfn} is there already, ${by}, with ${differs}`;
    const fix = "ask who registered it; then give the request a higher ProcessingVersion, or have that file removed";
    return { kind: "conflict", refusal: { kind: "refused", code: "file-differs", message, fix } };
  }
  return { kind: "missing", files: files.filter(({ lfn }) => !known.has(lfn)) };
}

function differences(block: string, file: NewDbsFile, row: Row): string {
  const pairs: readonly (readonly [what: string, theirs: unknown, ours: unknown])[] = [
    ["size", row.file_size, file.sizeBytes],
    ["adler32", row.adler32, file.adler32],
    ["cksum", row.check_sum, file.cksum],
    ["block", row.block_name, block],
  ];
  return pairs
    .filter(([, theirs, ours]) => String(theirs) !== String(ours))
    .map(([what, theirs, ours]) => `${what} ${theirs} (ours: ${ours})`)
    .join(", ");
}
