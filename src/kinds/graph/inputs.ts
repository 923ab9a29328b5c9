import type { GraphWork } from "../../core/graph.ts";
import { expanded } from "./expanded.ts";
import { countRows } from "./rows.ts";

/** The directory, and files that jobs read and none of them makes: absolute paths, and where the document says so first. */
export function graphInputs(work: GraphWork): ReadonlyMap<string, string> {
  const { jobs } = expanded(work).graph;
  const made = new Set(jobs.flatMap(({ makes }) => makes));
  const inputs = new Map([[work.directory, "directory"]]);
  let [template, left] = [-1, 0];
  for (const { reads } of jobs) {
    while (left === 0) left = countRows(work.jobs[++template]!.each);
    left -= 1;
    for (const path of reads) {
      const absolute = path.startsWith("/") ? path : `${work.directory}/${path}`;
      if (!made.has(path) && !inputs.has(absolute)) inputs.set(absolute, `jobs[${template}].reads`);
    }
  }
  return inputs;
}
