/** Jobs of a graph that cannot run because one before them failed, by that one. */
export interface Blocked {
  readonly by: string;
  readonly units: number;
}

/**
 * Walks a flat DAG from the jobs that failed. A job after several of them counts for the first; what joins jobs counts for nothing,
 * and one that waits for an end, however it comes, is not blocked. Most first.
 */
export function blockedBy(
  dag: string,
  failed: Iterable<string>,
  isBlocked: (unit: string) => boolean,
): readonly Blocked[] {
  const children = new Map<string, string[]>();
  for (const [, before = "", after = ""] of dag.matchAll(/^PARENT (.+) CHILD (.+)$/gm)) {
    const names = after.split(" ");
    for (const parent of before.split(" ")) {
      const known = children.get(parent);
      if (known) known.push(...names);
      else children.set(parent, [...names]);
    }
  }
  const seen = new Set([...dag.matchAll(/ PRE (\S+) \S+ \$JOB \$RETRY ended /g)].map(([, job = ""]) => job));
  const counts: Blocked[] = [];
  for (const by of failed) {
    let units = 0;
    const open = [by];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const child of children.get(next) ?? []) {
        if (seen.has(child)) continue;
        seen.add(child);
        if (isBlocked(child)) units += 1;
        open.push(child);
      }
    if (units > 0) counts.push({ by, units });
  }
  return counts.sort((a, b) => b.units - a.units);
}
