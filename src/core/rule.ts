/**
 * What somebody said a failure means, kept for the runs to come: a row of the policy between the request's own handlers
 * and the installation's file, with who said so and why.
 */
export interface RememberedRule {
  /** Made from what it matches: the same is remembered once. */
  readonly id: string;
  readonly action: "retry" | "fail";
  readonly cause: string;
  readonly exitCode: number;
  /** What the log has, made from the lines by which the failure was known. */
  readonly stderr: string;
  readonly lines: readonly string[];
  /** Where it was seen. */
  readonly requestName: string;
  readonly actor: string;
  readonly reason: string;
  readonly createdAt: Date;
}

/** already: the same was remembered before · conflict: the opposite was. */
export interface RememberAnswer {
  readonly kind: "remembered" | "already" | "conflict";
  readonly rule: RememberedRule;
}
