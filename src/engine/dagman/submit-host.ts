import { replaceFile } from "../../disk/atomic-file.ts";
import type { Run } from "../../domain/run.ts";
import { readText } from "../read-files.ts";

/**
 * Which schedd a run was handed to, kept beside its DAG as one line, "<batch name> <schedd>". A server that was moved
 * to another submit host asks another queue, and there an absent run means nothing: it may go on where it was submitted.
 */
const fileOf = (run: Run): string => `${run.submitDir}/submit-host`;

/** Before the submission: should we die in between, the next server still knows where to look. */
export const noteSubmitHost = (run: Run, schedd: string): Promise<void> =>
  replaceFile(fileOf(run), `${run.batchName} ${schedd}\n`);

/** null: not known, or the note is about an earlier run in this directory. */
export async function submitHostOf(run: Run): Promise<string | null> {
  const [batchName, schedd] = ((await readText(fileOf(run))) ?? "").trim().split(" ");
  return batchName === run.batchName ? (schedd ?? null) : null;
}
