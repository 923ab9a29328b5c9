import { err, ok, type Result } from "../../base/result.ts";
import { isName, NAME_RULE, type RequestName } from "../../domain/names.ts";
import type { Problem } from "../../domain/problem.ts";
import type { RequestSpec } from "../../domain/request.ts";
import type { RequestStatus } from "../../domain/request-status.ts";
import { mayDo } from "./actions.ts";

/** Kill and clone: the old request is given up, and the same spec begins again as the next version. */
export interface RestartFacts {
  readonly spec: RequestSpec;
  readonly status: RequestStatus;
  readonly supersededBy: RequestName | null;
  /** The highest processing version a clone may get; 20. */
  readonly versionLimit: number;
  readonly isNameTaken: boolean;
}
export const DEFAULT_VERSION_LIMIT = 20;

export interface Restart {
  readonly clone: RequestSpec;
  /** The old one is moved to failed, unless it is over already. */
  readonly failOld: boolean;
  readonly because: string;
}

export function decideRestart(
  facts: RestartFacts,
  cleanupPolicy: RequestSpec["cleanupPolicy"] | null = null,
): Result<Restart, readonly Problem[]> {
  const { spec, status, supersededBy, versionLimit } = facts;
  const problems: Problem[] = [];
  const wrong = (message: string, allowed: string | null = null) => problems.push({ path: "", message, allowed });
  const may = mayDo("restart", status);
  if (may.kind === "refused") wrong(may.why, may.allowedIn.join(", "));
  if (supersededBy !== null) wrong(`it was restarted before, as ${supersededBy}`, `restart ${supersededBy}`);
  const version = spec.processingVersion + 1;
  if (version > versionLimit) wrong(`version ${version} would be past the limit`, `at most version ${versionLimit}`);
  const name = cloneName(spec.name, spec.processingVersion);
  if (!isName(name)) wrong(`the clone's name would be ${name}`, NAME_RULE);
  if (facts.isNameTaken) wrong(`${name} exists already`);
  if (problems.length > 0) return err(problems);
  const clone: RequestSpec = {
    ...spec,
    name: name as RequestName,
    processingVersion: version,
    previousVersion: spec.name,
    cleanupPolicy: cleanupPolicy ?? spec.cleanupPolicy,
  };
  const failOld = status === "held";
  return ok({ clone, failOld, because: `restarted as ${name}, version ${version}` });
}

/** `_v1_` becomes `_v2_`; so does a `_v1` or `-v1` at the end; a name without its version gets `-v2`. */
export function cloneName(name: string, version: number): string {
  const next = version + 1;
  const inside = `_v${version}_`;
  const at = name.lastIndexOf(inside);
  if (at >= 0) return `${name.slice(0, at)}_v${next}_${name.slice(at + inside.length)}`;
  for (const end of [`_v${version}`, `-v${version}`])
    if (name.endsWith(end)) return `${name.slice(0, -end.length)}${end[0]}v${next}`;
  return `${name}-v${next}`;
}
