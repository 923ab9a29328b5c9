import { writeYear, yearOf } from "../../../core/calendar.ts";
import type { Component, NodeId, NodeRow, SegmentNode } from "../../../core/segments.ts";

/** What a state file of frepp says about everything that a component owes in one year. */
export type StateWord =
  | { readonly kind: "ok" | "error" | "fatal" | "history" | "empty" }
  | { readonly kind: "interactive" | "job" | "other"; readonly text: string };

const WORDS = { OK: "ok", ERROR: "error", FATAL: "fatal", HISTORYDATAERROR: "history", "": "empty" } as const;
const TEXTS = { ok: "OK", error: "ERROR", fatal: "FATAL", history: "HISTORYDATAERROR", empty: "" } as const;

/** The first line counts. Whatever is in a file is some word. */
export function readWord(content: string): StateWord {
  const text = (content.split("\n", 1)[0] ?? "").trim();
  if (Object.hasOwn(WORDS, text)) return { kind: WORDS[text as keyof typeof WORDS] };
  if (/^\d+$/.test(text)) return { kind: "job", text };
  return { kind: text === "INTERACTIVE" || text.startsWith("INT-") ? "interactive" : "other", text };
}

export const wordText = (word: StateWord): string => ("text" in word ? word.text : TEXTS[word.kind]);
/** As it is written; frepp takes a file without any text for one that it leaves alone. */
export const fileText = (word: StateWord): string => (word.kind === "empty" ? "" : `${wordText(word)}\n`);

/** Whether both mean the same to us: what cannot be understood is as good as empty. */
export const isSameWord = (a: StateWord | null, b: StateWord | null): boolean =>
  a === null || b === null ? a === b : meaning(a) === meaning(b);
const meaning = (word: StateWord): string =>
  word.kind === "job" ? `job ${word.text}` : word.kind === "other" ? "empty" : word.kind;

/** `atmos.0005`: a component and a year, with four digits at least; null: it is no state file. */
export function readStateName(name: string): { readonly component: string; readonly year: number } | null {
  const [, component, digits = ""] = /^(.+)\.(\d{4,5})$/s.exec(name) ?? [];
  return component !== undefined && writeYear(Number(digits)) === digits ? { component, year: Number(digits) } : null;
}

/** What one file stands for. */
export interface StateUnit {
  readonly file: string;
  readonly nodes: readonly SegmentNode[];
}

/** The files of all these nodes; years count from the start of their component. History has none. */
export function stateUnits(
  components: readonly Component[],
  nodes: Iterable<SegmentNode>,
): ReadonlyMap<string, StateUnit> {
  const starts = new Map(components.map(({ name, start }) => [name, start]));
  const units = new Map<string, SegmentNode[]>();
  for (const node of nodes) {
    const start = node.component === null ? undefined : starts.get(node.component);
    if (start === undefined) continue;
    const year = yearOf(start) + Math.floor((node.interval.to - 1 - start) / 12);
    const file = `${node.component}.${writeYear(year)}`;
    const unit = units.get(file);
    if (unit) unit.push(node);
    else units.set(file, [node]);
  }
  return new Map([...units].map(([file, nodes]) => [file, { file, nodes }]));
}

/** Held because of a state file that says nothing: frepp leaves such a unit alone, and so do we until somebody looks. */
export const UNREADABLE = "state-file";

/** From worst to best: what a file says is what is worst among all it stands for. */
const WORST = ["fatal", "error", "history", "interactive", "empty", "job", "none", "ok"] as const;

/** What our rows say, in the words of frepp; null: there should be no file. */
export function wordOfRows(nodes: readonly SegmentNode[], rows: ReadonlyMap<NodeId, NodeRow>): StateWord | null {
  const words = nodes.map(({ id }) => wordOfRow(rows.get(id)));
  const worst = WORST.find((kind) => words.some((word) => word.kind === kind));
  const word = words.find(({ kind }) => kind === worst);
  return word === undefined || word.kind === "none" ? null : word;
}

/** What runs here has no id in frepp's queue: an empty file keeps frepp from starting it a second time. */
function wordOfRow(row: NodeRow | undefined): StateWord | { readonly kind: "none" } {
  switch (row?.state) {
    case undefined:
    case "missing":
      return { kind: "none" };
    case "done":
      return { kind: "ok" };
    case "failed":
    case "lost":
      return { kind: "error" };
    case "held":
      return { kind: row.cause === UNREADABLE ? "empty" : "fatal" };
    case "input-missing":
      return { kind: "history" };
    case "partial":
      return { kind: "interactive", text: row.job ?? "INTERACTIVE" };
    case "elsewhere":
      return row.job === null ? { kind: "empty" } : { kind: "job", text: row.job };
    case "submitted":
    case "unknown":
      return { kind: "empty" };
  }
}
