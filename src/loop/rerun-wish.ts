import { isDeepStrictEqual } from "node:util";
import type { NodeChanges } from "../core/operator.ts";

/** What a wish to run failed work again is about, as it is kept on the request. */
export interface RerunWish extends Readonly<Record<string, unknown>> {
  /** Who gets a fresh budget: unit → its nodes (null: all of them); null: every unit that is not finished. */
  readonly epochOf: Readonly<Record<string, readonly string[] | null>> | null;
  /** Of those, the nodes ("mg_000003/proc_000021") that run once more on the budget they have. */
  readonly sameEpoch?: readonly string[];
  readonly reelect?: number;
  /** Who asked for a node, and why, where not all were asked for at once. */
  readonly said?: Readonly<Record<string, { readonly by: string; readonly reason: string }>>;
  /** What those nodes get instead of what they had. */
  readonly changes?: NodeChanges;
  /** The same for single units ("mg_000003") and nodes ("mg_000003/proc_000021"); the narrower word holds. */
  readonly nodeChanges?: Readonly<Record<string, NodeChanges>>;
  /** No other node that failed runs again with them. */
  readonly alone?: boolean;
  /** They are jobs that can run while others do; else they wait until the run has ended. */
  readonly beside?: boolean;
}

/** Without what is empty. */
export function rerunWish({
  epochOf,
  sameEpoch = [],
  said = {},
  reelect = 0,
  changes = {},
  nodeChanges = {},
  alone = false,
  beside = false,
}: RerunWish): RerunWish {
  return {
    epochOf,
    reelect,
    ...(sameEpoch.length > 0 && { sameEpoch }),
    ...(Object.keys(said).length > 0 && { said }),
    ...(Object.keys(changes).length > 0 && { changes }),
    ...(Object.keys(nodeChanges).length > 0 && { nodeChanges }),
    ...(alone && { alone }),
    ...(beside && { beside }),
  };
}

export const changesFor = (
  { changes, nodeChanges }: Pick<RerunWish, "changes" | "nodeChanges">,
  unit: string,
  node: string,
) => nodeChanges?.[`${unit}/${node}`] ?? nodeChanges?.[unit] ?? changes ?? {};

/** Where a unit is to land again, as its nodes were given sites; []: wherever it was. A unit lands as a whole. */
export function sitesFor(
  { changes, nodeChanges = {} }: Pick<RerunWish, "changes" | "nodeChanges">,
  unit: string,
): readonly string[] {
  const own = Object.entries(nodeChanges).filter(([place]) => place.split("/")[0] === unit);
  const sites = own.flatMap(([, { sites = [] }]) => sites);
  return sites.length > 0 ? [...new Set(sites)] : (changes?.sites ?? []);
}

/** A resubmit that the loop has not begun takes more in. null: it has all of that already. */
export function joinReruns(before: RerunWish, more: RerunWish): RerunWish | null {
  const [a, b] = [byPlace(before), byPlace(more)];
  const joined = rerunWish({
    epochOf: a.epochOf && b.epochOf && joinNodes(a.epochOf, b.epochOf),
    sameEpoch: [...new Set([...(a.sameEpoch ?? []), ...(b.sameEpoch ?? [])])].filter(
      (at) => !opens(a, at) && !opens(b, at),
    ),
    said: { ...b.said, ...a.said },
    reelect: Math.max(a.reelect ?? 0, b.reelect ?? 0),
    changes: { ...a.changes, ...b.changes },
    nodeChanges: { ...a.nodeChanges, ...b.nodeChanges },
    alone: a.alone === true && b.alone === true,
    beside: a.beside === true && b.beside === true,
  });
  return isDeepStrictEqual(joined, a) ? null : joined;
}

/** Who asks for a fresh budget gets it, also where somebody else had asked for one more attempt. */
function opens({ epochOf, sameEpoch = [] }: RerunWish, place: string): boolean {
  const [unit = "", node = ""] = place.split("/");
  const covers = epochOf === null || (unit in epochOf && (epochOf[unit]?.includes(node) ?? true));
  return covers && !sameEpoch.includes(place);
}

/** Changes of a selection said of each place of it: they are no concern of what else comes in. */
function byPlace(wish: RerunWish): RerunWish {
  const { epochOf, changes } = wish;
  if (!epochOf || !changes) return rerunWish(wish);
  const places = Object.entries(epochOf).flatMap(([unit, nodes]) => nodes?.map((node) => `${unit}/${node}`) ?? [unit]);
  const each = Object.fromEntries(places.map((place) => [place, changes]));
  return rerunWish({ ...wish, changes: {}, nodeChanges: { ...each, ...wish.nodeChanges } });
}

function joinNodes(a: NonNullable<RerunWish["epochOf"]>, b: NonNullable<RerunWish["epochOf"]>) {
  const joined: Record<string, readonly string[] | null> = { ...a };
  for (const [unit, nodes] of Object.entries(b)) {
    const known = joined[unit];
    joined[unit] = known === null || nodes === null ? null : [...new Set([...(known ?? []), ...nodes])];
  }
  return joined;
}
