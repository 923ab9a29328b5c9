import { parseJson } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { EngineSite, PingOutcome } from "../port.ts";
import type { SpawnAnswer } from "./spawn.ts";

/** What HTCondor's commands answer (23.9.6), as values. */

/** All that is in the queue of one run. */
export interface Tree {
  /** The DAGMan we submitted; null: it has left, others have not. */
  readonly top: QueueEntry | null;
  readonly others: readonly QueueEntry[];
  /** Jobs that are held; they do not keep a run alive that has ended. */
  readonly held: readonly QueueEntry[];
}
const STATUSES = ["other", "idle", "running", "removed", "completed", "held"] as const;

/** An ad of `condor_q -json` or `condor_status -json`. Attribute names are case-insensitive: here they are in lower case. */
class Ad {
  private readonly values: ReadonlyMap<string, unknown>;

  constructor(fields: object) {
    this.values = new Map(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
  }
  /** An expression that is no literal comes as "/Expr(…)/": nobody evaluated it, so it is no text. */
  text(name: string): string | null {
    const value = this.values.get(name.toLowerCase());
    return typeof value === "string" && !value.startsWith("/Expr(") ? value : null;
  }
  is(name: string): boolean {
    return this.values.get(name.toLowerCase()) === true;
  }
  number(name: string): number | null {
    const value = this.values.get(name.toLowerCase());
    return typeof value === "number" ? value : null;
  }
}

/**
 * With no ad to show the commands print nothing at all (23.9.6), so empty text is an empty list; the caller must have looked at
 * the exit code.
 */
function parseAds(text: string, command: string): Result<readonly Ad[], string> {
  if (text.trim() === "") return ok([]);
  const parsed = parseJson(text);
  const list: unknown[] | null = parsed.ok && Array.isArray(parsed.value) ? parsed.value : null;
  if (list?.every((item) => typeof item === "object" && item !== null))
    return ok(list.map((item) => new Ad(item as object)));
  const what = !parsed.ok ? parsed.error : list ? "an entry that is no ad" : "not a list of ads";
  return err(`${command} gave no list of ads: ${what}`);
}

export type QueueEntry = Readonly<NonNullable<ReturnType<typeof entryOf>>>;

function entryOf(ad: Ad) {
  const cluster = ad.number("ClusterId");
  const batchName = ad.text("JobBatchName");
  if (cluster === null || batchName === null) return null;
  const parent = ad.number("DAGManJobId");
  return {
    cluster: String(cluster),
    batchName,
    isDagman: ad.number("JobUniverse") === 7,
    /** The cluster of the DAGMan that submitted it. */
    parent: parent === null ? null : String(parent),
    node: ad.text("DAGNodeName"),
    status: STATUSES[ad.number("JobStatus") ?? 0] ?? "other",
    holdReason: ad.text("HoldReason"),
    /** Somebody did it with condor_hold: no policy removes such a job. */
    heldByHand: ad.number("HoldReasonCode") === 1,
    /** Of its status, epoch seconds. */
    since: ad.number("EnteredCurrentStatus") ?? 0,
    queuedAt: ad.number("QDate") ?? 0,
  };
}

/** The queue by batch name. Text that is no list of ads is an error, never an empty queue. */
export function parseQueue(text: string): Result<ReadonlyMap<string, Tree>, string> {
  const ads = parseAds(text, "condor_q");
  if (!ads.ok) return ads;
  const trees = new Map<string, { top: QueueEntry | null; others: QueueEntry[]; held: QueueEntry[] }>();
  for (const ad of ads.value) {
    const entry = entryOf(ad);
    if (!entry) return err("condor_q gave an ad without ClusterId or JobBatchName");
    const tree = trees.get(entry.batchName) ?? { top: null, others: [], held: [] };
    trees.set(entry.batchName, tree);
    const isTop = entry.isDagman && entry.parent === null;
    // Twice the same DAG at once must not happen; if it did, the later one writes the files we read.
    if (isTop && (tree.top === null || Number(entry.cluster) > Number(tree.top.cluster))) {
      if (tree.top) tree.others.push(tree.top);
      tree.top = entry;
    } else if (entry.status === "held" && !entry.isDagman) tree.held.push(entry);
    else tree.others.push(entry);
  }
  return ok(trees);
}

/**
 * condor_submit_dag says no with exit code 1 both when it does not like the files and when it cannot reach the schedd. Only the
 * former would stay the same the next time; what is not recognised counts as the latter. Files that "already exist" are no
 * refusal: somebody was here, so one has to look. Its words are bin/submit's output; on stderr ssh, docker and the like complain
 * that they did not get there.
 */
function isRejection(text: string): boolean {
  if (/schedd|condor_submit failed|Failed to connect|timed? ?out|already exist/i.test(text)) return false;
  return /errno 2 |No such file|CONFIG|parse|syntax|Permission denied|errno 13 /i.test(text);
}

/** What bin/submit said; its exit codes are explained there. `cluster` null: nothing has been submitted under this name. */
type Submission =
  | { readonly kind: "done"; readonly cluster: string | null }
  | { readonly kind: "wait" | "rejected" | "unwritable" | "failed"; readonly text: string };
export function readSubmission({ code, stdout, stderr }: SpawnAnswer): Submission {
  if (code === 0) return { kind: "done", cluster: /submitted to cluster (\d+)/.exec(stdout)?.[1] ?? null };
  const text = complaint(stdout, stderr);
  if (code === 69 || code === 75 || code === 77) return { kind: "wait", text };
  if (code === 73) return { kind: "unwritable", text };
  return { kind: code === 78 || isRejection(stdout) ? "rejected" : "failed", text };
}

/** condor_rm, condor_hold and condor_release exit with 1 when nothing matches: that is an answer. */
export const matchedNothing = (stderr: string): boolean => /Couldn't find\/\w+ all jobs matching/.test(stderr);

/** The first useful line of what a command complained about. */
export function complaint(stdout: string, stderr: string): string {
  const lines = `${stderr}\n${stdout}`.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !/^(Extra Info|-{5,})/.test(line));
  return said.slice(0, 3).join("; ").slice(0, 1000) || "no words";
}

/** "-- Schedd: submit-1.example.org : <127.0.0.1:9618?... @ 11/15/26 22:33:23", the head of every condor_q for people. */
export const parseScheddName = (stdout: string): string | null => /^-- Schedd: (\S+) : </m.exec(stdout)?.[1] ?? null;

export function parseVersion(stdout: string): string | null {
  return /\$CondorVersion: (\S+)/.exec(stdout)?.[1] ?? null;
}

/** Every worker, by the site it belongs to; "" where it names none. */
export function parseWorkers(text: string): Result<readonly EngineSite[], string> {
  const ads = parseAds(text, "condor_status");
  if (!ads.ok) return ads;
  return ok(
    ads.value.map((ad) => {
      // A partitionable slot has what it has not given away; any other is free or not.
      const isFree = ad.is("PartitionableSlot") || ad.text("State") === "Unclaimed";
      const [cores, memoryMb] = [ad.number("Cpus"), ad.number("Memory")];
      const free = isFree ? { cores: cores ?? 0, memoryMb: memoryMb ?? 0 } : { cores: 0, memoryMb: 0 };
      return {
        name: ad.text("GLIDEIN_CMSSite") ?? "",
        cores: ad.number("TotalSlotCpus") ?? 0,
        memoryMb: ad.number("TotalSlotMemory") ?? 0,
        ...(cores !== null && { free }),
      };
    }),
  );
}

/** The workers of each site taken together. */
export function sitesOf(workers: readonly EngineSite[]): readonly EngineSite[] {
  const sites = new Map<string, EngineSite>();
  for (const { name, cores, memoryMb } of workers) {
    const before = sites.get(name) ?? { name, cores: 0, memoryMb: 0 };
    if (name !== "") sites.set(name, { name, cores: before.cores + cores, memoryMb: before.memoryMb + memoryMb });
  }
  return [...sites.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Every unit is a DAGMan of its own, a job of the scheduler universe. With the defaults (200 per owner, 500 in all) the top DAGs
 * of many requests fill the places their units wait for, for ever: a deadlock we have seen.
 */
export function limitWarnings(perOwner: string, start: string): PingOutcome["warnings"] {
  const limit = Number(/^\s*(\d+)\s*$/.exec(perOwner)?.[1] ?? 200);
  const total = Number(/TotalSchedulerJobsRunning\s*<\s*(\d+)/i.exec(start)?.[1] ?? Number.POSITIVE_INFINITY);
  const fix = (setting: string) => `set ${setting} on the schedd and run condor_reconfig`;
  const warnings = [
    {
      limit,
      what: `at most ${limit} DAGMans of one owner run at once: requests with many units can block each other`,
      fix: fix("MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER = 5000"),
    },
    {
      limit: total,
      what: `at most ${total} DAGMans run at once on this schedd (START_SCHEDULER_UNIVERSE)`,
      fix: fix("START_SCHEDULER_UNIVERSE = TotalSchedulerJobsRunning < 5000"),
    },
  ];
  return warnings.flatMap(({ limit, ...warning }) => (limit < 1000 ? [warning] : []));
}

/** Failed attempts are decided about by a Node.js program on the submit host. `version`: as `node --version` says it there. */
export function nodeWarnings(version: string): PingOutcome["warnings"] {
  const major = /^v(\d+)\./.exec(version)?.[1];
  if (Number(major ?? 0) >= 20) return [];
  const found = major === undefined ? "there is no Node.js" : `Node.js is ${version.trim()}`;
  return [
    {
      what: `${found} on the submit host: failed attempts cannot be checked there, and are not retried`,
      fix: "install Node.js 20 or newer on the submit host, on the PATH of the schedd",
    },
  ];
}
