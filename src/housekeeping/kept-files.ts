import type { AttemptRecord } from "../recovery/ledger-record.ts";

/**
 * What is left of a submit directory when it is compacted: the plan, the DAG and how it ended; of a unit its ledger, its
 * output and the last states of its nodes; of failed nodes the verdict and the end of the log. That is all the errors,
 * attempts and nodes views read. Manifests, job output, reports, programs and the request's files go. Pure.
 */
export type Fate = "keep" | "trim" | "drop";

export const COMPACTED = "compacted.json";
export const TRIMMED_LOG_BYTES = 8_000;
export const TRIMMED_DAGMAN_BYTES = 256 * 1024;

const TOP_KEPT =
  /^(plan\.json|policy\.json|step_profile\.json|compacted\.json|workflow\.dag(\.(status|metrics|rescue\d+(\..*)?))?)$/;

export function fateOfTop(name: string): Fate {
  if (TOP_KEPT.test(name)) return "keep";
  return name === "workflow.dag.dagman.out" ? "trim" : "drop";
}

export const isUnitDirectory = (name: string): boolean => /^mg_\d{6,}$/.test(name);

/** Nodes whose last word is a failure, and those of them whose logs are worth keeping. */
export interface FailedNodes {
  readonly nodes: ReadonlySet<string>;
  readonly logsOf: ReadonlySet<string>;
  /** Some lines could not be read: no verdict is dropped then. */
  readonly isCertain: boolean;
}

const LOGS_PER_UNIT = 10;

/** Logs of one node per way to fail, the earliest: it is the one the errors view shows. */
export function failedNodes(lines: readonly AttemptRecord[], unreadable: number): FailedNodes {
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
    nodes: new Set(failures.map(({ node }) => node)),
    logsOf: new Set([...logsOf.values()].map(({ node }) => node)),
    isCertain: unreadable === 0,
  };
}

const UNIT_KEPT = /^(ledger\.jsonl|merge_output\.json|run\.abort|group\.dag\.(status|metrics|rescue\d+(\..*)?))$/;

/** The fate of every file of a unit's directory, by name. */
export function fatesInUnit(names: readonly string[], failed: FailedNodes): ReadonlyMap<string, Fate> {
  const logs = newestLogs(names, failed.logsOf);
  const hasStatus = names.includes("group.dag.status");
  const fate = (name: string): Fate => {
    if (UNIT_KEPT.test(name)) return "keep";
    if (name === "group.dag") return hasStatus ? "drop" : "keep"; // the only list of its nodes
    if (name.endsWith(".post.json"))
      return !failed.isCertain || failed.nodes.has(name.slice(0, -".post.json".length)) ? "keep" : "drop";
    return logs.has(name) ? "trim" : "drop";
  };
  return new Map(names.map((name) => [name, fate(name)]));
}

/** <node>.<cluster>.err with the highest cluster, of these nodes. */
function newestLogs(names: readonly string[], nodes: ReadonlySet<string>): ReadonlySet<string> {
  const newest = new Map<string, { name: string; cluster: number }>();
  for (const name of names) {
    const [, node = "", digits = ""] = /^(.+)\.(\d+)\.err$/.exec(name) ?? [];
    if (!nodes.has(node)) continue;
    const cluster = Number(digits);
    if (cluster > (newest.get(node)?.cluster ?? -1)) newest.set(node, { name, cluster });
  }
  return new Set([...newest.values()].map(({ name }) => name));
}
