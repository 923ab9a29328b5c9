import type { BulkItem } from "../view/tables.ts";
import { type Facts, matching } from "./facts.ts";
import type { Target, Wish } from "./wish.ts";

export const VIEWS = ["requests", "causes", "alerts", "queue"] as const;
export type View = (typeof VIEWS)[number];

/** What lies over the list. */
type Over =
  | { readonly kind: "help" }
  | { readonly kind: "filter" }
  | {
      readonly kind: "details";
      /** The request they are of, fetched again with every look; null: of something else. */
      readonly name: string | null;
      /** null: not here yet. */
      readonly lines: readonly string[] | null;
      readonly scroll: number;
    }
  /** The new priority is typed. */
  | { readonly kind: "priority"; readonly names: readonly string[]; readonly text: string }
  /** What an action would do, and why it is done. `items` null: the server is asked. */
  | {
      readonly kind: "preview";
      readonly wish: Wish;
      readonly items: readonly BulkItem[] | null;
      readonly reason: string;
    };

export interface TopState {
  readonly width: number;
  readonly height: number;
  readonly view: View;
  /** What is chosen in each list: its key, and its place should it go away. */
  readonly chosen: Readonly<Record<View, { readonly key: string | null; readonly place: number }>>;
  readonly filter: string;
  /** Ended requests, too. */
  readonly ended: boolean;
  readonly marked: ReadonlySet<string>;
  readonly over: Over | null;
  readonly facts: Facts | null;
  /** Why the last look failed; null: it did not. */
  readonly trouble: string | null;
  /** What the last action came to. */
  readonly message: string | null;
}

export const firstState = (size: Pick<TopState, "width" | "height">): TopState => ({
  ...size,
  view: "requests",
  chosen: Object.fromEntries(VIEWS.map((view) => [view, { key: null, place: 0 }])) as unknown as TopState["chosen"],
  filter: "",
  ended: false,
  marked: new Set(),
  over: null,
  facts: null,
  trouble: null,
  message: null,
});

interface Item {
  readonly key: string;
  /** What an action on it is about. */
  readonly target: Target;
}
const one = (name: string): Item => ({ key: name, target: { names: [name] } });

/** What the list of the present view holds, from top to bottom. */
export function itemsOf({ facts, view, filter }: TopState): readonly Item[] {
  if (!facts) return [];
  switch (view) {
    case "requests":
      return matching(facts.rows, filter).map(({ request_name }) => one(request_name));
    case "causes":
      return facts.causes.map(({ key, request_names: names, requests, filter }) => ({
        key,
        target: requests > names.length ? { names, filter } : { names },
      }));
    case "alerts": {
      const known = new Set(facts.rows.map(({ request_name }) => request_name));
      return facts.alerts.map(({ id, subject }) => ({
        key: id,
        target: { names: known.has(subject) ? [subject] : [] },
      }));
    }
    case "queue":
      return facts.queue.entries.map(({ request_name }) => one(request_name));
  }
}

/** Where the choice stands now: with its item, or where that was. */
export function placeIn(state: TopState, items = itemsOf(state)): number {
  const { key, place } = state.chosen[state.view];
  const found = items.findIndex((item) => item.key === key);
  return found >= 0 ? found : Math.max(0, Math.min(place, items.length - 1));
}

/** The lines a list, a page of details or of a preview has; around them are head, tabs, two lines about the choice, and a foot. */
export const rowsIn = ({ height }: Pick<TopState, "height">): number => Math.max(1, height - 6);
