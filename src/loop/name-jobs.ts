import type { Wait } from "../core/wait.ts";
import { jobsIn } from "../submit-dir/jobs.ts";
import { unitFolder } from "../submit-dir/names.ts";
import type { Ports } from "./ports.ts";

const NUMBERED = /\bjob_\d{6,}\b/g;

/** A wait that speaks of jobs of a graph, with the names people gave them instead of their numbers in the submit directory. */
export async function withJobNames(
  { spool }: Pick<Ports, "spool">,
  submitDir: string | undefined,
  waiting: Wait,
): Promise<Wait> {
  const { reason, details } = waiting;
  const numbered = [...new Set([reason, ...details].flatMap((text) => text.match(NUMBERED) ?? []))];
  if (submitDir === undefined || numbered.length === 0) return waiting;
  const names = new Map<string, string>();
  for (const node of numbered) {
    const name = jobsIn((await spool.manifest(submitDir, unitFolder(node))) ?? "", node).get(node)?.name;
    if (name !== undefined) names.set(node, name);
  }
  const named = (text: string): string => text.replaceAll(NUMBERED, (node) => names.get(node) ?? node);
  return { ...waiting, reason: named(reason), details: details.map(named) };
}
