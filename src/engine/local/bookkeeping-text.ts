import type { NodeState } from "../../domain/run.ts";
import type { Counts, LiveNode } from "./dag-machine.ts";

/** The files DAGMan 23.9.6 leaves beside a .dag, as text: compared line by line with those of a real pool. */
const STATE_NUMBERS: Record<NodeState, number> = {
  waiting: 0,
  ready: 1,
  pre: 2,
  queued: 3,
  post: 4,
  done: 5,
  failed: 6,
  futile: 7,
};
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

export type EndWord = "success" | "failed" | "aborted" | "removed" | "cycle" | "halted";
export interface StatusFacts {
  readonly dagName: string;
  readonly at: Date;
  /** null: still running. */
  readonly ended: EndWord | null;
  readonly nextUpdate: Date | null;
  readonly counts: Counts;
  readonly nodes: readonly LiveNode[];
  readonly jobs: { readonly idle: number; readonly held: number };
  /** What a queued node waits for, when there is something to say. */
  readonly detailOf: (node: LiveNode) => string;
}

const epoch = (at: Date): number => Math.floor(at.getTime() / 1000);
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (n: number): string => (n < 10 ? `0${n}` : String(n));
const clock = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;

function ctime(at: Date): string {
  const day = String(at.getDate()).padStart(2, " ");
  return `${DAYS[at.getDay()]} ${MONTHS[at.getMonth()]} ${day} ${clock(at)} ${at.getFullYear()}`;
}

const stamped = (at: Date): string => `${epoch(at)}; /* "${ctime(at)}" */`;
export const quoteAd = (text: string): string => `"${text.replace(/["\\]/g, "\\$&").replace(/[\n\r]/g, " ")}"`;

export function renderStatus(facts: StatusFacts): string {
  const cut = facts.ended === "removed" || facts.ended === "aborted";
  const state = (node: LiveNode): NodeState =>
    cut && ["ready", "pre", "queued", "post"].includes(node.state) ? "failed" : node.state;
  const { counts } = facts;
  const cutShort = cut ? counts.ready + counts.pre + counts.queued + counts.post : 0;
  const live = (name: "ready" | "pre" | "queued" | "post"): number => (cut ? 0 : counts[name]);
  const dagState = facts.ended === null ? "queued" : facts.ended === "success" ? "done" : "failed";
  const parts = [
    `[\n  Type = "DagStatus";\n  DagFiles = {\n    ${quoteAd(facts.dagName)}\n  };\n  Timestamp = ${stamped(facts.at)}\n`,
    `  DagStatus = ${STATE_NUMBERS[dagState]}; /* "${STATE_WORDS[dagState]} (${facts.ended ?? ""})" */\n`,
    `  NodesTotal = ${facts.nodes.length};\n  NodesDone = ${counts.done};\n  NodesPre = ${live("pre")};\n`,
    `  NodesQueued = ${live("queued")};\n  NodesPost = ${live("post")};\n  NodesReady = ${live("ready")};\n`,
    `  NodesUnready = ${counts.waiting};\n  NodesFutile = ${counts.futile};\n`,
    `  NodesFailed = ${counts.failed + cutShort};\n  JobProcsHeld = ${facts.jobs.held};\n`,
    `  JobProcsIdle = ${facts.jobs.idle}; /* includes held */\n]\n`,
  ];
  for (const node of facts.nodes) {
    const shown = state(node);
    const detail = shown === node.state ? node.detail || facts.detailOf(node) : `Was ${STATE_WORDS[node.state]}`;
    const queued = shown === "queued" ? 1 : 0;
    parts.push(
      `[\n  Type = "NodeStatus";\n  Node = ${quoteAd(node.spec.name)};\n` +
        `  NodeStatus = ${STATE_NUMBERS[shown]}; /* "${STATE_WORDS[shown]}" */\n` +
        `  StatusDetails = ${quoteAd(detail)};\n  RetryCount = ${node.attempt};\n` +
        `  JobProcsQueued = ${queued};\n  JobProcsHeld = 0;\n]\n`,
    );
  }
  const next = facts.nextUpdate ? stamped(facts.nextUpdate) : '0; /* "none" */';
  parts.push(`[\n  Type = "StatusEnd";\n  EndTime = ${stamped(facts.at)}\n  NextUpdate = ${next}\n]\n`);
  return parts.join("");
}

export interface MetricsFacts {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly exit: number;
  readonly status: number;
  readonly dagmanId: string;
  readonly parentId: string;
  readonly rescueUsed: number;
  readonly nodes: readonly LiveNode[];
}

export function renderMetrics(facts: MetricsFacts): string {
  const tally = { jobs: 0, jobsFailed: 0, jobsDone: 0, dags: 0, dagsFailed: 0, dagsDone: 0 };
  for (const { spec, state } of facts.nodes) {
    const sub = spec.kind === "subdag";
    tally[sub ? "dags" : "jobs"] += 1;
    if (state === "done") tally[sub ? "dagsDone" : "jobsDone"] += 1;
    if (state === "failed") tally[sub ? "dagsFailed" : "jobsFailed"] += 1;
  }
  const seconds = (at: Date): string => (at.getTime() / 1000).toFixed(3);
  const run = tally.jobsDone + tally.jobsFailed + tally.dagsDone + tally.dagsFailed;
  const fields: [string, string | number][] = [
    ["client", '"wms2_local"'],
    ["version", '"23.9.6"'],
    ["type", '"metrics"'],
    ["start_time", seconds(facts.startedAt)],
    ["end_time", seconds(facts.endedAt)],
    ["duration", ((facts.endedAt.getTime() - facts.startedAt.getTime()) / 1000).toFixed(3)],
    ["exitcode", facts.exit],
    ["dagman_id", `"${facts.dagmanId}"`],
    ["parent_dagman_id", `"${facts.parentId}"`],
    ["rescue_dag_number", facts.rescueUsed],
    ["jobs", tally.jobs],
    ["jobs_failed", tally.jobsFailed],
    ["jobs_succeeded", tally.jobsDone],
    ["dag_jobs", tally.dags],
    ["dag_jobs_failed", tally.dagsFailed],
    ["dag_jobs_succeeded", tally.dagsDone],
    ["total_jobs", tally.jobs + tally.dags],
    ["total_jobs_run", run],
    ["DagStatus", facts.status],
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
export function renderDagmanLine(at: Date, words: string): string {
  const day = `${two(at.getMonth() + 1)}/${two(at.getDate())}/${two(at.getFullYear() % 100)}`;
  return `${day} ${clock(at)} ${words}\n`;
}

export const localTime = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock(at)}`;
