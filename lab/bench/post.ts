import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Attempt, NO_ATTEMPT, NO_REPORT, type Report } from "../../src/recovery/attempt.ts";
import { decideAttempt } from "../../src/recovery/decide.ts";
import { type AttemptRecord, NO_HISTORY } from "../../src/recovery/ledger-record.ts";
import { builtinPolicy } from "../../src/recovery/policy.ts";
import { attemptRecord } from "../../src/recovery/records.ts";
import { PAYLOAD_FILES } from "../../src/submit-dir/payload/files.ts";
import { inOwnDirectory } from "./measure.ts";

/**
 * POST as DAGMan starts it, in a unit alone and in one with a hundred siblings that all failed; and the brain without
 * a process around it. Each number is the lower quartile of calls made in turn with the others: a busy moment of the
 * machine hits all of them, and what is left is what the call itself takes.
 */
export const run = () =>
  inOwnDirectory("post", (root) => {
    layOut(root);
    const alone = makeUnit(root, "mg_000000", 0);
    const crowded = makeUnit(root, "mg_000001", 100);
    const times = { node: [] as number[], success: [] as number[], alone: [] as number[], crowded: [] as number[] };
    for (let turn = 0; turn < TURNS; turn++) {
      const cluster = 5000 + turn;
      for (const unit of [alone, crowded]) leaveAttempt(unit, cluster);
      times.node.push(timed(process.execPath, ["-e", "0"], root, 0));
      times.success.push(timed("../bin/post", ["proc_000000", "0", "0", "3", String(cluster)], alone, 0));
      times.alone.push(timed("../bin/post", ["proc_000001", "1", "0", "3", String(cluster)], alone, 1));
      times.crowded.push(timed("../bin/post", ["proc_000001", "1", "0", "3", String(cluster)], crowded, 1));
    }
    return {
      successMs: quartile(times.success),
      failureMs: quartile(times.alone),
      nodeStartMs: quartile(times.node),
      failureMsWith100Siblings: quartile(times.crowded),
      decisionsPerSecond: decisionsPerSecond(),
    };
  });

const TURNS = 40;

function layOut(root: string): void {
  for (const { source, target, executable } of PAYLOAD_FILES.filter(({ target }) => target.startsWith("bin/"))) {
    mkdirSync(dirname(join(root, target)), { recursive: true });
    copyFileSync(source, join(root, target));
    chmodSync(join(root, target), executable ? 0o755 : 0o644);
  }
  const usual = { cores: 1, memoryMb: 2000, diskMb: 1000, wallMinutes: 480, gpus: 0 };
  writeFileSync(join(root, "plan.json"), JSON.stringify({ resources: { processing: usual } }));
  const settings = { execution_ceiling: 1000, abort_after_alike: 0, max_memory_per_core_mb: 3000 };
  writeFileSync(join(root, "policy.json"), JSON.stringify({ version: 1, settings, rows: [], handlers: [] }));
}

/** Siblings leave what they leave in life: three failed attempts each, with reports, logs and events. */
function makeUnit(root: string, unit: string, siblings: number): string {
  const dir = join(root, unit);
  mkdirSync(dir);
  writeFileSync(join(dir, "group.inc"), "");
  writeFileSync(
    join(dir, "manifest.json"),
    '{\n"version":1,\n"sites":["T2_XX_Alpha","T2_XX_Beta"],\n"nodes":{\n}\n}\n',
  );
  for (let at = 0; at < siblings; at++) {
    const node = `proc_${String(at + 100).padStart(6, "0")}`;
    for (let retry = 0; retry < 3; retry++) {
      const cluster = 1000 + at * 3 + retry;
      const attempt = attemptOf(node, cluster, retry);
      const decision = decideAttempt(attempt, NO_HISTORY, builtinPolicy(), new Date(0));
      appendFileSync(join(dir, "ledger.jsonl"), `${JSON.stringify(attemptRecord(attempt, decision, new Date(0)))}\n`);
      writeFileSync(join(dir, `${node}.${cluster}.report.json`), reportText(node, cluster, 8021));
      writeFileSync(join(dir, `${node}.${cluster}.err`), "a line of stderr\n".repeat(500));
      appendFileSync(join(dir, "group.log"), eventsOf(cluster));
    }
    writeFileSync(join(dir, `${node}.post.json`), "{}\n");
  }
  return dir;
}

function leaveAttempt(dir: string, cluster: number): void {
  rmSync(join(dir, "proc_000001.post.json"), { force: true });
  writeFileSync(join(dir, `proc_000000.${cluster}.report.json`), reportText("proc_000000", cluster, 0));
  writeFileSync(join(dir, `proc_000001.${cluster}.report.json`), reportText("proc_000001", cluster, 50660));
  writeFileSync(join(dir, `proc_000001.${cluster}.err`), "a line of stderr\n".repeat(4000));
  appendFileSync(join(dir, "group.log"), eventsOf(cluster));
  // Every turn is a first failure: what the turn before it left of this node is taken away.
  writeFileSync(join(dir, "group.inc"), "");
  const ledger = join(dir, "ledger.jsonl");
  const lines = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n") : [];
  writeFileSync(ledger, lines.filter((line) => !line.includes('"node":"proc_00000')).join("\n"));
}

const reportOf = (node: string, cluster: number, exitCode: number): Report => ({
  ...NO_REPORT,
  state: "finished",
  node,
  cluster,
  exitCode,
  error: exitCode === 0 ? null : `exit ${exitCode} in step RECO`,
  site: "T2_XX_Alpha",
  host: "worker12",
  startedAt: 1_763_230_000,
  endedAt: 1_763_230_012,
  wallSec: 12,
  cpuSec: 10.4,
  peakMemoryMb: 812,
  eventsRead: 100,
  eventsWritten: 97,
  inputs: ["/store/data/file.root"],
});

const reportText = (node: string, cluster: number, exitCode: number): string =>
  `{\n${Object.entries(reportOf(node, cluster, exitCode))
    .map(([key, value]) => `"${key}":${JSON.stringify(value)}`)
    .join(",\n")}\n}\n`;

function eventsOf(cluster: number): string {
  const head = (kind: string) => `${kind} (${cluster}.000.000) 2026-11-15 10:00:00 `;
  const extra = `${head("028")}Job ad information event triggered.\n${"Attribute = 12345\n".repeat(20)}...\n`;
  return (
    `${head("000")}Job submitted from host: <127.0.0.1:1>\n    DAG Node: x\n...\n${extra}` +
    `${head("001")}Job executing on host: <127.0.0.1:1>\n\tSlotName: slot1@worker12\n\tGLIDEIN_CMSSite = "T2_XX_Alpha"\n...\n${extra}` +
    `${head("005")}Job terminated.\n\t(1) Normal termination (return value 1)\n...\n${extra}`
  );
}

const attemptOf = (node: string, cluster: number, dagRetry: number, exitCode = 8021): Attempt => ({
  ...NO_ATTEMPT,
  node,
  unit: "mg_000000",
  role: "processing",
  cluster,
  dagRetry,
  maxRetries: 3,
  dagReturn: 1,
  report: reportOf(node, cluster, exitCode),
  sites: ["T2_XX_Alpha", "T2_XX_Beta"],
  memoryMb: 2000,
  wallMinutes: 480,
});

/** 10,000 attempts, each with a history of two. */
function decisionsPerSecond(): number {
  const policy = builtinPolicy();
  const codes = [1, 85, 127, 134, 137, 8001, 8021, 8028, 50115, 50660, 50664, 60307, 71104, 12345];
  const attempts = Array.from({ length: 10_000 }, (_, at) => {
    const node = `proc_${String(at).padStart(6, "0")}`;
    const earlier: AttemptRecord[] = [1, 2].map((cluster) => {
      const before = attemptOf(node, cluster, cluster - 1);
      return attemptRecord(before, decideAttempt(before, NO_HISTORY, policy, new Date(0)), new Date(0));
    });
    return { attempt: attemptOf(node, 3, 2, codes[at % codes.length]), history: { epoch: 0, records: earlier } };
  });
  const began = performance.now();
  for (const { attempt, history } of attempts) decideAttempt(attempt, history, policy, new Date(0));
  return Math.round(attempts.length / ((performance.now() - began) / 1000));
}

function timed(program: string, argv: readonly string[], cwd: string, expected: number): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(program, argv, { cwd, encoding: "utf8" });
  const ms = performance.now() - began;
  if (status !== expected) throw new Error(`${program} ${argv.join(" ")} ended with ${status}: ${stderr}`);
  return ms;
}

function quartile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 4)] ?? 0) * 10) / 10;
}
