/**
 * ended.list: jobs of a graph that DAGMan takes for done, and that are not, because others wait for their end, however it comes
 * (docs/adr/0016-job-graphs.md). A line each, in the order they came: `part_000/job_000001 failed`,
 * `part_000/job_000002 blocked part_000/job_000001`, `part_000/job_000003 again`: it ran, and runs again when those before it do.
 */
export interface Ended {
  readonly how: "failed" | "blocked" | "again";
  /** Of one that is blocked: the job that failed. */
  readonly by: string | null;
}

/** By name; a line that says nothing is passed over. */
export function endedIn(text: string): ReadonlyMap<string, Ended> {
  const found = new Map<string, Ended>();
  for (const [, name = "", how, by] of text.matchAll(/^[^/\s]+\/(\S+) (failed|blocked|again)(?: [^/\s]+\/(\S+))?$/gm))
    found.set(name, { how: how as Ended["how"], by: by ?? null });
  return found;
}

export const endedLine = (folder: string, job: string): string => `${folder}/${job} failed\n`;
