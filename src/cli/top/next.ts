import type { CauseView } from "../../operations/desk.ts";
import type { OperatorAction } from "../../recovery/round/actions.ts";
import { type BulkItem, bulkSummary } from "../view/tables.ts";
import { causePage } from "./cause-page.ts";
import type { Facts } from "./facts.ts";
import { itemsOf, placeIn, rowsIn, type TopState, VIEWS, type View } from "./state.ts";
import { readPriority, type Target, type Wish } from "./wish.ts";

/** A key has a name ("up", "enter", "ctrl-c") or is the sign itself. */
export type TopEvent =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "resize"; readonly width: number; readonly height: number }
  | { readonly kind: "facts"; readonly facts: Facts }
  | { readonly kind: "trouble"; readonly message: string }
  | { readonly kind: "details"; readonly name: string; readonly lines: readonly string[] }
  | { readonly kind: "previewed"; readonly wish: Wish; readonly items: readonly BulkItem[] }
  | { readonly kind: "acted"; readonly wish: Wish; readonly items: readonly BulkItem[] }
  /** An answer to something asked by hand was an error. */
  | { readonly kind: "refused"; readonly message: string }
  /** Time has passed. */
  | { readonly kind: "tick" };

export type Effect =
  | { readonly do: "quit" | "look" | "redraw" | "suspend" }
  | { readonly do: "preview"; readonly wish: Wish }
  | { readonly do: "act"; readonly wish: Wish; readonly previewed: readonly BulkItem[]; readonly reason: string };

interface Step {
  readonly state: TopState;
  readonly effect?: Effect;
}

/** Keys that ask for something, as the help lists them. */
export const ACTION_KEYS = {
  h: ["hold", "hold: stop it and have somebody look"],
  r: ["release", "release: let a held one go on"],
  s: ["stop", "stop: it stays stopped until it is resumed"],
  u: ["resume", "resume what a person stopped or held"],
  f: ["resubmit", "run everything that failed again, with a new budget"],
  X: ["abort", "abort: end it for good"],
} as const satisfies Record<string, readonly [OperatorAction, string]>;

/** What happens next: the state after an event, and what is to be done about it. */
export function next(state: TopState, event: TopEvent): Step {
  switch (event.kind) {
    case "key":
      return onKey(state, event.key);
    case "tick":
      return { state };
    case "resize":
      return { state: { ...state, width: event.width, height: event.height }, effect: { do: "look" } };
    case "facts":
      return { state: followed({ ...state, facts: event.facts, trouble: null }) };
    case "trouble":
      return { state: { ...state, trouble: event.message } };
    case "details":
      return { state: withDetails(state, event.name, event.lines) };
    case "previewed":
      return { state: previewed(state, event.wish, event.items) };
    case "acted":
      return {
        state: { ...state, marked: refusedOnly(event.items), message: actedText(event.wish, event.items) },
        effect: { do: "look" },
      };
    case "refused":
      return { state: { ...state, over: state.over?.kind === "preview" ? null : state.over, message: event.message } };
  }
}

/** The choice keeps its item when rows move, and its place when the item is gone. */
function followed(state: TopState): TopState {
  const items = itemsOf(state);
  const place = placeIn(state, items);
  const key = items[place]?.key ?? null;
  return { ...state, chosen: { ...state.chosen, [state.view]: { key, place } } };
}

/** What was refused stays marked, so that it can be tried otherwise. */
const refusedOnly = (items: readonly BulkItem[]): ReadonlySet<string> =>
  items.length < 2 ? new Set() : new Set(items.filter(isRefused).map(({ request_name }) => request_name));
const isRefused = ({ outcome }: BulkItem): boolean => !["done", "would", "already"].includes(outcome);

function actedText({ action }: Wish, items: readonly BulkItem[]): string {
  const told = items.find(isRefused) ?? (items.length === 1 ? items[0] : undefined);
  return `${action}: ${bulkSummary(items)}${told ? ` (${told.request_name}: ${told.message})` : ""}`;
}

function withDetails(state: TopState, name: string, lines: readonly string[]): TopState {
  const { over } = state;
  if (over?.kind !== "details" || over.name !== name) return state;
  return { ...state, over: scrolled({ ...over, lines }, 0, state) };
}

function scrolled<D extends { readonly lines: readonly string[] | null; readonly scroll: number }>(
  details: D,
  by: number,
  state: TopState,
): D {
  const most = Math.max(0, (details.lines?.length ?? 0) - rowsIn(state) - 2);
  return { ...details, scroll: Math.max(0, Math.min(details.scroll + by, most)) };
}

/** An answer to a question that was taken back is not shown. */
function previewed(state: TopState, wish: Wish, items: readonly BulkItem[]): TopState {
  const { over } = state;
  return over?.kind === "preview" && over.wish === wish ? { ...state, over: { ...over, items } } : state;
}

function onKey(state: TopState, key: string): Step {
  if (key === "ctrl-c") return { state, effect: { do: "quit" } };
  if (key === "ctrl-z") return { state, effect: { do: "suspend" } };
  if (key === "ctrl-l") return { state, effect: { do: "redraw" } };
  switch (state.over?.kind) {
    case undefined:
      return onListKey({ ...state, message: null }, key);
    case "help":
      return { state: { ...state, over: null } };
    case "filter":
      return onFilterKey(state, key);
    case "details":
      return onDetailsKey({ ...state, message: null }, state.over, key);
    case "priority":
      return onPriorityKey(state, state.over, key);
    case "preview":
      return onPreviewKey(state, state.over, key);
  }
}

function onListKey(state: TopState, key: string): Step {
  const items = itemsOf(state);
  const place = placeIn(state, items);
  const by = stepsOf(key, rowsIn(state), items.length);
  if (by !== null) return { state: choose(state, place + by) };
  const target = items[place]?.target ?? { names: [] };
  switch (key) {
    case "q":
      return { state, effect: { do: "quit" } };
    case "?":
      return { state: { ...state, over: { kind: "help" } } };
    case "/":
      return { state: { ...state, view: "requests", over: { kind: "filter" } } };
    case "tab":
      return { state: seeing(state, VIEWS[(VIEWS.indexOf(state.view) + 1) % VIEWS.length] as View) };
    case "1":
    case "2":
    case "3":
    case "4":
      return { state: seeing(state, VIEWS[Number(key) - 1] as View) };
    case "escape":
      return { state: { ...state, filter: "", marked: new Set() } };
    case "e":
      return { state: { ...state, ended: !state.ended }, effect: { do: "look" } };
    case " ":
      return { state: choose(mark(state, target.names), place + 1) };
    case "enter":
      return open(state, target.names);
    default:
      return onActionKey(state, key, state.marked.size > 0 ? { names: [...state.marked] } : target);
  }
}

const seeing = (state: TopState, view: View): TopState => followed({ ...state, view });

/** How far a key moves; null: it is no such key. */
function stepsOf(key: string, page: number, all: number): number | null {
  const steps: Record<string, number> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -page,
    pagedown: page,
    home: -all,
    end: all,
  };
  return Object.hasOwn(steps, key) ? (steps[key] ?? null) : null;
}

function choose(state: TopState, wanted: number): TopState {
  const items = itemsOf(state);
  const place = Math.max(0, Math.min(wanted, items.length - 1));
  return { ...state, chosen: { ...state.chosen, [state.view]: { key: items[place]?.key ?? null, place } } };
}

function mark(state: TopState, names: readonly string[]): TopState {
  const marked = new Set(state.marked);
  const all = names.every((name) => marked.has(name));
  for (const name of names) {
    if (all) marked.delete(name);
    else marked.add(name);
  }
  return { ...state, marked };
}

function open(state: TopState, names: readonly string[]): Step {
  const [name] = names;
  if (name === undefined) return { state };
  if (state.view === "causes") {
    const lines = causePage(state.facts?.causes[placeIn(state)] as CauseView, state.width);
    return { state: { ...state, over: { kind: "details", name: null, lines, scroll: 0 } } };
  }
  const over = { kind: "details", name, lines: null, scroll: 0 } as const;
  return { state: { ...state, over }, effect: { do: "look" } };
}

function onActionKey(state: TopState, key: string, target: Target): Step {
  const { names } = target;
  if (names.length === 0) return { state };
  if (key === "p") return { state: { ...state, over: { kind: "priority", names, text: "" } } };
  if (!Object.hasOwn(ACTION_KEYS, key)) return { state };
  const [action] = ACTION_KEYS[key as keyof typeof ACTION_KEYS];
  return ask(state, { action, ...target });
}

function ask(state: TopState, wish: Wish): Step {
  const preview = { kind: "preview", wish, items: null, reason: "" } as const;
  return { state: { ...state, over: preview, message: null }, effect: { do: "preview", wish } };
}

function onFilterKey(state: TopState, key: string): Step {
  if (key === "enter") return { state: { ...state, over: null } };
  if (key === "escape") return { state: followed({ ...state, over: null, filter: "" }) };
  if (key === "up" || key === "down") return { state: choose(state, placeIn(state) + (key === "up" ? -1 : 1)) };
  return { state: followed({ ...state, filter: edited(state.filter, key) }) };
}

function onDetailsKey(state: TopState, over: Extract<TopState["over"], { kind: "details" }>, key: string): Step {
  const by = stepsOf(key, rowsIn(state), over.lines?.length ?? 0);
  if (by !== null) return { state: { ...state, over: scrolled(over, by, state) } };
  if (key === "q" || key === "escape" || key === "left" || key === "enter") return { state: { ...state, over: null } };
  if (key === "?") return { state: { ...state, over: { kind: "help" } } };
  const target = over.name === null ? itemsOf(state)[placeIn(state)]?.target : { names: [over.name] };
  return target ? onActionKey(state, key, target) : { state };
}

function onPriorityKey(state: TopState, over: Extract<TopState["over"], { kind: "priority" }>, key: string): Step {
  if (key === "escape") return { state: { ...state, over: null } };
  if (key !== "enter") return { state: { ...state, over: { ...over, text: edited(over.text, key) }, message: null } };
  const change = readPriority(over.text);
  if (!change) return { state: { ...state, message: "a priority is a whole number from 0, or urgent, or normal" } };
  const wish = { action: "priority", names: over.names, change } as const;
  return {
    state: { ...state, over: { kind: "preview", wish, items: null, reason: "" }, message: null },
    effect: { do: "preview", wish },
  };
}

function onPreviewKey(state: TopState, over: Extract<TopState["over"], { kind: "preview" }>, key: string): Step {
  if (key === "escape") return { state: { ...state, over: null, message: "nothing was done" } };
  if (!mayAct(over.items)) return { state };
  if (key !== "enter")
    return { state: { ...state, over: { ...over, reason: edited(over.reason, key) }, message: null } };
  const reason = over.reason.trim();
  if (needsReason(over.wish) && !reason)
    return { state: { ...state, message: "enter a reason: it is kept with the request" } };
  const message = `${over.wish.action} …`;
  return {
    state: { ...state, over: null, message },
    effect: { do: "act", wish: over.wish, previewed: over.items ?? [], reason },
  };
}

/** Nothing is done that would change nothing. */
export const mayAct = (items: readonly BulkItem[] | null): boolean =>
  items?.some(({ outcome }) => outcome === "would") === true;

/** A priority is kept without one. */
export const needsReason = ({ action }: Wish): boolean => action !== "priority";

const MOST_TYPED = 200;

/** Text after a key. */
function edited(text: string, key: string): string {
  if (key === "backspace") return [...text].slice(0, -1).join("");
  if (key === "ctrl-u") return "";
  return [...key].length === 1 && text.length < MOST_TYPED ? text + key : text;
}
