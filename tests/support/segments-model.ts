import type { Interval } from "../../src/core/calendar.ts";
import type { FillChoice, NodeState, SegmentsWork } from "../../src/core/segments.ts";

/**
 * What a fill has to do, said in the slowest and plainest way: month by month, chunk by chunk, by recursion. It shares no code with
 * the planner, and knows products by family, frequency and length.
 */
export interface ModelNode extends Interval {
  readonly component: string;
  readonly product: string;
  readonly needs: readonly ModelNode[];
  /** First months of the segments it reads. */
  readonly segments: readonly number[];
}

export interface ModelFacts {
  readonly nodes: readonly ModelNode[];
  readonly stateOf: (node: ModelNode) => NodeState | "stale" | null;
  readonly isLater: (node: ModelNode) => boolean;
  readonly hasArrived: (segment: number) => boolean;
  readonly choice: FillChoice;
}

/** Every chunk there is, by trying every pair of months. */
export function modelNodes(work: SegmentsWork, to: number): readonly ModelNode[] {
  const last = work.end === null ? to : Math.min(to, work.end);
  const made = new Map<string, ModelNode>();
  const chunk = (component: string, product: string, from: number, until: number) =>
    made.get(`${component} ${product} ${from} ${until}`);
  for (const { name: component, start, products } of work.components)
    for (const product of [...products].sort((a, b) => a.lengthMonths - b.lengthMonths)) {
      const part = products.find(
        (other) =>
          other.family === product.family &&
          other.frequency === product.frequency &&
          other.lengthMonths === product.fromMonths,
      );
      for (let from = start; from < last; from++)
        for (let until = from + 1; until <= last; until++) {
          const isWhole = until - from === product.lengthMonths;
          const isTail = product.tail === "emit" && until === work.end && until - from < product.lengthMonths;
          if ((from - start) % product.lengthMonths !== 0 || !(isWhole || isTail)) continue;
          const needs = part ? pieces(from, until, (a, b) => chunk(component, part.name, a, b)) : null;
          const segments: number[] = [];
          for (let month = from; month < until; month++)
            if ((month - work.start) % work.segmentMonths === 0) segments.push(month);
          made.set(`${component} ${product.name} ${from} ${until}`, {
            component,
            product: product.name,
            from,
            to: until,
            needs: needs ?? [],
            segments: needs ? [] : segments,
          });
        }
    }
  return [...made.values()];
}

/** Chunks that follow each other from one month to another; null: there are none that do. */
function pieces(
  from: number,
  to: number,
  chunk: (from: number, to: number) => ModelNode | undefined,
): readonly ModelNode[] | null {
  if (from === to) return [];
  for (let until = to; until > from; until--) {
    const first = chunk(from, until);
    const rest = first ? pieces(until, to, chunk) : null;
    if (first && rest) return [first, ...rest];
  }
  return null;
}

/** Those that are made. */
export function modelFill(facts: ModelFacts): ReadonlySet<ModelNode> {
  const { nodes, choice, stateOf, isLater, hasArrived } = facts;
  const isChosen = ({ component, to }: ModelNode): boolean =>
    (choice.component === null || choice.component === component) &&
    (choice.from === null || to - 1 >= choice.from) &&
    (choice.to === null || to - 1 < choice.to);
  const isToBeMade = (node: ModelNode): boolean => {
    const state = stateOf(node);
    if (state === "done") return choice.mode === "all";
    if (state === "stale") return choice.mode !== "missing";
    if (state === "failed") return choice.mode !== "missing";
    return state === null || ["missing", "lost", "partial", "input-missing"].includes(state);
  };
  const isWanted = (node: ModelNode): boolean =>
    isChosen(node) ||
    (choice.recurse && nodes.some((child) => child.needs.includes(node) && isWanted(child) && isToBeMade(child)));
  const isThere = (node: ModelNode): boolean => ["done", "stale"].includes(stateOf(node) ?? "");
  const isMade = (node: ModelNode): boolean =>
    isWanted(node) &&
    isToBeMade(node) &&
    !(stateOf(node) === "failed" && isLater(node)) &&
    node.segments.every(hasArrived) &&
    node.needs.every((need) => isMade(need) || (isThere(need) && !(isWanted(need) && isToBeMade(need))));
  return new Set(nodes.filter(isMade));
}
