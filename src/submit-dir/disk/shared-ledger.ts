import { WorldError } from "../../core/base/errors.ts";
import { jobIndex } from "../../core/names.ts";
import { UNIT, unitFolder } from "../names.ts";
import { readInUnit } from "./unit-files.ts";

/**
 * The ledgers of units, one after the other; null: it cannot be read. A ledger that many jobs share is read once for all of them
 * that stand together, and each gets the lines that are about it.
 */
export async function* readLedgers(
  dir: string,
  units: Iterable<string>,
): AsyncGenerator<{ readonly unit: string; readonly text: string | null }> {
  let part: { readonly folder: string; readonly of: (job: string) => string | null } = { folder: "", of: () => null };
  for (const unit of units) {
    const folder = unitFolder(unit);
    if (jobIndex(unit) === null) {
      yield { unit, text: await ledgerIn(dir, folder) };
      continue;
    }
    if (part.folder !== folder) part = { folder, of: linesByJob(await ledgerIn(dir, folder), unit) };
    yield { unit, text: part.of(unit) };
  }
}

/** "": there is none. */
async function ledgerIn(dir: string, folder: string): Promise<string | null> {
  try {
    return (await readInUnit(dir, folder, UNIT.ledger)) ?? "";
  } catch (error) {
    if (error instanceof WorldError) return null;
    throw error;
  }
}

/** What is about no job that can be told is shown once, with the job that was asked for first. */
export function linesByJob(text: string | null, first: string): (job: string) => string | null {
  const lines = new Map<string, string[]>();
  const give = (job: string, line: string): void => {
    const known = lines.get(job);
    if (known) known.push(line);
    else lines.set(job, [line]);
  };
  for (const line of text?.split("\n") ?? []) {
    if (line === "") continue;
    const own = /"node":"(job_\d{6,})"/.exec(line)?.[1];
    if (own !== undefined) give(own, line);
    const list = own === undefined ? /"nodes":\[([^\]]*)\]/.exec(line) : null;
    const named = [...(list?.[1] ?? "").matchAll(/"(job_\d{6,})"/g)].map((match) => match[1]!);
    // Said of many at once: to each it is said of itself.
    for (const job of named) give(job, line.replace(list?.[0] ?? "", `"nodes":["${job}"]`));
    if (own === undefined && named.length === 0) give(first, line);
  }
  return (job) =>
    text === null
      ? null
      : (lines
          .get(job)
          ?.map((line) => `${line}\n`)
          .join("") ?? "");
}
