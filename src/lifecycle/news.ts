import type { Facts } from "./decision.ts";

/** The engine shows other numbers than the store has, or units done that have no row yet. */
export function isNews({ dag, observation, newlyDone }: Facts): boolean {
  if (!dag || !observation || observation.kind === "unknown") return false;
  const { nodes, units } = observation;
  return (
    dag.status === "submitted" ||
    newlyDone.length > 0 ||
    (Object.keys(nodes) as (keyof typeof nodes)[]).some((key) => nodes[key] !== dag.nodes[key]) ||
    (Object.keys(units) as (keyof typeof units)[]).some((key) => units[key] !== dag.units[key])
  );
}
