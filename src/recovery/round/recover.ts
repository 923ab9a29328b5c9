import { err, ok, type Result } from "../../core/base/result.ts";
import { listed, plural, quoted } from "../../core/base/text.ts";
import type { NodeAction, NodeChanges } from "../../core/operator.ts";
import { type MemoryLimits, mostMemoryMb } from "../../core/plan.ts";
import type { Problem } from "../../core/problem.ts";
import { RECOVERY_ACTIONS, type RecoverWanted, type RecoveryAction } from "../../core/recover.ts";
import type { Cause } from "../attempt.ts";
import { boosted } from "../budgets.ts";
import type { AttemptRecord } from "../ledger-record.ts";
import { compare } from "./counts.ts";

/**
 * Recovery that needs no judgement: a job that ran out of memory gets more, one that ran out of time gets longer, one
 * whose host was lost runs again. It goes by the causes the ledger recorded; every other failure is left alone, with
 * what to do about it. Nothing is ever lowered, and nothing goes above the limits of the installation.
 */
export interface FailedNode {
  readonly unit: string;
  readonly node: string;
  /** Its last word, and that was final. */
  readonly record: AttemptRecord;
  /** What a person said of it, where no rule knew it; the record reads so. */
  readonly said?: NodeAction;
}

export interface RecoverFacts {
  /** Of the request, for what people are told to type. */
  readonly name: string;
  readonly nodes: readonly FailedNode[];
  readonly limits: MemoryLimits & { readonly maxWallMinutes: number };
  /** Of a job whose ledger does not say how many it has. */
  readonly cores: number;
  /** A corrected request goes on as its next version, which keeps what is done. */
  readonly nextVersionKeeps?: boolean;
}

interface NodeRecovery {
  readonly unit: string;
  readonly node: string;
  /** What the person called a job of a graph. */
  readonly job?: string | null;
  readonly cause: Cause | null;
  readonly exitCode: number;
  readonly action: RecoveryAction;
  /** What it had of what it lacked; null: it lacked nothing, or nobody knows. */
  readonly hadMemoryMb: number | null;
  readonly hadWallMinutes: number | null;
  readonly changes: NodeChanges;
  readonly reason: string;
}

export interface Recovery {
  /** Those to be run again first, then by place. */
  readonly nodes: readonly NodeRecovery[];
  readonly counts: Readonly<Record<RecoveryAction, number>>;
  /** "unit/node" → what it gets; empty: nothing is to be done. */
  readonly rerun: ReadonlyMap<string, NodeChanges>;
  readonly reason: string;
}

export const placeOf = ({ unit, node }: { unit: string; node: string }): string => `${unit}/${node}`;

export function decideRecovery(facts: RecoverFacts, wanted: RecoverWanted): Result<Recovery, readonly Problem[]> {
  const chosen = choose(facts.nodes, wanted.only);
  if (!chosen.ok) return chosen;
  const nodes = chosen.value
    .map((node) => decideNode(node, facts, wanted))
    .sort((a, b) => order(a) - order(b) || compare(placeOf(a), placeOf(b)));
  const counts = { raise: 0, again: 0, ceiling: 0, unknown: 0 };
  for (const { action } of nodes) counts[action] += 1;
  const rerun = new Map(nodes.filter(isRerun).map((node) => [placeOf(node), node.changes]));
  return ok({ nodes, counts, rerun, reason: summary(nodes, counts) });
}

const order = ({ action }: NodeRecovery): number => RECOVERY_ACTIONS.indexOf(action);
const isRerun = ({ action }: NodeRecovery): boolean => action === "raise" || action === "again";

/** A name that fits no failed job is a mistake: nothing is done for the others either. */
function choose(
  nodes: readonly FailedNode[],
  only: readonly string[] | null,
): Result<readonly FailedNode[], readonly Problem[]> {
  if (only === null) return ok(nodes);
  const names = new Set(only.map((name) => name.replace(":", "/")));
  const known = new Set(nodes.flatMap((one) => [one.unit, one.node, placeOf(one)]));
  const problems = [...names].flatMap((name, at): Problem[] =>
    known.has(name) ? [] : [{ path: `only[${at}]`, message: `${name.slice(0, 200)} has not failed`, allowed: null }],
  );
  if (problems.length > 0) return err(problems);
  return ok(nodes.filter((one) => names.has(one.unit) || names.has(one.node) || names.has(placeOf(one))));
}

function decideNode(failed: FailedNode, facts: RecoverFacts, wanted: RecoverWanted): NodeRecovery {
  const { record } = failed;
  switch (record.decision === "unclassified" ? null : record.cause) {
    case "oom":
      return raiseMemory(failed, facts, wanted);
    case "walltime":
      return raiseTime(failed, facts, wanted);
    case "node_lost":
    case "evicted":
      return said(failed, "again", `its host was lost${record.host ? ` (${record.host})` : ""}: nothing it did`);
    default:
      return said(failed, "unknown", advice(record, facts));
  }
}

function raiseMemory(failed: FailedNode, { limits, cores }: RecoverFacts, wanted: RecoverWanted): NodeRecovery {
  const { memoryMb: had, nextMemoryMb, peakMemoryMb: peak, cores: own } = failed.record;
  const installed = mostMemoryMb(limits, own ?? cores);
  const cap = Math.min(installed, wanted.maxMemoryMb ?? installed);
  // Killed while it grew: what it was seen to use is the least it needs.
  const grown = peak === null ? null : Math.ceil(peak * wanted.memoryFactor);
  const gets = raised(had, [nextMemoryMb, grown], wanted.memoryFactor, cap);
  const used = peak === null ? "" : `, used ${peak} MB`;
  const most = cap < installed ? `${cap} MB as asked` : `${cap} MB (${own ?? cores} × ${limits.maxMemoryPerCoreMb} MB)`;
  if (gets === null)
    return said(
      failed,
      "ceiling",
      `out of memory with ${had ?? "an unknown number of"} MB${used}; the most is ${most}`,
      { hadMemoryMb: had },
    );
  const changes = { memoryMb: gets };
  return said(failed, "raise", `out of memory${used}: ${had} → ${gets} MB`, { hadMemoryMb: had, changes });
}

function raiseTime(failed: FailedNode, { limits }: RecoverFacts, wanted: RecoverWanted): NodeRecovery {
  const { wallMinutes: had, nextWallMinutes } = failed.record;
  const cap = Math.min(limits.maxWallMinutes, wanted.maxWallMinutes ?? limits.maxWallMinutes);
  const gets = raised(had, [nextWallMinutes], wanted.timeFactor, cap);
  if (gets === null)
    return said(failed, "ceiling", `out of time after ${had ?? "unknown"} min; the most is ${cap} min`, {
      hadWallMinutes: had,
    });
  const changes = { wallMinutes: gets };
  return said(failed, "raise", `out of time: ${had} → ${gets} min`, { hadWallMinutes: had, changes });
}

/** More than it had, at least what its next try was promised; null: it has as much as may be. */
function raised(had: number | null, atLeast: readonly (number | null)[], factor: number, cap: number): number | null {
  if (had === null || had >= cap) return null;
  const { next } = boosted(had, [], Math.max(factor, 1 + 1e-9), cap);
  return Math.ceil(Math.min(cap, Math.max(next ?? had, ...atLeast.map((one) => one ?? 0))));
}

const said = (
  { unit, node, record: { cause, exitCode } }: FailedNode,
  action: RecoveryAction,
  reason: string,
  more: Partial<Pick<NodeRecovery, "hadMemoryMb" | "hadWallMinutes" | "changes">> = {},
): NodeRecovery => ({
  unit,
  node,
  cause,
  exitCode,
  action,
  hadMemoryMb: null,
  hadWallMinutes: null,
  changes: {},
  reason,
  ...more,
});

/** What a person does about a failure that more of something does not help. */
function advice(
  { decision, cause, exitCode, category, badFiles }: AttemptRecord,
  { name, nextVersionKeeps }: RecoverFacts,
): string {
  const what = cause === null || cause === "exit" ? `exit ${exitCode}` : `${cause} (exit ${exitCode})`;
  if (decision === "unclassified") return `${what}: no rule knows it; say what it means: wms2 groups ${name}`;
  if (badFiles.length > 0)
    return `${what}: bad input (${listed(badFiles, 1)}); wms2 release ${name} --exclude ${quoted(badFiles[0]!)} --reason TEXT leaves it out`;
  if (category === "permanent")
    return `${what}: a retry changes nothing; correct it with wms2 ${nextVersionKeeps ? "restart" : "release"} ${name} --from FILE --reason TEXT`;
  return `${what}: wms2 resubmit ${name} --failed --reason TEXT runs it again as it is`;
}

function summary(nodes: readonly NodeRecovery[], { again, ceiling, unknown }: Recovery["counts"]): string {
  const memory = nodes.filter(({ changes }) => changes.memoryMb !== undefined).length;
  const time = nodes.filter(({ changes }) => changes.wallMinutes !== undefined).length;
  const done = [
    ...(memory > 0 ? [`${plural(memory, "job")} with more memory`] : []),
    ...(time > 0 ? [`${plural(time, "job")} with more time`] : []),
    ...(again > 0 ? [`${plural(again, "job")} whose host was lost`] : []),
  ];
  const left = [
    ...(ceiling > 0 ? [`${ceiling} at the ceiling`] : []),
    ...(unknown > 0 ? [`${unknown} for other reasons`] : []),
  ];
  const rest = left.length > 0 ? `; left alone: ${left.join(", ")}` : "";
  if (done.length > 0) return `recovered: ${done.join(", ")}${rest}`;
  return nodes.length === 0 ? "nothing to recover: no job has failed" : `nothing to recover${rest}`;
}
