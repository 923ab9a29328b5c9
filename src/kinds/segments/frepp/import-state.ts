import type { FoundFile, StateAction, StateLine } from "../../../core/frepp.ts";
import type { NodeId, NodeRow, NodeState, SegmentNode } from "../../../core/segments.ts";
import { blankRow } from "../decide-node.ts";
import {
  isSameWord,
  readStateName,
  readWord,
  type StateUnit,
  type StateWord,
  UNREADABLE,
  wordOfRows,
  wordText,
} from "./state-file.ts";

export interface StateFacts {
  readonly units: ReadonlyMap<string, StateUnit>;
  readonly components: ReadonlySet<string>;
  readonly files: readonly FoundFile[];
  readonly rows: ReadonlyMap<NodeId, NodeRow>;
}
export interface ImportFacts extends StateFacts {
  /** Nodes whose outputs are what they should be, of those that `toVerify` names, and checksums of what they are. */
  readonly verified: ReadonlyMap<NodeId, Pick<NodeRow, "madeSum" | "madeOfSum">>;
  /** What an empty file stands for is planned again. */
  readonly repair: boolean;
  /** Files that are newer than our rows, and say something else, are believed. */
  readonly theirs: boolean;
  /** Executions in error after which a product is held. */
  readonly executions: number;
  readonly now: Date;
}
interface ImportPlan {
  readonly lines: readonly StateLine[];
  readonly rows: readonly NodeRow[];
}

/** Whose outputs decide: a file that says ERROR, or nothing, stands for products that may be there all the same. */
export const toVerify = ({ files, units }: Pick<StateFacts, "files" | "units">): readonly SegmentNode[] =>
  files
    .filter(({ text }) => ["error", "empty", "other"].includes(readWord(text).kind))
    .flatMap(({ name }) => units.get(name)?.nodes ?? []);

/** What state files of frepp make of our rows. Each file is taken as a whole, or not at all. */
export function decideImport(facts: ImportFacts): ImportPlan {
  const plan = { lines: [] as StateLine[], rows: [] as NodeRow[] };
  for (const file of facts.files) {
    const unit = facts.units.get(file.name);
    if (!unit) {
      plan.lines.push(strangeFile(file, facts.components));
      continue;
    }
    const word = readWord(file.text);
    const wanted = unit.nodes.map(({ id }) => ({ id, row: facts.rows.get(id), to: wantedOf(word, id, facts) }));
    const differing = wanted.filter(({ row, to }) => !isAsWanted(row, to));
    const { action, reason } = decideFile(file, differing, facts.theirs);
    const ours = wordOfRows(unit.nodes, facts.rows);
    const line = { file: file.name, action, theirs: wordText(word), ours: ours && wordText(ours) };
    plan.lines.push({ ...line, nodes: differing.length, reason: reason ?? reasonOf(word, differing) });
    if (action === "take") plan.rows.push(...differing.map((one) => importedRow(one, facts)));
  }
  return plan;
}

/** A file that stands for no product. */
export function strangeFile({ name, text }: FoundFile, components: ReadonlySet<string>): StateLine {
  const named = readStateName(name);
  const isKnown = named !== null && components.has(named.component);
  const reason = isKnown ? "no product of it ends in that year" : `the request has no component ${named?.component}`;
  const action = isKnown ? ("nothing-due" as const) : ("unknown" as const);
  return { file: name, action, theirs: wordText(readWord(text)), ours: null, nodes: 0, reason };
}

type Wanted = Pick<NodeRow, "state" | "job" | "cause" | "reason" | "executions">;
interface Difference {
  readonly id: NodeId;
  readonly row: NodeRow | undefined;
  readonly to: Wanted;
}

function wantedOf(word: StateWord, id: NodeId, { verified, repair, executions }: ImportFacts): Wanted {
  const state = (state: NodeState, reason: string | null, more: Partial<Wanted> = {}): Wanted => ({
    ...{ state, reason, job: null, cause: null, executions: 0 },
    ...more,
  });
  const ended = Math.min(1, executions - 1);
  switch (word.kind) {
    case "ok":
      return state("done", null);
    case "error":
      if (verified.has(id)) return state("done", null);
      return state("failed", "it ended in error in frepp", { executions: ended, cause: "exit" });
    case "fatal":
      return state("held", "it ended in error twice in frepp", { executions, cause: "exit" });
    case "history":
      return state("input-missing", "frepp found history missing or short");
    case "interactive":
      return state("partial", "made in part by an interactive run of frepp", { job: word.text });
    case "job":
      return state("elsewhere", `job ${word.text} of frepp has it`, { job: word.text });
    case "empty":
    case "other": {
      if (verified.has(id)) return state("done", null);
      const said = "text" in word ? `state file says "${word.text.slice(0, 60)}"` : "empty state file";
      return repair ? state("missing", `${said}: planned again`) : state("held", said, { cause: UNREADABLE });
    }
  }
}

/** Lost is a failure in frepp's words; whoever is held stays so, whatever for; a count of executions is ours. */
function isAsWanted(row: NodeRow | undefined, to: Wanted): boolean {
  if (row === undefined) return to.state === "missing";
  if (row.state === "lost") return to.state === "failed";
  return row.state === to.state && (to.state !== "elsewhere" || row.job === to.job);
}

function decideFile(
  { changedAt }: FoundFile,
  differing: readonly Difference[],
  theirs: boolean,
): { readonly action: StateAction; readonly reason: string | null } {
  const rows = differing.flatMap(({ row }) => row ?? []);
  if (differing.length === 0) return { action: "same", reason: "" };
  if (rows.some(({ state }) => state === "submitted")) return { action: "keep", reason: "it runs here now" };
  // What frepp had, it may end; what is held for its file is repaired by whoever asks for it.
  const own = rows.filter(({ state, cause }) => state !== "elsewhere" && cause !== UNREADABLE);
  if (own.every((row) => changedAt <= row.changedAt) && own.length > 0)
    return { action: "keep", reason: "ours is newer" };
  if (own.length > 0 && !theirs) return { action: "conflict", reason: "the file is newer: --theirs believes it" };
  return { action: "take", reason: null };
}

function reasonOf(word: StateWord, differing: readonly Difference[]): string {
  const states = [...new Set(differing.map(({ to }) => to.state))].sort();
  const why = isSameWord(word, { kind: "empty" }) ? differing.find(({ to }) => to.reason !== null)?.to.reason : null;
  return `becomes ${states.join(" and ")}${why ? `: ${why}` : ""}`;
}

function importedRow({ id, row, to }: Difference, { verified, now }: ImportFacts): NodeRow {
  const nothing = { unit: null, dagId: null, retryAt: null, madeSum: null, madeOfSum: null };
  const { madeSum, madeOfSum } = (to.state === "done" && verified.get(id)) || nothing;
  return { ...(row ?? blankRow(id, now)), ...to, ...nothing, madeSum, madeOfSum, changedAt: now };
}
