import type { NodeChanges } from "../../core/operator.ts";
import { mostMemoryMb } from "../../core/plan.ts";
import type { Problem } from "../../core/problem.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Work } from "../../loop/ports.ts";

/** What a person wants the next attempts to get, against what there is to give. */
export async function changeProblems(
  ports: Work,
  { spec }: RequestRecord,
  { memoryMb, wallMinutes, sites }: NodeChanges,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const { maxWallMinutes } = ports.policy;
  const most = mostMemoryMb(ports.policy, spec.resources.cores);
  if (memoryMb !== undefined && !(Number.isInteger(memoryMb) && memoryMb >= 1 && memoryMb <= most))
    problems.push({ path: "memory_mb", message: "is out of range", allowed: `1…${most}` });
  if (wallMinutes !== undefined && !(wallMinutes >= 1 && wallMinutes <= maxWallMinutes))
    problems.push({ path: "wall_minutes", message: "is out of range", allowed: `1…${maxWallMinutes}` });
  if (sites !== undefined) {
    const known = new Map((await ports.store.sites.list()).map((site) => [site.name, site.status]));
    for (const [at, site] of sites.entries()) {
      const status = known.get(site);
      if (status !== "enabled")
        problems.push({
          path: `sites[${at}]`,
          message: status === undefined ? `${site} is not known` : `${site} is ${status}`,
          allowed: [...known].flatMap(([name, is]) => (is === "enabled" ? [name] : [])).join(", "),
        });
    }
    if (sites.length === 0) problems.push({ path: "sites", message: "names nothing", allowed: "a site" });
  }
  return problems;
}
