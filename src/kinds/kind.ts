import { invariant } from "../base/errors.ts";
import type { PlannedRange, PlanOutcome } from "../domain/plan.ts";
import type { Work } from "../domain/work.ts";
import type { FileState, Workflow } from "../domain/workflow.ts";
import type { Check, CheckContext, Report } from "../planning/check.ts";
import type { Counters, PlanFacts } from "../planning/facts.ts";
import type { Form } from "../reading/form.ts";

/**
 * What WMS2 has to know about a kind of request. Everything else (steps, outputs, resources, sites, recovery) is the
 * same for all of them. Pure: facts in, answers out. Whether it reads files and may be topped up is said by its work.
 */
export interface Kind<W extends Work = Work> {
  readonly name: W["kind"];
  /** The key a document of this kind must have, with its synonyms; shows the kind where `kind` is left out. */
  readonly mainKeys: readonly string[];
  /** All keys at the top of a document that only this kind understands. */
  readonly keys: readonly string[];
  /** The steps of `payload: simulator` where the document does not name any. */
  readonly simulatorChain: readonly string[];
  /** Its part of a document. What is wrong is noted there, and the answer is then of no use. */
  read(top: Form): W;
  /** How much is asked for, as far as the document says; null: the input will show. */
  extent(work: W): Extent | null;
  /** One line for people. */
  describe(work: W): string;

  /** The counters before the first round. */
  begin(work: W): Counters;
  /** Jobs of all that remains, at most. Computed, not walked. */
  mostJobs(facts: PlanFacts<W>): bigint;
  /** The next round, with a pause offered now and then. */
  plan(facts: PlanFacts<W>): Generator<undefined, PlanOutcome>;
  /** Checks its own part of a plan, without the code that made it. */
  check(context: CheckContext<W>, report: Report): Check;

  /** Whether another round is to be planned. */
  remains(progress: Progress<W>): boolean;
  /** Which share of all work has been planned so far, from 0 to 1. */
  sharePlanned(progress: Progress<W>): number;
  /** Fields of a release that only some kinds allow. */
  readonly releaseFields: readonly KindReleaseField[];
  /** How many events are given up with units that are left behind. Absent: none ever, their files are tried again. */
  abandoned?(left: LeftBehind<W>): bigint;
}

type KindReleaseField = "excluded_files" | "top_up";

export interface Extent {
  readonly events: bigint;
  readonly eventsPerJob: number;
  readonly of: "a request" | "a file";
  /** Where the document says so. */
  readonly path: string;
}

export interface Progress<W extends Work = Work> {
  readonly work: W;
  readonly workflow: Workflow;
  /** Of the input; null: there is none. `waiting`: neither done nor in a unit. */
  readonly files: (Readonly<Record<FileState, number>> & { readonly waiting: number }) | null;
}

/** Units that a round planned and did not finish, and that will not be run again. */
export interface LeftBehind<W extends Work = Work> {
  readonly work: W;
  readonly round: number;
  /** The first event that no round has planned. */
  readonly nextFirstEvent: bigint;
  /** In the order they were planned. `ranges` null: nobody knows any more, and then all units of the round are here. */
  readonly units: readonly { readonly unit: string; readonly ranges: readonly PlannedRange[] | null }[];
  readonly finished: ReadonlySet<string>;
}

/** The kinds of this installation, by name; the first is what a document is that does not say. */
export type Kinds = ReadonlyMap<string, Kind>;

export const kindsOf = (...kinds: readonly Kind[]): Kinds => new Map(kinds.map((kind) => [kind.name, kind]));

export function kindOf(kinds: Kinds, { kind }: Pick<Work, "kind">): Kind {
  const found = kinds.get(kind);
  invariant(found, `this server does not know requests of kind ${kind}`);
  return found;
}
