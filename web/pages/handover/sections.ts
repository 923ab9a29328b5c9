import type { Answer } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";
import { count } from "../../words.ts";

export type Handover = Answer<"desk.handover">;
export type Group = Handover["groups"][number];
export type Kind = Group["kind"];

/** The parts of a report, in the order in which they are read; the words are those of the filter. */
export const KINDS: readonly (readonly [kind: Kind, title: string])[] = [
  ["action", "What was done"],
  ["ban", "Bans"],
  ["alert", "Alerts"],
  ["transition", "Requests"],
  ["run", "Runs of the engine"],
];
export const KIND_LOOK: Readonly<Record<Kind, readonly [Tone, string]>> = {
  action: ["waiting", "⚑"],
  ban: ["failed", "B"],
  alert: ["held", "!"],
  transition: ["running", "→"],
  run: ["retrying", "R"],
};
export const SINCES = ["1h", "8h", "12h", "1d", "3d", "7d"] as const;

/** Sections that have something to say. */
export const sectionsOf = (groups: readonly Group[]) =>
  KINDS.flatMap(([kind, title]) => {
    const of = groups.filter((group) => group.kind === kind);
    return of.length > 0 ? [{ kind, title, groups: of }] : [];
  });

/** One sentence on top: what waits for a person, and what happened. */
export function handoverSentence({ open, groups }: Handover): string {
  const held = open.filter(({ kind }) => kind === "held").length;
  const needs = [
    ...(held > 0 ? [`${count(held, "request is", "requests are")} held`] : []),
    ...(open.length > held ? [`${count(open.length - held, "other matter is", "other matters are")} open`] : []),
  ];
  const moved = (word: string) =>
    groups
      .filter(({ kind, what }) => kind === "transition" && what === word)
      .reduce((sum, { subjects }) => sum + subjects.length, 0);
  const actions = groups.filter(({ kind }) => kind === "action").reduce((sum, group) => sum + group.count, 0);
  const since = [
    ...["completed", "failed", "aborted", "held"].map((word) => [moved(word), word === "held" ? "were held" : word]),
    [actions, actions === 1 ? "action" : "actions"],
  ].flatMap(([number, word]) => (number ? [`${number} ${word}`] : []));
  return `${needs.join(", ") || "Nothing waits for a person"}. In this time: ${since.join(", ") || "nothing"}.`;
}
