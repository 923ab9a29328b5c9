import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../core/base/result.ts";
import { readIfThereSync } from "../../core/disk/read-if-there.ts";
import { TOP } from "../../submit-dir/names.ts";
import { replace } from "../dag/dag-files.ts";
import type { Submission } from "../dag/registry.ts";
import type { SubmitOutcome } from "../port.ts";

/**
 * The newest ticket wins, as payload/submit-host/submit has it for DAGMan and in the same file of the submit directory:
 * one line, "TICKET BATCH STATE" (open, begun, or the id it was given). Only the engine's process calls this, one call
 * after the other, so there is nothing to lock.
 */
const fileIn = (submitDir: string): string => join(submitDir, TOP.submission);

function kept(submitDir: string): { ticket: number; batchName: string; state: string } {
  const [ticket = "", batchName = "", state = ""] = (readIfThereSync(fileIn(submitDir)) ?? "").trim().split(" ");
  return { ticket: Number(ticket) || 0, batchName, state };
}

const LATER = "a later submission of its directory has begun";

/** Closes the directory to older tickets. Words: this is the older one. */
export function fence(submitDir: string, batchName: string, ticket: number): string | null {
  const now = kept(submitDir);
  if (now.ticket > ticket) return LATER;
  const isReceipt = now.batchName === batchName && /^\d+$/.test(now.state);
  if (!isReceipt && existsSync(submitDir)) replace(fileIn(submitDir), `${ticket} ${batchName} open\n`);
  return null;
}

interface Runs {
  submit(submission: Submission): Result<number, string>;
  find(batchName: string): number | null;
}

/** Begins a run once per ticket. Asked again, for the answer may have been lost, it tells the same. */
export function submitOnce(runs: Runs, submission: Submission, ticket: number): SubmitOutcome {
  const { submitDir, batchName } = submission;
  const keep = (state: string | number) => replace(fileIn(submitDir), `${ticket} ${batchName} ${state}\n`);
  const submitted = (id: number) => ({ kind: "submitted", engineId: String(id), adopted: false }) as const;
  if (!existsSync(submitDir)) return { kind: "rejected", text: `${submitDir} does not exist` };
  const now = kept(submitDir);
  const isMine = now.ticket === ticket && now.batchName === batchName;
  const given = isMine ? (runs.find(batchName) ?? (Number(now.state) || null)) : null;
  if (given !== null) return submitted(given);
  if (!isMine || now.state !== "open") return { kind: "unclear", why: `${LATER}, or this one was made before` };
  keep("begun");
  const result = runs.submit(submission);
  if (!result.ok) return { kind: "rejected", text: result.error };
  keep(result.value);
  return submitted(result.value);
}
