import { inSlices } from "../../core/base/slices.ts";
import type { Run, RunVerdict } from "../../core/run.ts";
import { readTail } from "../../submit-dir/disk/disk-steps.ts";
import { parseEvents } from "../../submit-dir/event-log.ts";
import { besideDag, TOP } from "../../submit-dir/names.ts";
import { parseDagmanOut, parseLibErr } from "../format/dagman-out.ts";
import { type Metrics, parseMetrics } from "../format/metrics.ts";
import { highestRescue, parseRescueInSlices, rescueName } from "../format/rescue.ts";
import { parseStatusInSlices } from "../format/status-file.ts";
import { listDir, readText } from "./files.ts";
import { completeBy } from "./run-view.ts";

/**
 * What the files of one DAG say when its DAGMan is gone; `rescue` is the file a resubmission would use.
 *
 * DAGMan 23.9.6 does not always write a last status file: a PRE script whose failure ends the DAG is missing from it, and
 * NextUpdate is not 0. The rescue file this run wrote (its number is above the one it used) has the truth then.
 */
export async function readDagEnd(dir: string, dag: string, metrics: Metrics | null) {
  const rescue = highestRescue(await listDir(dir), dag);
  const rescueText = rescue === null ? null : await readText(`${dir}/${rescueName(dag, rescue)}`);
  const rescueFile = rescueText === null ? null : await inSlices(parseRescueInSlices(rescueText));
  const text = await readText(`${dir}/${besideDag(dag, "status")}`);
  const parsed = text === null ? null : await inSlices(parseStatusInSlices(text));
  if (!parsed?.complete) return { status: null, rescue, rescueFile };
  const stale = metrics !== null && parsed.nextUpdate !== 0 && isWithin(parsed.timestamp, metrics);
  const written = metrics !== null && rescue !== null && rescue > metrics.rescueUsed;
  return { status: stale ? completeBy(parsed, written ? rescueFile : null) : parsed, rescue, rescueFile };
}

/** Written by the run these metrics are of; a later one may have begun since. */
const isWithin = (timestamp: number, { startTime, endTime }: Metrics): boolean =>
  timestamp >= Math.floor(startTime) && timestamp <= Math.floor(endTime);

export async function readMetrics(dir: string, dag: string): Promise<Metrics | null> {
  const text = await readText(`${dir}/${besideDag(dag, "metrics")}`);
  const metrics = text === null ? null : parseMetrics(text);
  return metrics?.ok ? metrics.value : null;
}

/** Metrics of this very run, or null: none, half-written, or of another run of the DAG. */
export async function readRunMetrics({ submitDir, engineId }: Run): Promise<Metrics | null> {
  const metrics = await readMetrics(submitDir, TOP.dag);
  return metrics?.dagmanId === engineId ? metrics : null;
}

/**
 * A DAG file that does not parse and a DAGMan removed while held leave no metrics (23.9.6). Its own event log says how it left the
 * queue, and dagman.out why. null: they do not say.
 */
export async function lastReport(run: Run): Promise<{ verdict: RunVerdict; text: string } | null> {
  const out = await dagmanOut(run);
  const mine = out.cluster === run.engineId;
  if (mine && out.parseFailed) {
    return { verdict: "unreadable", text: out.errors.join("; ") || "DAGMan failed to parse the DAG file" };
  }
  const log = await readTail(`${run.submitDir}/${besideDag(TOP.dag, "log")}`, 64 * 1024);
  const last = parseEvents(log).findLast(
    ({ cluster, kind }) => String(cluster) === run.engineId && (kind === "aborted" || kind === "terminated"),
  );
  if (!last) return null;
  if (last.kind === "aborted") {
    return { verdict: "removed", text: `DAGMan was removed: ${last.body[0] ?? "no reason given"}` };
  }
  const lib = parseLibErr(await readTail(`${run.submitDir}/${besideDag(TOP.dag, "libErr")}`, 4096));
  const text = [...(mine ? out.errors : []), lib].filter((word) => word !== "").join("; ");
  const { exit } = last;
  const how = exit === null ? "" : "code" in exit ? ` with exit code ${exit.code}` : ` by signal ${exit.signal}`;
  return { verdict: "failed", text: `DAGMan ended${how} and left no metrics${text ? `: ${text}` : ""}` };
}

export async function complaints(run: Run): Promise<readonly string[]> {
  return (await dagmanOut(run)).errors;
}

/** Enough for the whole life of a DAGMan that did not get far. */
const dagmanOut = async (run: Run) =>
  parseDagmanOut(await readTail(`${run.submitDir}/${besideDag(TOP.dag, "out")}`, 256 * 1024));
