import type { Answer } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";

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
