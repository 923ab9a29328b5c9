import { eachInSlices } from "../../core/base/slices.ts";
import { listed } from "../../core/base/text.ts";
import type { Interval } from "../../core/calendar.ts";
import type { CellState, FillAction, FillObstacle, NodeId, SegmentNode } from "../../core/segments.ts";
import { executionsLeft } from "./decide-node.ts";
import { historyId, historyPath } from "./nodes.ts";
import { type FillFacts, HISTORY_FAULTS, type OwnState, ownState } from "./own-state.ts";

interface Settled {
  readonly actions: readonly FillAction[];
  readonly obstacles: readonly FillObstacle[];
  /** Of all nodes that were asked for. */
  readonly cells: ReadonlyMap<NodeId, CellState>;
}

/** What whoever needs a node can count on: it is there, it is made in this plan, or something stands at the beginning. */
type Fate = "there" | "made" | Block;
interface Block extends Pick<FillObstacle, "causes" | "until"> {
  /** About the first of its causes. */
  readonly why: string;
  readonly word: "blocked by" | "waits for";
}
type Act = Extract<OwnState, { is: "act" }>;
type Stop = Extract<OwnState, { is: "stop" }>;

/** Walks from what is needed to what needs it, and makes of each node an action, an obstacle or nothing. */
export function* settle(
  nodes: readonly SegmentNode[],
  wanted: ReadonlyMap<NodeId, OwnState>,
  facts: FillFacts,
): Generator<undefined, Settled> {
  const plan = new Settling(facts);
  yield* eachInSlices(nodes, (node) => {
    const own = wanted.get(node.id);
    if (!own) plan.leave(node);
    else if (own.is === "done") plan.keep(node, own.doubt);
    else if (own.is === "stop") plan.stop(node, own);
    else plan.act(node, own);
  });
  return plan;
}

class Settling implements Settled {
  readonly actions: FillAction[] = [];
  readonly obstacles: FillObstacle[] = [];
  readonly cells = new Map<NodeId, CellState>();
  readonly #fates = new Map<NodeId, Fate>();
  readonly #facts: FillFacts;

  constructor(facts: FillFacts) {
    this.#facts = facts;
  }

  /** Nobody asked for it; others may need it all the same. */
  leave(node: SegmentNode): void {
    const own = ownState(node, this.#facts);
    if (own.is === "done" || this.#facts.rows.get(node.id)?.state === "done") this.keep(node, null);
    else if (own.is === "stop") this.#fates.set(node.id, blockOf(node.id, own.why, own));
    else this.#fates.set(node.id, blockOf(node.id, "is not made, and --no-recurse leaves alone what is needed", null));
  }

  keep(node: SegmentNode, doubt: string | null): void {
    this.#fates.set(node.id, "there");
    this.cells.set(node.id, doubt === null ? "done" : "stale");
    const anew = node.needs.filter((id) => this.#fates.get(id) === "made");
    const why =
      anew.length > 0
        ? `is made of ${listed(anew)}, which this plan makes: it is made again if that changes it`
        : doubt;
    if (why !== null) this.#oppose(node.id, "stale", why, [node.id], null);
  }

  stop(node: SegmentNode, own: Stop): void {
    this.cells.set(node.id, own.cell);
    this.#fates.set(node.id, blockOf(node.id, own.why, own));
    this.#oppose(node.id, own.kind, own.why, [node.id], own.until);
  }

  act(node: SegmentNode, own: Act): void {
    const { rows, work } = this.#facts;
    if (!work.history.transfer && this.#lacksHistory(node)) return;
    const first = [...node.needs, ...(work.history.transfer ? node.history.map(historyId) : [])];
    const blocks = first.map((id) => this.#fates.get(id)).filter((fate) => typeof fate === "object");
    if (blocks.length > 0) {
      this.#block(node, blocks);
      return;
    }
    const after = first.filter((id) => this.#fates.get(id) === "made");
    const retries = own.kind === "transfer" ? 0 : executionsLeft(work, rows.get(node.id)) - 1;
    this.actions.push({ node: node.id, kind: own.kind, reason: own.why, after, retries });
    this.cells.set(node.id, own.cell === "missing" && after.length > 0 ? "waiting" : own.cell);
    this.#fates.set(node.id, "made");
  }

  #block(node: SegmentNode, blocks: readonly Block[]): void {
    const causes = [...new Set(blocks.flatMap((block) => block.causes))];
    const [{ why, word }] = blocks as [Block];
    const more = causes.length > 1 ? ` (and ${causes.length - 1} more)` : "";
    const times = blocks.map(({ until }) => until?.getTime() ?? Number.POSITIVE_INFINITY);
    const last = Math.max(...times);
    const until = Number.isFinite(last) ? new Date(last) : null;
    this.cells.set(node.id, "waiting");
    this.#fates.set(node.id, { causes, why, word, until });
    this.#oppose(node.id, "blocked", `${word} ${causes[0]}: ${why}${more}`, causes, until);
  }

  /** Where history arrives by itself, somebody else has to see to it. */
  #lacksHistory({ id, history }: SegmentNode): boolean {
    const { work } = this.#facts;
    const stateAt = ({ from }: Interval) => this.#facts.history.get(from)?.state ?? "unknown";
    const lacking = history.filter((segment) => stateAt(segment) !== "present");
    if (lacking.length === 0) return false;
    const kind = lacking.every((segment) => stateAt(segment) === "unknown") ? "unknown" : "no-history";
    const files = lacking.map((segment) => {
      const state = stateAt(segment);
      return `${historyPath(work, segment)} ${state === "present" ? "" : HISTORY_FAULTS[state]}`;
    });
    const causes = lacking.map(historyId);
    this.cells.set(id, kind);
    this.#fates.set(id, { causes, why: files[0]!, word: "blocked by", until: null });
    this.#oppose(id, kind, `history: ${listed(files)}`, causes, null);
    return true;
  }

  #oppose(
    node: NodeId,
    kind: FillObstacle["kind"],
    reason: string,
    causes: readonly NodeId[],
    until: Date | null,
  ): void {
    this.obstacles.push({ node, kind, reason, causes, until });
  }
}

const MOVES_BY_ITSELF: readonly FillObstacle["kind"][] = ["running", "elsewhere", "later"];
const blockOf = (id: NodeId, why: string, stop: Stop | null): Block => ({
  causes: [id],
  why,
  word: stop && MOVES_BY_ITSELF.includes(stop.kind) ? "waits for" : "blocked by",
  until: stop?.until ?? null,
});
