import { listed, plural } from "../base/text.ts";
import { holdFor } from "../domain/holds.ts";
import type { HoldReason } from "../domain/request.ts";
import { describeDamage, type UnitDamage } from "../recovery/round/damage.ts";
import type { KeptAway } from "./avoid-closed-sites.ts";
import type { Rescue } from "./decision.ts";
import { changesFor, type RerunWish, sitesFor } from "./rerun-wish.ts";

/** What a rescue is about, stored with its DAG before anything is changed. */
export interface RescueNote
  extends Pick<RerunWish, "changes" | "nodeChanges" | "sameEpoch">,
    Pick<Rescue, "reelectUnits" | "epochOf"> {
  readonly units: readonly string[];
  readonly by: string;
  readonly reason: string;
}

type Nodes = readonly string[] | null;

/** What is changed in the directory of one unit, in this order; null: all its nodes, absent: nothing. */
export interface UnitSteps {
  readonly unit: string;
  /** These run again though they had stopped for good; of the others only what level 1 left open. */
  readonly letRun?: Nodes;
  readonly avoidSites?: readonly string[];
  readonly openEpoch?: Nodes;
  readonly adjust?: { readonly nodes: Nodes; readonly changesOf: (node: string) => ReturnType<typeof changesFor> };
  readonly landAt?: readonly string[];
}

type Held = { readonly kind: "hold"; readonly hold: HoldReason };

/** Before anything is changed: can the directory be run from at all, and what has to change in it? */
export function decideSteps(
  note: RescueNote,
  damaged: readonly UnitDamage[],
): Held | { readonly kind: "change"; readonly steps: readonly UnitSteps[] } {
  if (damaged.length > 0) {
    const evidence = { damaged: damaged.slice(0, 20) };
    return { kind: "hold", hold: holdFor("unit-directory-damaged", describeDamage(damaged), evidence) };
  }
  const epochs = note.epochOf ?? {};
  const moves = new Map(note.reelectUnits.map(({ unit, avoidSites }) => [unit, avoidSites]));
  const runs = new Set(note.units);
  const units = [...new Set([...note.units, ...moves.keys(), ...Object.keys(epochs)])];
  const steps = units.map((unit): UnitSteps => {
    const avoidSites = moves.get(unit);
    const opens = unit in epochs;
    const nodes = epochs[unit] ?? null;
    return {
      unit,
      ...(runs.has(unit) && { letRun: opens ? nodes : [] }),
      ...(avoidSites && { avoidSites }),
      ...(opens && opening(note, unit, nodes)),
    };
  });
  return { kind: "change", steps };
}

function opening(note: RescueNote, unit: string, nodes: Nodes): Partial<UnitSteps> {
  const opened = nodes?.filter((node) => !note.sameEpoch?.includes(`${unit}/${node}`)) ?? null;
  const landAt = sitesFor(note, unit);
  return {
    ...(opened?.length !== 0 && { openEpoch: opened }),
    adjust: { nodes, changesOf: (node) => changesFor(note, unit, node) },
    ...(landAt.length > 0 && { landAt }),
  };
}

/** After the changes: may it be submitted? `trouble`: why the engine could not go on from the rescue files. */
export function decideReady(
  { moved, narrowed, nowhere, closed }: KeptAway,
  trouble: string | null,
  submitDir: string,
  reason: string,
): Held | { readonly kind: "ready"; readonly reason: string } {
  if (nowhere.length > 0) {
    const message = `${plural(nowhere.length, "unit")} could run nowhere (${listed(nowhere)}): ${listed(closed)}`;
    const evidence = { bannedSites: closed, units: nowhere.slice(0, 20) };
    return { kind: "hold", hold: holdFor("no-site-left", message, evidence) };
  }
  if (trouble) return { kind: "hold", hold: holdFor("rescue-damaged", trouble, { submitDir }) };
  const changed = [
    ...(moved > 0 ? [`${plural(moved, "unit")} placed anew`] : []),
    ...(narrowed > 0 ? [`${plural(narrowed, "unit")} kept away`] : []),
  ].join(", ");
  return { kind: "ready", reason: changed === "" ? reason : `${reason}; ${changed}: ${listed(closed)}` };
}
