import { groupBy } from "../core/base/group-by.ts";
import { listed, plural } from "../core/base/text.ts";
import { holdFor } from "../core/holds.ts";
import type { HoldReason } from "../core/request.ts";
import { shapeOf } from "../core/roles.ts";
import { type DamagedRescue, describeDamage, describeRescues, type UnitDamage } from "../recovery/round/damage.ts";
import { unitFolder } from "../submit-dir/names.ts";
import type { KeptAway } from "./avoid-closed-sites.ts";
import type { Rescue } from "./decision.ts";
import { changesFor, type RerunWish, sitesFor } from "./rerun-wish.ts";

/** What a rescue is about, stored with its DAG before anything is changed. */
export interface RescueNote
  extends Pick<RerunWish, "changes" | "nodeChanges" | "sameEpoch" | "said" | "alone">,
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
  /** These failed and are left as they are by this run. */
  readonly leave?: readonly string[];
  readonly avoidSites?: readonly string[];
  readonly openEpoch?: Nodes;
  readonly adjust?: { readonly nodes: Nodes; readonly changesOf: (node: string) => ReturnType<typeof changesFor> };
  readonly landAt?: readonly string[];
}

type Held = { readonly kind: "hold"; readonly hold: HoldReason };

/**
 * Before anything is changed: can the directory be run from at all, and what has to change in it? `failed`: the nodes that
 * did, where only the named ones are to run again.
 */
export function decideSteps(
  note: RescueNote,
  damaged: readonly UnitDamage[],
  failed: readonly { readonly unit: string; readonly node: string }[] = [],
): Held | { readonly kind: "change"; readonly steps: readonly UnitSteps[] } {
  if (damaged.length > 0) {
    const evidence = { damaged: damaged.slice(0, 20) };
    return { kind: "hold", hold: holdFor("unit-directory-damaged", describeDamage(damaged), evidence) };
  }
  const epochs = note.epochOf ?? {};
  const moves = new Map(note.reelectUnits.map(({ unit, avoidSites }) => [unit, avoidSites]));
  const runs = new Set(note.units);
  const others = groupBy(
    failed.filter(({ unit, node }) => !(unit in epochs && (epochs[unit]?.includes(node) ?? true))),
    ({ unit }) => unit,
  );
  const units = [...new Set([...note.units, ...moves.keys(), ...Object.keys(epochs), ...others.keys()])];
  const steps = units.map((unit): UnitSteps => {
    const avoidSites = moves.get(unit);
    const opens = unit in epochs;
    const nodes = epochs[unit] ?? null;
    const leave = others.get(unit)?.map(({ node }) => node);
    return {
      unit,
      ...(runs.has(unit) && { letRun: opens ? nodes : [] }),
      ...(leave && { leave }),
      ...(avoidSites && { avoidSites }),
      ...(opens && opening(note, unit, nodes)),
    };
  });
  return { kind: "change", steps: byFolder(steps) };
}

/** Jobs that share a folder are changed together: it is read and written once for a thousand of them. */
function byFolder(steps: readonly UnitSteps[]): readonly UnitSteps[] {
  const [jobs, others] = [
    steps.filter(({ unit }) => shapeOf(unit).layout === "flat"),
    steps.filter(({ unit }) => shapeOf(unit).layout === "nested"),
  ];
  const shared = [...groupBy(jobs, ({ unit }) => unitFolder(unit))].map(([folder, of]): UnitSteps => {
    const named = (step: "letRun" | "openEpoch") =>
      of.flatMap((one) => (one[step] === undefined ? [] : (one[step] ?? [one.unit])));
    const changesOf = new Map(of.flatMap(({ unit, adjust }) => (adjust ? [[unit, adjust.changesOf]] : [])));
    const opened = named("openEpoch");
    const leave = of.flatMap((one) => one.leave ?? []);
    return {
      unit: folder,
      letRun: named("letRun"),
      ...(leave.length > 0 && { leave }),
      ...(opened.length > 0 && { openEpoch: opened }),
      ...(changesOf.size > 0 && {
        adjust: { nodes: [...changesOf.keys()], changesOf: (node) => changesOf.get(node)?.(node) ?? {} },
      }),
    };
  });
  return [...others, ...shared];
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

interface Ready {
  readonly kind: "ready";
  /** Rescue files of units that cannot be used: what is done there is known from their ledgers. */
  readonly setAside: readonly { readonly unit: string; readonly file: string }[];
  readonly reason: string;
}

/** After the changes: may it be submitted? `damaged`: rescue files from which the engine could not go on. */
export function decideReady(
  { moved, narrowed, nowhere, closed }: KeptAway,
  damaged: readonly DamagedRescue[],
  submitDir: string,
  unitWord: string,
  reason: string,
): Held | Ready {
  if (nowhere.length > 0) {
    const message = `${plural(nowhere.length, unitWord)} could run nowhere (${listed(nowhere)}): ${listed(closed)}`;
    const evidence = { bannedSites: closed, units: nowhere.slice(0, 20) };
    return { kind: "hold", hold: holdFor("no-site-left", message, evidence) };
  }
  const own = damaged.filter(({ unit }) => unit === null);
  if (own.length > 0) return { kind: "hold", hold: holdFor("rescue-damaged", describeRescues(own), { submitDir }) };
  const setAside = damaged.flatMap(({ unit, file }) => (unit === null ? [] : [{ unit, file }]));
  const placed = [
    ...(moved > 0 ? [`${plural(moved, unitWord)} placed elsewhere`] : []),
    ...(narrowed > 0 ? [`${plural(narrowed, unitWord)} kept away`] : []),
  ].join(", ");
  const told = [
    ...(placed ? [`${placed}: ${listed(closed)}`] : []),
    ...(setAside.length > 0 ? [`${describeRescues(damaged)}; set aside, what ledgers have as done stays done`] : []),
  ];
  return { kind: "ready", setAside, reason: [reason, ...told].join("; ") };
}
