import { type Attempt, inputsOf, siteOf } from "./attempt.ts";
import type { AttemptRecord } from "./ledger-record.ts";

/**
 * When a file is to blame. Trouble with reading is trouble of the site, until the same file failed at two sites or
 * the log says that it is broken: then the file is bad, and there is evidence for it.
 */
export interface FileEvidence {
  /** Files this failure is about: named in the log, or the job's only input. */
  readonly suspects: readonly string[];
  readonly bad: readonly string[];
  /** Why they are bad, for a person; null while nothing is proved. */
  readonly proof: string | null;
}

const CORRUPTION =
  /corrupt|truncated|checksum (mismatch|error)|checksums? (differ|do not match)|bad magic|not a ROOT file|(cannot|failed to|error) (unzip|inflate|decompress)|unexpected end of file/i;
const MOST_FILES = 20;

export function weighFiles(attempt: Attempt, log: string, earlier: readonly AttemptRecord[]): FileEvidence {
  const inputs = inputsOf(attempt);
  const named = inputs.filter((file) => log.includes(file) || log.includes(baseName(file)));
  const suspects = (named.length > 0 ? named : inputs.length === 1 ? inputs : []).slice(0, MOST_FILES);
  const broken = corruptFiles(suspects, log, named.length > 0);
  if (broken.length > 0) return { suspects, bad: broken, proof: `the log says that ${broken.join(", ")} is broken` };
  const here = siteOf(attempt);
  for (const file of suspects) {
    const there = earlier.find(
      (record) => record.site !== null && here !== null && record.site !== here && record.files.includes(file),
    );
    if (there) return { suspects, bad: [file], proof: `${file} failed at ${there.site} and now at ${here}` };
  }
  return { suspects, bad: [], proof: null };
}

/** Those named on a line that speaks of corruption; the only input needs no name. */
function corruptFiles(suspects: readonly string[], log: string, named: boolean): readonly string[] {
  if (suspects.length === 0 || !CORRUPTION.test(log)) return [];
  const lines = log.split("\n").filter((line) => CORRUPTION.test(line));
  if (!named) return suspects;
  return suspects.filter((file) => lines.some((line) => line.includes(baseName(file))));
}

/** Short names ("a") would be found in any text. */
function baseName(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return name.length >= 5 ? name : file;
}
