import { toEnd } from "../../core/base/slices.ts";
import type { NodeState } from "../../core/run.ts";

/**
 * The file behind NODE_STATUS_FILE (HTCondor 23.9.6): one DagStatus ad, one NodeStatus ad per node, one
 * StatusEnd ad. DAGMan writes a temporary file and renames it, so a file without StatusEnd was cut by
 * somebody else (a full disk, a copy): it is `complete: false` and must not be believed.
 */
export interface StatusFile {
  readonly timestamp: number;
  readonly nodes: readonly StatusNode[];
  /** 0: this is the last one of the run. */
  readonly nextUpdate: number;
  readonly complete: boolean;
}
export interface StatusNode {
  readonly name: string;
  readonly state: NodeState;
  readonly detail: string;
  readonly retries: number;
  readonly held: number;
}

/** By their numbers in the file. */
export const NODE_STATES: readonly NodeState[] = [
  "waiting",
  "ready",
  "pre",
  "queued",
  "post",
  "done",
  "failed",
  "futile",
];

/**
 * After condor_rm every node that was in the queue, in a script or ready is written as ERROR with these words (23.9.6).
 * It did not fail: it had no chance to.
 */
export const wasCutShort = (node: StatusNode): boolean =>
  node.state === "failed" && node.detail.startsWith("Was STATUS_");

/** In the queue without a place to run: DAGMan says "idle"; the local engine adds why, where time alone will not help. */
export const isIdle = (node: StatusNode): boolean =>
  node.state === "queued" && node.held === 0 && /^idle\b/.test(node.detail);

/** `]`, or `Key = "text"` or `Key = 123`, perhaps after a `[`. */
const LINE = /\s*(?:(\])|(\[\s*)?(\w+)\s*=\s*(?:"((?:[^"\\\n]|\\.)*)"|(\d+)))/y;
const NOTHING = {
  type: "",
  node: "",
  detail: "",
  status: 0,
  retries: 0,
  held: 0,
  total: 0,
  timestamp: 0,
  nextUpdate: 0,
};

export const parseStatusFile = (text: string): StatusFile => toEnd(parseStatusInSlices(text));

/** The files are rewritten all the time and grow with the DAG (17 MB for 100,000 nodes): one pass, line by line, with pauses. */
export function* parseStatusInSlices(text: string): Generator<undefined, StatusFile> {
  const nodes: StatusNode[] = [];
  let [timestamp, nextUpdate, total, ended] = [0, 0, -1, false];
  let ad = { ...NOTHING };
  for (let at = 0; at < text.length; ) {
    LINE.lastIndex = at;
    const line = LINE.exec(text);
    const lineEnd = text.indexOf("\n", line ? LINE.lastIndex : at);
    at = lineEnd < 0 ? text.length : lineEnd + 1;
    if (!line) continue;
    const [, close, open, key, words = "", digits] = line;
    if (close !== undefined) {
      if (nodes.length % 500 === 0) yield;
      if (ad.type === "NodeStatus") nodes.push(nodeOf(ad));
      else if (ad.type === "DagStatus") [timestamp, total] = [ad.timestamp, ad.total];
      else if (ad.type === "StatusEnd") [nextUpdate, ended] = [ad.nextUpdate, true];
    }
    if (close !== undefined || open !== undefined) ad = { ...NOTHING };
    if (key === "Type") ad.type = words;
    else if (key === "Node") ad.node = unescaped(words);
    else if (key === "StatusDetails") ad.detail = unescaped(words);
    else if (key === "NodeStatus") ad.status = Number(digits);
    else if (key === "RetryCount") ad.retries = Number(digits);
    else if (key === "JobProcsHeld") ad.held = Number(digits);
    else if (key === "NodesTotal") ad.total = Number(digits);
    else if (key === "Timestamp") ad.timestamp = Number(digits);
    else if (key === "NextUpdate") ad.nextUpdate = Number(digits);
  }
  return { timestamp, nodes, nextUpdate, complete: ended && nodes.length === total };
}

const unescaped = (raw: string): string => (raw.includes("\\") ? raw.replace(/\\(.)/g, "$1") : raw);

const nodeOf = (ad: typeof NOTHING): StatusNode => ({
  name: ad.node,
  state: NODE_STATES[ad.status] ?? "waiting",
  detail: ad.detail,
  retries: ad.retries,
  held: ad.held,
});
