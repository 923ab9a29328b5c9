import { invariant } from "../core/base/errors.ts";
import type { JobToRun } from "../core/credit.ts";
import type { GraphOutline } from "../core/graph.ts";
import type { DagPlan, PlannedRange, PlanOutcome } from "../core/plan.ts";
import type { Liveness, Look, ProductCheck, ProductSeen, TransferLock, UnitEnding } from "../core/products.ts";
import type { FillChoice, FillPlan, NodeId, NodeRow, SegmentsWork } from "../core/segments.ts";
import type { IntakeRules } from "../core/submission.ts";
import type { Work } from "../core/work.ts";
import type { FileStamp, FileState, JobProof, Workflow } from "../core/workflow.ts";
import type { Form } from "../intake/reading/form.ts";
import type { Check, CheckContext, Report } from "../planning/check.ts";
import type { Counters, PlanFacts } from "../planning/facts.ts";

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
  /** steps: all jobs run the document's steps and leave its outputs · own: each job has a command of its own. */
  readonly commands: "steps" | "own";
  /** The steps of `payload: simulator` where the document does not name any. */
  readonly simulatorChain: readonly string[];
  /** Its part of a document. What is wrong is noted there, and the answer is then of no use. */
  read(top: Form, rules: IntakeRules): W;
  /** How much is asked for, as far as the document says; null: the input will show. */
  extent(work: W): Extent | null;
  /** Files of people's own that must be there before anything begins: absolute path → where the document says so. */
  inputs?(work: W): ReadonlyMap<string, string>;
  /** One line for people. */
  describe(work: W): string;
  /** What people call one of its units. */
  readonly unitWord: string;
  /** How its jobs hang together, for whoever draws it. Absent: all of its units look alike. */
  outline?(work: W): Generator<undefined, GraphOutline>;

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
  /** Which share of all work has been planned so far, from 0 to 1; null: only a look at its products tells. */
  sharePlanned(progress: Progress<W>): number | null;
  /** Fields of a release that only some kinds allow. */
  readonly releaseFields: readonly KindReleaseField[];
  /** Why files are set aside that the request itself does not ask for: nothing is left out with them. */
  readonly notWanted?: string;
  /** Its first round has all its work, so no later one can take up what is left behind. */
  readonly isOneRound?: true;
  /** Which of its jobs have to run, given what an earlier version finished, and why. Absent: a version begins at the beginning. */
  readonly credits?: Credits<W>;
  /** Its work is products that are looked after one by one. Absent: what there is to do is known from the request. */
  readonly products?: Products<W>;
  /** How many events are given up with units that are left behind. Absent: none ever, their files are tried again. */
  abandoned?(left: LeftBehind<W>): bigint;
}

interface Credits<W extends Work> {
  /** The files whose state decides, as `decide` will ask for them. */
  files(work: W): Generator<undefined, FilesThatDecide>;
  /** Files whose checksums decide too, where files are compared by contents. */
  doubtful(
    proofs: Iterable<JobProof>,
    seen: (path: string) => FileStamp | null,
  ): Generator<undefined, ReadonlySet<string>>;
  decide(facts: {
    readonly work: W;
    readonly attached: ReadonlyMap<string, string>;
    /** The version before, if there is one: what it asked for, and by the names of its jobs what finished. */
    readonly before: { readonly work: Work | null; readonly proofs: ReadonlyMap<string, JobProof> };
    /** null: it is not there. */
    readonly seen: (path: string) => FileStamp | null;
  }): Generator<undefined, readonly JobToRun[]>;
  /**
   * Jobs that have no proof of their own, where the run that had them is lost: all they make is there, made since `sinceSec` and after
   * what they read, one that waits for their success has begun, and everything before them is done. By job index.
   */
  made(facts: {
    readonly work: W;
    readonly attached: ReadonlyMap<string, string>;
    readonly done: ReadonlySet<number>;
    readonly sinceSec: number;
    readonly seen: (path: string) => FileStamp | null;
  }): Generator<undefined, ReadonlyMap<number, JobProof>>;
}

export interface FilesThatDecide {
  readonly directory: string;
  readonly paths: ReadonlySet<string>;
  /** Those that its jobs make. */
  readonly made: ReadonlySet<string>;
  readonly byContents: boolean;
}

/**
 * Of a kind whose work is products that are looked after one by one (docs/adr/0019-segments.md): what is due is found by looking, and
 * what became of a round is in their rows, so that it is never rescued or held as a whole.
 */
export interface Products<W extends Work = Work> {
  /** How often to look; null: when somebody asks. */
  sweepMinutes(work: W): number | null;
  directory(work: W): string;
  /** As the model run that frepp may look after, too. Absent: it knows nothing of frepp. */
  modelRun?(work: W): SegmentsWork;
  /** Asks for files, from the directory of the work, gets those that are there, and answers what that means. */
  look(work: W): Generator<readonly string[], Look, ReadonlyMap<string, FileStamp>>;
  /** The names of its parts that somebody may choose one of. */
  components(work: W): readonly string[];
  fill(facts: ToFill<W>): Generator<undefined, FillPlan>;
  /** Nothing will fall due any more, and a plan of everything has nothing left. */
  isComplete(work: W, everything: FillPlan): boolean;
  /** Rows of what a round makes, from the moment it is ready on. */
  submitted(plan: DagPlan, rows: ReadonlyMap<NodeId, NodeRow>, now: Date): readonly NodeRow[];
  /** What the rows of a round become when their units have ended. `rows`: all there are. */
  ended(facts: EndedProducts<W>): readonly NodeRow[];
  released(row: NodeRow, who: string, now: Date): NodeRow;
  /** How to see whether products are what they should be; `only`: these nodes. */
  checks(work: W, look: Look, only?: ReadonlySet<NodeId>): readonly ProductCheck[];
  /** What that says, for rows that differ from it. */
  verified(facts: VerifiedProducts<W>): readonly NodeRow[];
}

export interface EndedProducts<W extends Work = Work> {
  readonly work: W;
  readonly rows: ReadonlyMap<NodeId, NodeRow>;
  /** By name. */
  readonly units: ReadonlyMap<string, UnitEnding>;
  readonly now: Date;
}

interface ToFill<W extends Work = Work> extends Pick<VerifiedProducts<W>, "work" | "look" | "rows" | "now"> {
  /** Its name, for the commands that people are told. */
  readonly request: string;
  /** Of rows that are submitted or elsewhere; what is not there nobody knows. */
  readonly live: ReadonlyMap<NodeId, Liveness>;
  /** Of nodes that another program has a lock on. */
  readonly locks: ReadonlyMap<NodeId, TransferLock>;
  readonly choice: FillChoice;
}

export interface VerifiedProducts<W extends Work = Work> {
  readonly work: W;
  readonly look: Look;
  readonly rows: ReadonlyMap<NodeId, NodeRow>;
  readonly checks: readonly ProductCheck[];
  readonly seen: ReadonlyMap<NodeId, ProductSeen>;
  readonly now: Date;
}

type KindReleaseField = "excluded_files" | "top_up";

export interface Extent {
  readonly events: bigint;
  readonly eventsPerJob: number;
  readonly of: "a request" | "a file";
  /** Where the document says so. */
  readonly path: string;
}

interface Progress<W extends Work = Work> {
  readonly work: W;
  readonly workflow: Workflow;
  /** Of the input; null: there is none. `waiting`: neither done nor in a unit. */
  readonly files: (Readonly<Record<FileState, number>> & { readonly waiting: number }) | null;
  /** Of products: what a look at all of them found; absent: nobody has looked. */
  readonly fill?: FillPlan | null;
}

/** Units that a round planned and did not finish, and that will not be run again. */
export interface LeftBehind<W extends Work = Work> {
  readonly work: W;
  readonly round: number;
  /** The first event that no round has planned. */
  readonly nextFirstEvent: bigint;
  /** In the order they were planned. `ranges` null: unknown any more, and then all units of the round are here. */
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
