import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseJson } from "../../core/base/json.ts";
import { jobIndex } from "../../core/names.ts";
import { type Attempt, NO_ATTEMPT } from "../../recovery/attempt.ts";
import { countAttempts } from "../../recovery/budgets.ts";
import { decideAttempt } from "../../recovery/decide.ts";
import { CONTROL_CODES, type Decision, decideGroup } from "../../recovery/decision.ts";
import { type AttemptRecord, NO_RECORD } from "../../recovery/ledger-record.ts";
import { builtinPolicy, type Policy } from "../../recovery/policy.ts";
import { readPolicy } from "../../recovery/read-policy.ts";
import { attemptRecord, ledgerText, postJson } from "../../recovery/records.ts";
import { CODES } from "../codes.ts";
import { endedLine } from "../ended-list.ts";
import { jobsIn } from "../jobs.ts";
import { reasonText } from "../markers.ts";
import { attemptFile, nodeFile, TOP, UNIT } from "../names.ts";
import { postJsonText, verdictIn } from "../post-json.ts";
import { append, PostTrouble, readIfThere, replace } from "./disk.ts";
import { applyRecord } from "./effects.ts";
import { lockGroup } from "./group-lock.ts";
import { appendLine, ledgerForNode, type NodeLedger, readLedger, sameAttempt } from "./ledger-file.ts";
import { observe, type PostArguments, readArguments } from "./observe.ts";
import { runScript } from "./recovery-script.ts";

/**
 * A failed attempt: gathered, decided by the pure brain, carried out. The line in the ledger is the decision; all else
 * follows from it and is made again when a killed POST is run a second time, which finds its line and decides nothing.
 * Returns the control code for DAGMan.
 */
export async function post(dir: string, argv: readonly string[], now: Date): Promise<number> {
  const args = readArguments(argv);
  try {
    return await check(dir, args, now);
  } catch (error) {
    return tellTrouble(dir, args, error, now);
  }
}

async function check(dir: string, args: PostArguments, now: Date): Promise<number> {
  const attempt = observe(dir, args);
  const policy = loadPolicy(join(dir, "..", TOP.policy));
  const release = lockGroup(dir);
  let record: AttemptRecord;
  let ledger: NodeLedger;
  let decision: Decision;
  try {
    ledger = readLedger(dir, args);
    const { told } = ledger;
    decision = told ? decide(attempt, ledger, policy, new Date(told.at)) : decide(attempt, ledger, policy, now);
    record = told ?? attemptRecord(attempt, decision, now);
    if (!told) appendLine(dir, ledgerText(record));
    applyRecord(dir, record, !policy.policy.settings.siteAffinity);
    if (!told || !isWritten(dir, record)) writePostJson(dir, attempt, decision, record, ledger);
  } finally {
    release();
  }
  for (const { line, kind, message } of ledger.problems)
    process.stderr.write(`${UNIT.ledger} line ${line}: ${kind}: ${message}\n`);
  const script = record.decision === "retry" ? decision.recoveryScript : null;
  if (script !== null && !ledger.scriptRan) {
    if (!args.mayRunScript) return CODES.script;
    await runScript(dir, script, record, policy.policy.settings.scriptTimeoutSec);
  }
  return isSoftEnd(dir, record) ? endSoftly(dir, record) : controlCodeOf(record);
}

const controlCodeOf = ({ decision }: AttemptRecord) => CONTROL_CODES[decision === "done" ? "succeed" : decision];

/** The last word on a job whose end others wait for, however it comes: DAGMan would never let them begin. */
function isSoftEnd(dir: string, { node, decision, retry, maxRetries }: AttemptRecord): boolean {
  const isEnd = decision === "stop" || decision === "unclassified" || (decision === "retry" && retry >= maxRetries);
  if (!isEnd || jobIndex(node) === null) return false;
  return jobsIn(readIfThere(join(dir, UNIT.manifest)) ?? "", node).get(node)?.soft === true;
}

function endSoftly(dir: string, { node }: AttemptRecord): number {
  const line = endedLine(basename(dir), node);
  const path = join(dir, "..", TOP.ended);
  if (!(readIfThere(path) ?? "").includes(line)) append(path, line);
  return CODES.done;
}

interface LoadedPolicy {
  readonly policy: Policy;
  /** Why the request's policy cannot be used. */
  readonly fault: string | null;
}

function loadPolicy(path: string): LoadedPolicy {
  const text = readIfThere(path);
  if (text === null) return { policy: builtinPolicy(), fault: `${path} is missing` };
  const json = parseJson(text);
  if (!json.ok) return { policy: builtinPolicy(), fault: `${path} is no JSON: ${json.error}` };
  const read = readPolicy(json.value, "installation");
  if (read.ok) return { policy: read.value, fault: null };
  const [first] = read.error;
  return { policy: builtinPolicy(), fault: `${path}: ${first?.path}: ${first?.message}` };
}

/** Without the request's policy nothing is tried again: its rules may forbid it. The built-in rows only say what it was. */
function decide(attempt: Attempt, ledger: NodeLedger, { policy, fault }: LoadedPolicy, now: Date): Decision {
  const decision = decideAttempt(attempt, ledger.history, policy, now);
  if (fault === null || decision.decision === "succeed")
    return decideGroup(decision, ledger.group, policy.settings.abortAfterAlike);
  const reason = `${decision.reason.split("; ")[0]}; no more retries: the retry policy cannot be used (${fault})`;
  return { ...decision, decision: "stop", why: "no-policy", final: true, delaySec: 0, notBefore: null, reason };
}

function isWritten(dir: string, record: AttemptRecord): boolean {
  const verdict = verdictIn(readIfThere(join(dir, nodeFile(record.node, "post"))));
  return verdict?.cluster === record.cluster && verdict?.at === record.at;
}

function writePostJson(
  dir: string,
  attempt: Attempt,
  decision: Decision,
  record: AttemptRecord,
  { problems }: NodeLedger,
): void {
  const document = postJson(attempt, decision, record);
  const noted = problems.length > 0 ? { ...document, ledger_problems: problems } : document;
  replace(join(dir, nodeFile(attempt.node, "post")), postJsonText(noted));
}

const LONGEST_TRY_MS = 3_600_000;

/** Said where a person looks: the ledger, DAGMan's .lib.err, and the node's post.json, as far as they can still be written. */
function tellTrouble(dir: string, args: PostArguments, error: unknown, now: Date): number {
  const message = error instanceof PostTrouble ? error.message : `bug: ${(error as Error)?.stack ?? error}`;
  process.stderr.write(`post ${args.node} ${args.cluster ?? -1}: ${message}\n`);
  if (error instanceof PostTrouble && error.kind === "again" && isRecent(dir, args, now)) {
    leave(dir, args.node, "trouble", reasonText(message));
    return CODES.defer;
  }
  const failed = `the attempt could not be checked: ${message.split("\n")[0]}`;
  const unwritten = noteStop(dir, args, failed, now);
  const reason = unwritten === null ? failed : `${failed}; it is not on the ledger: ${unwritten}`;
  const document = {
    node_name: args.node,
    timestamp: now.toISOString(),
    attempt: args.retry + 1,
    max_retries: args.maxRetries,
    final: true,
    job: { exit_code: args.returned },
    classification: { category: null, retryable: false, bad_input_files: [], action: "post_failed", reason },
    error: message,
  };
  leave(dir, args.node, "post", postJsonText(document));
  leave(dir, args.node, "stopped", reasonText(reason));
  return CODES.stop;
}

/** Once, by what can be read of the ledger: the attempt itself, or that its verdict was not carried out. Words: why it could not be. */
function noteStop(dir: string, args: PostArguments, reason: string, now: Date): string | null {
  const { node, cluster, retry, maxRetries, returned } = args;
  const [at, id] = [now.toISOString(), cluster ?? -1];
  try {
    const text = readIfThere(join(dir, UNIT.ledger)) ?? "";
    const { history } = ledgerForNode(text, node);
    const attempt = { ...NO_ATTEMPT, node, cluster, dagRetry: retry };
    const { rrn, epoch } = countAttempts(attempt, false, history);
    const stop = { decision: "stop", why: "not-checked", category: "infrastructure", reason } as const;
    const counts = { retry, maxRetries, return: returned, rrn, epoch, exitCode: returned };
    const told = sameAttempt(history, args);
    const isNoted = text.includes(`"event":"stopped","node":${JSON.stringify(node)},"cluster":${id},`);
    if (!told) appendLine(dir, ledgerText({ ...NO_RECORD, at, node, cluster: id, ...counts, ...stop }));
    else if (told.decision === "retry" && !isNoted)
      appendLine(dir, `${JSON.stringify({ event: "stopped", node, cluster: id, at, reason })}\n`);
    return null;
  } catch (problem) {
    return (problem as Error).message;
  }
}

/** If it can be: on a full disk the message on stderr has to do. */
function leave(dir: string, node: string, kind: Parameters<typeof nodeFile>[1], text: string): void {
  try {
    replace(join(dir, nodeFile(node, kind)), text);
  } catch (problem) {
    process.stderr.write(`${(problem as Error).message}\n`);
  }
}

/** A full disk may be emptied: POST is called again for an hour after the job's end, then it gives up. */
function isRecent(dir: string, { node, cluster }: PostArguments, now: Date): boolean {
  const left = statSync(join(dir, attemptFile(node, cluster ?? -1, "err")), { throwIfNoEntry: false });
  return left !== undefined && now.getTime() - left.mtimeMs < LONGEST_TRY_MS;
}
