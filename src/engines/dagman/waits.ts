import { WorldError } from "../../core/base/errors.ts";
import { runningNodes } from "../../core/dag.ts";
import type { NoMatch, Run, RunWaits } from "../../core/run.ts";
import { whyNoMatch, whyNoRoom } from "../format/match.ts";
import type { RunningView, RunReader } from "../observe/run-reader.ts";
import { placeOf, readWant } from "../observe/waits.ts";
import type { EngineSite } from "../port.ts";
import type { Tree } from "./answers.ts";

/** The held jobs of a run: how many, and what HTCondor says of the one that needs a person most. */
export function heldJobs({ others, held }: Tree): RunWaits["held"] {
  const [first] = held.toSorted((a, b) => Number(b.heldByHand) - Number(a.heldByHand) || a.since - b.since);
  if (!first) return null;
  const unit = others.find(({ cluster }) => cluster === first.parent)?.node;
  return {
    nodes: held.length,
    since: new Date(first.since * 1000),
    reason: first.holdReason ?? "no reason given",
    byHand: first.heldByHand,
    example: [unit, first.node].filter(Boolean).join("/"),
  };
}

const WORKERS_MS = 60_000;

/**
 * Why nobody takes the idle jobs of a run that has run nothing for a while. Only then is the collector asked, once a minute for all
 * runs, and never the schedd: what a job wants is in its submit directory.
 */
export function makeMatching(reader: RunReader, ask: () => Promise<readonly EngineSite[]>, afterSec: number) {
  const stalledSince = new Map<string, number>();
  let workers: { readonly at: number; readonly list: Promise<readonly EngineSite[]> } | null = null;
  return async (run: Run, view: RunningView, nowMs: number): Promise<NoMatch | null> => {
    const idle = reader.idleNode(run);
    if (!idle || runningNodes(view.nodes) > 0) {
      stalledSince.delete(run.dagId);
      return null;
    }
    const since = stalledSince.get(run.dagId) ?? nowMs;
    stalledSince.set(run.dagId, since);
    if (nowMs - since < afterSec * 1000) return null;
    const want = await readWant(run.submitDir, idle);
    if (!want) return null;
    if (workers === null || nowMs - workers.at > WORKERS_MS) workers = { at: nowMs, list: ask() };
    const list = await workers.list;
    const free = list.flatMap(({ name, free }) => (free ? [{ name, ...free }] : []));
    const found = whyNoMatch(want, list) ?? whyNoRoom(want, free);
    return found && { ...found, reason: `${placeOf(idle.unit, idle.open.idle ?? "")} ${found.reason}` };
  };
}

/** What cannot be asked explains nothing: the jobs are idle, and that is said anyway. */
export const unlessAway = async <T>(look: Promise<T | null>): Promise<T | null> =>
  look.catch((error: unknown) => {
    if (error instanceof WorldError) return null;
    throw error;
  });
