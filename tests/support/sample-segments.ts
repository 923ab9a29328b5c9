import { toEnd } from "../../src/core/base/slices.ts";
import { type Frequency, type Interval, monthOf, parseInterval, writeDuration } from "../../src/core/calendar.ts";
import type { HistoryFact } from "../../src/core/products.ts";
import type {
  Component,
  FillChoice,
  FillPlan,
  NodeId,
  NodeRow,
  NodeState,
  Product,
  SegmentsWork,
} from "../../src/core/segments.ts";
import { subLength } from "../../src/kinds/segments/lengths.ts";
import { segmentsOf } from "../../src/kinds/segments/nodes.ts";
import type { FillFacts } from "../../src/kinds/segments/own-state.ts";
import { planFill } from "../../src/kinds/segments/plan-fill.ts";

/** Products of one family as a document would give them: lengths in months, made of each other. */
export const sampleFamily = (
  lengths: readonly number[],
  change: Partial<Product> = {},
  family: "ts" | "ta" = "ts",
  frequency: Frequency = "monthly",
): readonly Product[] =>
  lengths.map((lengthMonths) => ({
    name: `${family}-${frequency}-${writeDuration(lengthMonths)}`,
    family,
    frequency,
    lengthMonths,
    fromMonths: subLength(lengthMonths, lengths),
    tail: "skip",
    argv: ["./make", "{output}", "{inputs}"],
    outputs: [{ path: "pp/{component}/{product}/{span}.nc", minBytes: 1, levels: null }],
    resources: { cores: 1, memoryMb: 1000, diskMb: 1000, wallMinutes: 120, gpus: 0 },
    ...change,
  }));

export const years = (...lengths: number[]): number[] => lengths.map((length) => length * 12);

export const sampleComponent = (name: string, products: readonly Product[], start = monthOf(1)): Component => ({
  name,
  start,
  products,
});

/** ts 5, 10 and 20 years of one component, years 1 to 20, history that arrives by itself. */
export const sampleSegments = (change: Partial<SegmentsWork> = {}): SegmentsWork => ({
  kind: "segments",
  experiment: "CM5",
  directory: "/runs/CM5",
  calendar: "noleap",
  start: monthOf(1),
  startDay: 1,
  segmentMonths: 12,
  end: monthOf(21),
  history: { path: "history/{date}.nc.tar", minBytes: 1, partialSuffix: ".gcp", transfer: null },
  components: [sampleComponent("atmos", sampleFamily(years(5, 10, 20)))],
  group: "product",
  sweepMinutes: 15,
  executions: 2,
  exitCodes: { inputMissing: [66], transient: [75] },
  ...change,
});

export const TRANSFER = {
  argv: ["./fetch", "{date}", "{output}"],
  waitHours: [0, 1, 2],
  resources: { cores: 1, memoryMb: 1000, diskMb: 1000, wallMinutes: 60, gpus: 0 },
};

export const NOW = new Date("2026-11-16T12:00:00Z");

export const sampleRow = (id: NodeId, state: NodeState, change: Partial<NodeRow> = {}): NodeRow => ({
  id,
  state,
  epoch: 0,
  executions: 0,
  losses: 0,
  overruns: 0,
  transfers: 0,
  reason: null,
  cause: null,
  unit: state === "submitted" ? "job_000000" : null,
  dagId: null,
  job: state === "elsewhere" ? "4711" : null,
  retryAt: null,
  madeSum: null,
  madeOfSum: null,
  version: 1,
  changedAt: NOW,
  ...change,
});

/** The product of atmos that ends in this year: 5 → 0001-0005, 10 → 0001-0010, 20 → 0001-0020. */
export const due = (year: number, length?: number, component = "atmos"): NodeId => {
  const years = length ?? (year % 20 === 0 ? 20 : year % 10 === 0 ? 10 : 5);
  const written = (at: number): string => String(at).padStart(4, "0");
  return `${component}/ts-monthly-${years}y/${written(year - years + 1)}-${written(year)}`;
};

export const FAILED: FillChoice = { component: null, from: null, to: null, mode: "failed", recurse: true };

/** Everything is there, nobody knows of anything that runs, and all is asked for. */
export function fillFacts(
  change: Partial<Omit<FillFacts, "rows" | "choice">> & {
    rows?: readonly NodeRow[];
    choice?: Partial<FillChoice>;
    /** Segments that are not as they should be: 0013. */
    without?: Readonly<Record<string, HistoryFact["state"]>>;
  } = {},
): FillFacts {
  const { rows = [], choice, without = {}, ...rest } = change;
  const work = change.work ?? sampleSegments();
  const range = change.range ?? { from: work.start, to: work.end ?? work.start };
  return {
    request: "cm5",
    work,
    range,
    rows: new Map(rows.map((row) => [row.id, row])),
    live: new Map(),
    locks: new Map(),
    history: sampleHistory(segmentsOf(work, range.to), without),
    choice: { ...FAILED, ...choice },
    now: NOW,
    ...rest,
  };
}

export function sampleHistory(
  segments: readonly Interval[],
  without: Readonly<Record<string, HistoryFact["state"]>> = {},
): FillFacts["history"] {
  const whole = { state: "present", stamp: { sizeBytes: 10, mtime: 1 } } as const;
  const facts = new Map<number, HistoryFact>(segments.map(({ from }) => [from, whole]));
  for (const [text, state] of Object.entries(without))
    facts.set(parseInterval(text)!.from, { state, stamp: state === "short" ? { sizeBytes: 0, mtime: 1 } : null });
  return facts;
}

/** A plan in short: what is done after what, and what is not, by what. */
export function inShort({ actions, obstacles }: FillPlan) {
  return {
    actions: actions.map(({ node, kind, after }) => [kind, node, ...after].join(" ")),
    obstacles: obstacles.map(({ node, kind, causes }) => [kind, node, ...causes.filter((id) => id !== node)].join(" ")),
  };
}
export const planned = (change: Parameters<typeof fillFacts>[0] = {}) => inShort(toEnd(planFill(fillFacts(change))));
