import { plural } from "../../core/base/text.ts";
import type { Problem } from "../../core/problem.ts";

type RetryNow =
  | {
      readonly kind: "go";
      readonly reason: string;
      readonly detail: { readonly nodes: Record<string, readonly string[]> };
    }
  | { readonly kind: "already"; readonly why: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/**
 * Which failed nodes are not to wait any longer. `cooling`: those that wait, by unit. `wanted`: all of them, or names of units
 * ("mg_000003") and nodes ("mg_000003/proc_000021"). No budget is touched: the try they wait for is one they have.
 */
export function decideRetryNow(
  cooling: ReadonlyMap<string, readonly string[]>,
  wanted: "failed" | readonly string[],
): RetryNow {
  const places = [...cooling].flatMap(([unit, nodes]) => nodes.map((node) => ({ unit, node })));
  const isNamed = (name: string) => (place: { unit: string; node: string }) =>
    name === place.unit || name === `${place.unit}/${place.node}`;
  const problems = (wanted === "failed" ? [] : wanted).flatMap((name, at): Problem[] =>
    places.some(isNamed(name))
      ? []
      : [{ path: `nodes[${at}]`, message: `${name.slice(0, 200)} does not wait for its next try`, allowed: null }],
  );
  if (problems.length > 0) return { kind: "refused", problems };
  const chosen = wanted === "failed" ? places : places.filter((place) => wanted.some((name) => isNamed(name)(place)));
  if (chosen.length === 0) return { kind: "already", why: "no failed job waits for its next try" };
  const nodes: Record<string, string[]> = {};
  for (const { unit, node } of chosen) nodes[unit] = [...(nodes[unit] ?? []), node];
  return { kind: "go", reason: `${plural(chosen.length, "failed job")} tried again now`, detail: { nodes } };
}
