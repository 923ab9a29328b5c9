import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { API_URL_FILE, jobIndex } from "../../core/names.ts";
import type { AttemptRecord } from "../../recovery/ledger-record.ts";
import { jobsIn } from "../jobs.ts";
import { directoryIn } from "../manifest.ts";
import { attemptFile, TOP, UNIT } from "../names.ts";
import { readIfThere } from "./disk.ts";
import { appendLine } from "./ledger-file.ts";

/**
 * A handler's recovery script: runs after the retry is in the ledger and before DAGMan hears of it, so nobody can
 * start the next attempt meanwhile. It is a file of the request, run as it is, without a shell of ours. Whatever
 * becomes of it, the retry stands; how it ended is noted in the ledger. After a crash it may run a second time.
 */
export async function runScript(dir: string, script: string, record: AttemptRecord, timeoutSec: number): Promise<void> {
  const began = Date.now();
  const log = attemptFile(record.node, record.cluster, "recovery");
  const result = await execute(dir, script, record, join(dir, log), timeoutSec).catch(
    (error: unknown) => `could not be run: ${error instanceof Error ? error.message : String(error)}`,
  );
  const note = {
    event: "script",
    node: record.node,
    cluster: record.cluster,
    at: new Date().toISOString(),
    script,
    result,
    seconds: Math.round((Date.now() - began) / 100) / 10,
    log,
  };
  try {
    appendLine(dir, `${JSON.stringify(note)}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`); // the retry was reserved before and stands
  }
}

async function execute(
  dir: string,
  script: string,
  record: AttemptRecord,
  log: string,
  timeoutSec: number,
): Promise<string> {
  const payload = join(dirname(dir), TOP.payload);
  const program = resolve(payload, script);
  if (relative(payload, program).startsWith("..")) return "is not a file of the request";
  // Loaded only now: most failures have no script, and POST is to be quick.
  const { spawn } = await import("node:child_process");
  // Where the jobs run: what it puts right there is what they find.
  const own = directoryIn(readIfThere(join(dir, UNIT.manifest)) ?? "");
  const cwd = own && existsSync(own) ? own : payload;
  const output = openSync(log, "a");
  try {
    return await new Promise<string>((resume) => {
      const child = spawn(program, [], {
        cwd,
        env: { ...process.env, ...environment(dir, record) },
        stdio: ["ignore", output, output],
        detached: true, // a process group of its own, to be ended as a whole
      });
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        if (child.pid) process.kill(-child.pid, "SIGKILL");
      }, timeoutSec * 1000);
      const end = (result: string): void => {
        clearTimeout(timer);
        writeSync(output, `[wms2] ${script} ${result}, run in ${cwd}\n`);
        resume(result);
      };
      child.on("error", (error) => end(`could not be started: ${error.message}`));
      child.on("exit", (code, signal) => {
        if (late) end(`was ended after ${timeoutSec} s`);
        else end(signal ? `was killed by ${signal}` : `exit ${code}`);
      });
    });
  } finally {
    closeSync(output);
  }
}

/** The set Torc gives, with our prefix, and what else POST knows. */
function environment(dir: string, record: AttemptRecord): Record<string, string> {
  const { node, cluster } = record;
  const file = (kind: Parameters<typeof attemptFile>[2]): string => join(dir, attemptFile(node, cluster, kind));
  const manifest = readIfThere(join(dir, UNIT.manifest)) ?? "";
  const name = jobsIn(manifest, node).get(node)?.name ?? node;
  return {
    WMS2_API_URL: readIfThere(join(dir, "../../..", API_URL_FILE))?.trim() ?? "",
    WMS2_WORKFLOW_ID: basename(dirname(dirname(dir))),
    WMS2_REQUEST: basename(dirname(dirname(dir))),
    WMS2_JOB_ID: String(cluster),
    WMS2_JOB_NAME: name,
    WMS2_JOB: name,
    WMS2_DIRECTORY: directoryIn(manifest) ?? "",
    WMS2_OUTPUT_DIR: dir,
    WMS2_ATTEMPT_ID: String(record.rrn),
    WMS2_RETURN_CODE: String(record.exitCode),
    WMS2_UNIT: jobIndex(node) === null ? (/[^/]+$/.exec(dir)?.[0] ?? "") : node,
    WMS2_NODE: node,
    WMS2_CAUSE: record.cause ?? "",
    WMS2_SITE: record.site ?? "",
    WMS2_HOST: record.host ?? "",
    WMS2_EPOCH: String(record.epoch),
    WMS2_REASON: record.reason,
    WMS2_MEMORY_MB: String(record.nextMemoryMb ?? ""),
    WMS2_STDOUT: file("out"),
    WMS2_STDERR: file("err"),
    WMS2_REPORT: file("report"),
  };
}
