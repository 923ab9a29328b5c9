import { parseJson, toBigInt } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { isSiteName, type SiteName } from "../../core/names.ts";
import type { OutputFile } from "../../core/workflow.ts";

/** What a unit says it produced (docs/submit-directory.md). */
export interface MergeOutput {
  readonly site: SiteName | null;
  readonly block: number;
  readonly events: bigint;
  readonly outputs: readonly OutputFile[];
}

type Row = Readonly<Record<string, unknown>>;
type Rules = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isName = (value: unknown): boolean => typeof value === "string" && value.length > 0 && value.length <= 4096;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const matches = (pattern: RegExp) => (value: unknown) => typeof value === "string" && pattern.test(value);
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);

const orAbsent = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);

/** By hand: POST loads this on the submit host, and a schema library would make every failed job wait for it. */
const UNIT: Rules = {
  version: (value) => value === 1,
  unit: isText,
  block: isCount,
  site: orNull(isText),
  events: orNull((value) => isCount(value) || matches(/^\d{1,18}$/)(value)),
  outputs: Array.isArray,
};
const isAdler32 = matches(/^[0-9a-f]{8}$/);
const isRange = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && value.every(isCount) && value[0] <= value[1];
const isRunLumis = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).every(
    ([run, ranges]) => /^\d{1,15}$/.test(run) && Array.isArray(ranges) && ranges.every(isRange),
  );

const OUTPUT: Rules = {
  output: isText,
  dataset: isText,
  lfn: isName,
  path: isName,
  sizeBytes: isCount,
  checksum: matches(/^cksum:\d{1,10}$/),
  events: orNull(isCount),
  parents: (value) => Array.isArray(value) && value.every(isName),
  adler32: orAbsent(isAdler32),
  runLumis: orAbsent(isRunLumis),
};

const misfit = (row: unknown, rules: Rules): string | undefined =>
  Object.keys(rules).find((key) => !rules[key]?.((row as Row | null)?.[key]));

/** Text from a worker: trusted only after it parses and speaks of the right unit. */
export function parseMergeOutput(text: string | null, unit: string): Result<MergeOutput, string> {
  if (text === null) return err("it left no merge_output.json");
  const json = parseJson(text);
  if (!json.ok) return err(`its merge_output.json is not JSON (${json.error})`);
  const wrong = misfit(json.value, UNIT);
  if (wrong) return err(`its merge_output.json is not as agreed: ${wrong}`);
  const read = json.value as Row & { site: string | null; block: number; events: number | string | null };
  if (read.unit !== unit) return err(`its merge_output.json speaks of ${read.unit}`);
  const outputs: OutputFile[] = [];
  for (const [index, row] of (read.outputs as unknown[]).entries()) {
    const misplaced = misfit(row, OUTPUT);
    if (misplaced) return err(`its merge_output.json is not as agreed: outputs.${index}.${misplaced}`);
    const { output, dataset, lfn, path, sizeBytes, checksum, events, parents, adler32, runLumis } = row as OutputFile;
    const known = { ...(adler32 && { adler32 }), ...(runLumis && { runLumis }) };
    outputs.push({ output, dataset, lfn, path, sizeBytes, checksum, events, parents, ...known });
  }
  const site = read.site && isSiteName(read.site) ? read.site : null;
  return ok({ site, block: read.block, events: toBigInt(read.events ?? 0), outputs });
}
