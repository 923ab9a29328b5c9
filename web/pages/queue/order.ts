import { MAX_PRIORITY } from "../../../src/core/request.ts";
import type { Answer } from "../../api/client.ts";

export type Entry = Answer<"admission.queue">["entries"][number];
/** Priorities as they could be, by request. */
export type WhatIf = ReadonlyMap<string, number>;

/** From the address: name:priority, those that are none left out. */
export function readWhatIf(words: readonly string[]): WhatIf {
  const pairs = words.map((word) => /^([A-Za-z0-9][\w.-]*):(\d{1,10})$/.exec(word));
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1]!, Math.min(MAX_PRIORITY, Number(pair[2]))] as const] : [])));
}
export const writeWhatIf = (whatIf: WhatIf): string[] => [...whatIf].map(([name, priority]) => `${name}:${priority}`);

/** One more request with another priority; as it was: it is left out. */
export function withPriority(whatIf: WhatIf, now: readonly Entry[], name: string, priority: number): WhatIf {
  const { [name]: _, ...others } = Object.fromEntries(whatIf);
  const before = now.find((entry) => entry.request_name === name)?.priority;
  return new Map(Object.entries(priority === before ? others : { ...others, [name]: priority }));
}

/** The priority that brings a request nearest to a place (1 is first), or why none does. */
export function priorityFor(
  order: readonly Entry[],
  name: string,
  place: number,
): { readonly priority: number } | { readonly whyNot: string } {
  const from = order.findIndex((entry) => entry.request_name === name);
  const moved = order[from];
  if (!moved) return { whyNot: `${name} waits no more` };
  const to = Math.max(0, Math.min(order.length - 1, place - 1));
  if (to === from) return { priority: moved.priority };
  const passed = order[to]!;
  if (passed.urgent !== moved.urgent)
    return { whyNot: passed.urgent ? "urgent ones go first" : "an urgent one goes before all that are not" };
  if (to < from)
    return passed.priority < MAX_PRIORITY ? { priority: passed.priority + 1 } : { whyNot: "no priority is higher" };
  return passed.priority > 0 ? { priority: passed.priority - 1 } : { whyNot: "no priority is lower than 0" };
}

export interface Move {
  readonly name: string;
  readonly place: readonly [now: number, then: number];
  readonly priority: readonly [now: number, then: number];
}

/** What would change: those that get another priority, and those that only change places by it. */
export function movesBetween(now: readonly Entry[], then: readonly Entry[]): { chosen: Move[]; others: Move[] } {
  const before = new Map(now.map((entry) => [entry.request_name, entry]));
  const moves = then.flatMap((entry): Move[] => {
    const old = before.get(entry.request_name);
    if (!old || (old.place === entry.place && old.priority === entry.priority)) return [];
    return [{ name: entry.request_name, place: [old.place, entry.place], priority: [old.priority, entry.priority] }];
  });
  const isChosen = ({ priority: [a, b] }: Move) => a !== b;
  return { chosen: moves.filter(isChosen), others: moves.filter((move) => !isChosen(move)) };
}
