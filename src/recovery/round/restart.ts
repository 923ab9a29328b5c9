import { isName, NAME_RULE, type RequestName } from "../../core/names.ts";
import type { Problem } from "../../core/problem.ts";
import type { RequestSpec } from "../../core/request.ts";

/** Kill and clone: the old request is given up, and the same spec begins again as the next version. */
interface RestartFacts {
  readonly spec: RequestSpec;
  readonly supersededBy: RequestName | null;
  /** The highest processing version a clone may get; 20. */
  readonly versionLimit: number;
  readonly isNameTaken: boolean;
}

/** What is wrong with it; none: it may begin again as `cloneOf` says. */
export function checkRestart({ spec, supersededBy, versionLimit, isNameTaken }: RestartFacts): Problem[] {
  const problems: Problem[] = [];
  const wrong = (message: string, allowed: string | null = null) => problems.push({ path: "", message, allowed });
  if (supersededBy !== null) wrong(`it was restarted before, as ${supersededBy}`, `restart ${supersededBy}`);
  const { name, processingVersion: version } = cloneOf(spec);
  if (version > versionLimit) wrong(`version ${version} would be past the limit`, `at most version ${versionLimit}`);
  if (!isName(name)) wrong(`the clone's name would be ${name}`, NAME_RULE);
  if (isNameTaken) wrong(`${name} exists already`);
  return problems;
}

/** `corrected`: what the clone is to do instead. */
export const cloneOf = (
  spec: RequestSpec,
  cleanupPolicy: RequestSpec["cleanupPolicy"] | null = null,
  corrected = spec,
): RequestSpec => ({
  ...corrected,
  // Whoever corrects it, it stays the request of the person who asked for it.
  requestor: spec.requestor,
  requestorDn: spec.requestorDn,
  name: cloneName(spec.name, spec.processingVersion) as RequestName,
  processingVersion: spec.processingVersion + 1,
  previousVersion: spec.name,
  cleanupPolicy: cleanupPolicy ?? corrected.cleanupPolicy,
});

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
