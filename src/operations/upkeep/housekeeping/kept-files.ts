import type { AttemptRecord } from "../../../recovery/ledger-record.ts";
import { besideDag, newestStderr, nodeNamedIn, TOP, UNIT } from "../../../submit-dir/names.ts";

/**
 * What is left of a submit directory when it is compacted: the plan, the DAG and how it ended; of a unit its ledger, its
 * output and the last states of its nodes; of failed nodes the verdict and the end of the log. That is all the errors,
 * attempts and nodes views read. Manifests, job output, reports, programs and the request's files go. Pure.
 */
type Fate = "keep" | "trim" | "drop";

export const TRIMMED_LOG_BYTES = 8_000;
export const TRIMMED_DAGMAN_BYTES = 256 * 1024;

const TOP_KEPT: readonly string[] = [TOP.plan, TOP.policy, TOP.stepProfile, TOP.compacted, TOP.dag, TOP.ended];
const UNIT_KEPT: readonly string[] = [UNIT.ledger, UNIT.mergeOutput, UNIT.abort];

/** How the DAG ended, and what a resubmission would have gone on from. */
const isEnd = (dag: string, name: string): boolean =>
  [besideDag(dag, "status"), besideDag(dag, "metrics")].includes(name) || name.startsWith(besideDag(dag, "rescue"));

export function fateOfTop(name: string): Fate {
  if (TOP_KEPT.includes(name) || isEnd(TOP.dag, name)) return "keep";
  return name === besideDag(TOP.dag, "out") ? "trim" : "drop";
}

const LOGS_PER_UNIT = 10;

/** Logs of one node per way to fail, the earliest: it is the one the errors view shows. */
export function failedNodes(lines: readonly AttemptRecord[], unreadable: number) {
  const last = new Map<string, AttemptRecord>();
  for (const line of lines) last.set(line.node, line);
  const failures = [...last.values()].filter(({ decision }) => decision !== "done");
  const logsOf = new Map<string, AttemptRecord>();
  for (const line of failures) {
    const way = `${line.exitCode} ${line.cause} ${line.rule} ${line.category}`;
    const known = logsOf.get(way);
    if (known ? line.at < known.at || (line.at === known.at && line.node < known.node) : logsOf.size < LOGS_PER_UNIT)
      logsOf.set(way, line);
  }
  return {
    /** Nodes whose last word is a failure, and those of them whose logs are worth keeping. */
    nodes: new Set(failures.map(({ node }) => node)),
    logsOf: new Set([...logsOf.values()].map(({ node }) => node)),
    /** false: some lines could not be read, so no verdict is dropped. */
    isCertain: unreadable === 0,
  };
}

/** The fate of every file of a unit's directory, by name. */
export function fatesInUnit(
  names: readonly string[],
  failed: ReturnType<typeof failedNodes>,
  isShared = false,
): ReadonlyMap<string, Fate> {
  const logs = newestStderr(names, (node) => failed.logsOf.has(node));
  const hasStatus = names.includes(besideDag(UNIT.dag, "status"));
  const fate = (name: string): Fate => {
    if (UNIT_KEPT.includes(name) || isEnd(UNIT.dag, name)) return "keep";
    if (name === UNIT.manifest && isShared) return "keep"; // what people call its jobs
    if (name === UNIT.dag) return hasStatus ? "drop" : "keep"; // the only list of its nodes
    const node = nodeNamedIn(name, "post");
    if (node !== null) return !failed.isCertain || failed.nodes.has(node) ? "keep" : "drop";
    return logs.includes(name) ? "trim" : "drop";
  };
  return new Map(names.map((name) => [name, fate(name)]));
}
