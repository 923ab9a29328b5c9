import type { ProductTold, UnitAttempt, UnitEnding } from "../../core/products.ts";
import type { SegmentNode } from "../../core/segments.ts";
import type { FileStamp } from "../../core/workflow.ts";
import type { NodeEnding } from "./decide-node.ts";

/** What the end of a unit says of one of its products. A failure that names no product is one of all that were not made. */
export function endingOf(node: string, { attempts }: UnitEnding): { ending: NodeEnding; told: ProductTold | null } {
  const last = attempts.at(-1);
  const made = attempts.findLast(({ products }) => products.get(node)?.makes)?.products.get(node) ?? null;
  if (made) return { ending: { kind: "done" }, told: made };
  const concerned = attempts.filter(({ cause, products }) => cause !== null && isAbout(node, products));
  const told = last?.products.get(node) ?? null;
  if (concerned.length > 0) {
    const { reason } = concerned.at(-1)!;
    const own = concerned.map(({ cause, exitCode }) => ({ cause: cause!, exitCode }));
    return { ending: { kind: "failed", attempts: own, reason }, told };
  }
  const failed = last && [...last.products].find(([, { makes }]) => makes === null)?.[0];
  if (failed) return { ending: { kind: "blocked", by: failed }, told };
  return { ending: { kind: "not-run", reason: "its round ended before it could begin" }, told };
}

/** One that was told of, or none was said to have failed. */
const isAbout = (node: string, products: UnitAttempt["products"]): boolean =>
  products.has(node) || ![...products.values()].some(({ makes }) => makes === null);

/** In the order of a node's outputs; null: the checksum of one of them was not told. */
export function outputStamps(
  { outputs }: SegmentNode,
  makes: readonly FileStamp[] | null,
): readonly FileStamp[] | null {
  const stamps = new Map(makes?.map((stamp) => [stamp.path, stamp]));
  const all = outputs.flatMap((path) => stamps.get(path) ?? []);
  return all.length === outputs.length && all.every(({ checksum }) => checksum !== undefined) ? all : null;
}
