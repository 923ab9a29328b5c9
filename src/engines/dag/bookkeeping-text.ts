import type { NodeState } from "../../core/run.ts";
import { NODE_STATES } from "../format/status-file.ts";
import type { DagMachine, DagOutcome, LiveNode } from "./machine.ts";

/** The files DAGMan 23.9.6 leaves beside a .dag, as text: compared line by line with those of a real pool. */
const STATE_WORDS: Record<NodeState, string> = {
  waiting: "STATUS_NOT_READY",
  ready: "STATUS_READY",
  pre: "STATUS_PRERUN",
  queued: "STATUS_SUBMITTED",
  post: "STATUS_POSTRUN",
  done: "STATUS_DONE",
  failed: "STATUS_ERROR",
  futile: "STATUS_FUTILE",
};
const STATE_NUMBERS = new Map(NODE_STATES.map((state, number) => [state, number]));

export interface StatusFacts {
  readonly dagName: string;
  readonly at: Date;
  /** null: still running. */
  readonly ended: DagOutcome["word"] | null;
  readonly nextUpdate: Date | null;
  readonly machine: Pick<DagMachine, "counts" | "nodes">;
  /** Jobs that wait for room. */
  readonly idle: number;
  /** What a queued node waits for, when there is something to say. */
  readonly detailOf: (node: LiveNode) => string;
}

const epoch = (at: Date): number => Math.floor(at.getTime() / 1000);
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
export const two = (n: number): string => (n < 10 ? `0${n}` : String(n));
const clock = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;

function ctime(at: Date): string {
  const day = String(at.getDate()).padStart(2, " ");
  return `${DAYS[at.getDay()]} ${MONTHS[at.getMonth()]} ${day} ${clock(at)} ${at.getFullYear()}`;
}

const stamped = (at: Date): string => `${epoch(at)}; /* "${ctime(at)}" */`;
export const quoteAd = (text: string): string => `"${text.replace(/["\\]/g, "\\$&").replace(/[\n\r]/g, " ")}"`;

/** What a removal or an abort cuts short, and what the file calls it then: an error that says what it was. */
const LIVE: readonly NodeState[] = ["ready", "pre", "queued", "post"];

export function renderStatus(facts: StatusFacts): string {
  const { counts, nodes } = facts.machine;
  const cut = facts.ended === "removed" || facts.ended === "aborted";
  const live = (state: NodeState): number => (cut ? 0 : counts[state]);
  const cutShort = cut ? LIVE.reduce((sum, state) => sum + counts[state], 0) : 0;
  const numbered = (state: NodeState, more = ""): string =>
    `${STATE_NUMBERS.get(state)}; /* "${STATE_WORDS[state]}${more}" */`;
  const dagState = facts.ended === null ? "queued" : facts.ended === "success" ? "done" : "failed";
  const parts = [
    `[\n  Type = "DagStatus";\n  DagFiles = {\n    ${quoteAd(facts.dagName)}\n  };\n  Timestamp = ${stamped(facts.at)}\n`,
    `  DagStatus = ${numbered(dagState, ` (${facts.ended ?? ""})`)}\n`,
    `  NodesTotal = ${nodes.length};\n  NodesDone = ${counts.done};\n  NodesPre = ${live("pre")};\n`,
    `  NodesQueued = ${live("queued")};\n  NodesPost = ${live("post")};\n  NodesReady = ${live("ready")};\n`,
    `  NodesUnready = ${counts.waiting};\n  NodesFutile = ${counts.futile};\n`,
    `  NodesFailed = ${counts.failed + cutShort};\n  JobProcsHeld = 0;\n`,
    `  JobProcsIdle = ${facts.idle}; /* includes held */\n]\n`,
  ];
  for (const node of nodes) {
    const shown = cut && LIVE.includes(node.state) ? "failed" : node.state;
    const detail = shown === node.state ? node.detail || facts.detailOf(node) : `Was ${STATE_WORDS[node.state]}`;
    parts.push(
      `[\n  Type = "NodeStatus";\n  Node = ${quoteAd(node.spec.name)};\n  NodeStatus = ${numbered(shown)}\n` +
        `  StatusDetails = ${quoteAd(detail)};\n  RetryCount = ${node.attempt};\n` +
        `  JobProcsQueued = ${shown === "queued" ? 1 : 0};\n  JobProcsHeld = 0;\n]\n`,
    );
  }
  const next = facts.nextUpdate ? stamped(facts.nextUpdate) : '0; /* "none" */';
  parts.push(`[\n  Type = "StatusEnd";\n  EndTime = ${stamped(facts.at)}\n  NextUpdate = ${next}\n]\n`);
  return parts.join("");
}

interface MetricsFacts {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: DagOutcome;
  readonly dagmanId: number;
  readonly parentId: string;
  readonly rescueUsed: number;
  readonly nodes: readonly LiveNode[];
}

export function renderMetrics(facts: MetricsFacts): string {
  const count = (kind: "job" | "subdag", state?: NodeState): number =>
    facts.nodes.filter((node) => node.spec.kind === kind && (state === undefined || node.state === state)).length;
  const [jobs, jobsFailed, jobsDone] = [count("job"), count("job", "failed"), count("job", "done")];
  const [dags, dagsFailed, dagsDone] = [count("subdag"), count("subdag", "failed"), count("subdag", "done")];
  const [from, to] = [facts.startedAt.getTime() / 1000, facts.endedAt.getTime() / 1000];
  const fields: [string, string | number][] = [
    ["client", '"wms2_local"'],
    ["version", '"23.9.6"'],
    ["type", '"metrics"'],
    ["start_time", from.toFixed(3)],
    ["end_time", to.toFixed(3)],
    ["duration", (to - from).toFixed(3)],
    ["exitcode", facts.outcome.exit],
    ["dagman_id", `"${facts.dagmanId}"`],
    ["parent_dagman_id", `"${facts.parentId}"`],
    ["rescue_dag_number", facts.rescueUsed],
    ["jobs", jobs],
    ["jobs_failed", jobsFailed],
    ["jobs_succeeded", jobsDone],
    ["dag_jobs", dags],
    ["dag_jobs_failed", dagsFailed],
    ["dag_jobs_succeeded", dagsDone],
    ["total_jobs", jobs + dags],
    ["total_jobs_run", jobsDone + jobsFailed + dagsDone + dagsFailed],
    ["DagStatus", facts.outcome.status],
  ];
  return `{\n${fields.map(([key, value]) => `    "${key}":${value}`).join(",\n")}\n}\n`;
}

/** What a resubmission needs: done nodes, and the full retries again (DAGMAN_RESET_RETRIES_UPON_RESCUE). */
export function renderRescue(dagName: string, at: Date, nodes: readonly LiveNode[]): string {
  const done = nodes.filter((node) => node.state === "done").map((node) => node.spec.name);
  const failed = nodes.filter((node) => node.state === "failed").map((node) => node.spec.name);
  const retries = nodes.filter((node) => node.spec.retries > 0);
  const day = `${two(at.getUTCMonth() + 1)}/${two(at.getUTCDate())}/${at.getUTCFullYear()}`;
  const lines = [
    "# Rescue DAG file, created after running",
    `#   the ${dagName} DAG file`,
    `# Created ${day} ${at.toISOString().slice(11, 19)} UTC`,
    "# Rescue DAG version: 2.0.1 (partial)",
    "#",
    `# Total number of Nodes: ${nodes.length}`,
    `# Nodes premarked DONE: ${done.length}`,
    `# Nodes that failed: ${failed.length}`,
    `#   ${failed.map((name) => `${name},`).join("")}<ENDLIST>`,
    "",
    ...done.map((name) => `DONE ${name}`),
    ...retries.map(({ spec }) => {
      const unless = spec.unlessExit === null ? "" : ` UNLESS-EXIT ${spec.unlessExit}`;
      return `RETRY ${spec.name} ${spec.retries}${unless}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

/** Lines of <dag>.dagman.out in DAGMan's manner: observation looks for the banner and for ERROR. */
export function renderDagmanLine(at: Date, text: string): string {
  const day = `${two(at.getMonth() + 1)}/${two(at.getDate())}/${two(at.getFullYear() % 100)}`;
  return `${day} ${clock(at)} ${text}\n`;
}

export const localTime = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock(at)}`;
