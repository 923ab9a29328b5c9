import { replaceFile } from "../../core/disk/atomic-file.ts";
import type { Run } from "../../core/run.ts";
import { readTail } from "../../submit-dir/disk/disk-steps.ts";
import { parseEvents } from "../../submit-dir/event-log.ts";
import { besideDag, TOP } from "../../submit-dir/names.ts";
import { parseDagmanOut } from "../format/dagman-out.ts";
import { modifiedAt, readText } from "../observe/files.ts";

/** What a submission leaves in the submit directory (23.9.6), for the questions the queue cannot answer. */
type Beside = Parameters<typeof besideDag>[1];
const fileOf = (run: Run, kind: Beside): string => `${run.submitDir}/${besideDag(TOP.dag, kind)}`;

/**
 * The cluster this batch name was submitted as, by the files: for a run that came and went before anybody wrote its id down. The
 * .condor.sub is written just before the submission and names the batch; the schedd appends to dagman.log just after, so a log that
 * is older than the .condor.sub belongs to the run before.
 */
export async function submittedAs(run: Run): Promise<string | null> {
  const submitFile = fileOf(run, "submit");
  const text = await readText(submitFile);
  if (/^\s*(?:My\.|\+)JobBatchName\s*=\s*"(.*)"/im.exec(text ?? "")?.[1] !== run.batchName) return null;
  const log = fileOf(run, "log");
  const [before, after] = [await modifiedAt(submitFile), await modifiedAt(log)];
  if (before === null || after === null || after < before) return null;
  const last = parseEvents(await readTail(log, 64 * 1024)).findLast((event) => event.kind === "submit");
  return last ? String(last.cluster) : null;
}

const QUIET_SEC = 600;
const YOUNG_SEC = 30;

/**
 * Nothing in the queue and no word on how it ended: lost, or only not yet written down? A young submission, or a lock
 * whose DAGMan wrote to its log lately, may still come back (a schedd that is starting again, a slow file system).
 */
export async function isLost(run: Run, nowMs: number): Promise<boolean> {
  const file = (kind: Beside): Promise<number | null> => modifiedAt(fileOf(run, kind));
  const submitted = await file("submit");
  if (submitted !== null && nowMs - submitted < YOUNG_SEC * 1000) return false;
  if ((await file("lock")) === null) return true;
  return nowMs - ((await file("out")) ?? 0) > QUIET_SEC * 1000;
}

/** A DAGMan that waits reports to its log every ten minutes. */
const SILENT_SEC = 1800;

/** Nobody has written to the run's files for so long that its DAGMan cannot be alive, wherever it was. */
export async function isSilent(run: Run, nowMs: number): Promise<boolean> {
  const times = (["submit", "out"] as const).map((kind) => modifiedAt(fileOf(run, kind)));
  return nowMs - Math.max(...(await Promise.all(times)).map((at) => at ?? 0)) > SILENT_SEC * 1000;
}

/** DAGMan has read its DAG and would write a rescue file if it were removed now. */
export async function hasBegun(run: Run): Promise<boolean> {
  const tail = await readTail(fileOf(run, "out"), 256 * 1024);
  const start = tail.lastIndexOf("STARTING UP");
  return start >= 0 && tail.indexOf("Bootstrapping", start) >= 0 && parseDagmanOut(tail).exitStatus === null;
}

/**
 * Which schedd a run was handed to, kept beside its DAG as one line, "<batch name> <schedd>". A server that was moved
 * to another submit host asks another queue, and there an absent run means nothing: it may go on where it was submitted.
 */
const submitHostFile = (run: Run): string => `${run.submitDir}/${TOP.submitHost}`;

/** Before the submission: should we die in between, the next server still knows where to look. */
export const noteSubmitHost = (run: Run, schedd: string): Promise<void> =>
  replaceFile(submitHostFile(run), `${run.batchName} ${schedd}\n`);

/** null: not known, or the note is about an earlier run in this directory. */
export async function submitHostOf(run: Run): Promise<string | null> {
  const [batchName, schedd] = ((await readText(submitHostFile(run))) ?? "").trim().split(" ");
  return batchName === run.batchName ? (schedd ?? null) : null;
}
