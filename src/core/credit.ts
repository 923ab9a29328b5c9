/** Why jobs of a new version of a request run, although an earlier one may have done them. */
export const RUN_REASONS = ["new", "changed", "unfinished", "missing-output", "output", "input", "upstream"] as const;
/** null: what it did still holds. `about` is the file or the job that says so. */
export type RunCause = { readonly why: (typeof RUN_REASONS)[number]; readonly about: string | null } | null;
/** A job by the name a person gave it, and whether it has to run. */
export interface JobToRun {
  readonly name: string;
  readonly cause: RunCause;
}
