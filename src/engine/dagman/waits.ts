import { WorldError } from "../../base/errors.ts";
import { runningNodes } from "../../domain/dag.ts";
import type { NoMatch, Run, RunWaits } from "../../domain/run.ts";
import { whyNoMatch } from "../format/match.ts";
import type { RunningView, RunReader } from "../observe/run-reader.ts";
import { readWant } from "../observe/waits.ts";
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
export class Matching {
  readonly #stalledSince = new Map<string, number>();
  #workers: { readonly at: number; readonly list: Promise<readonly EngineSite[]> } | null = null;
  readonly #reader: RunReader;
  readonly #ask: () => Promise<readonly EngineSite[]>;
  readonly #afterMs: number;

  constructor(reader: RunReader, ask: () => Promise<readonly EngineSite[]>, afterSec: number) {
    [this.#reader, this.#ask, this.#afterMs] = [reader, ask, afterSec * 1000];
  }

  async look(run: Run, view: RunningView, nowMs: number): Promise<NoMatch | null> {
    const idle = this.#reader.idleNode(run);
    if (!idle || runningNodes(view.nodes) > 0) {
      this.#stalledSince.delete(run.dagId);
      return null;
    }
    const since = this.#stalledSince.get(run.dagId) ?? nowMs;
    this.#stalledSince.set(run.dagId, since);
    if (nowMs - since < this.#afterMs) return null;
    const want = await readWant(run.submitDir, idle);
    const found = want && whyNoMatch(want, await this.#workersAt(nowMs));
    return found && { ...found, words: `${idle.unit}/${idle.open.idle} ${found.words}` };
  }

  #workersAt(nowMs: number): Promise<readonly EngineSite[]> {
    if (this.#workers === null || nowMs - this.#workers.at > WORKERS_MS)
      this.#workers = { at: nowMs, list: this.#ask() };
    return this.#workers.list;
  }
}

/** What cannot be asked explains nothing: the jobs are idle, and that is said anyway. */
export const unlessAway = async <T>(look: Promise<T | null>): Promise<T | null> =>
  look.catch((error: unknown) => {
    if (error instanceof WorldError) return null;
    throw error;
  });
