/** What failures have in common, and how many there are. */
export interface FailureCause {
  readonly exitCode: number;
  readonly rule: string | null;
  readonly cause: string | null;
  readonly category: string;
  readonly site: string | null;
  /** An input file there is proof against. */
  readonly file: string | null;
  /** Final ones; those that are to be tried again are counted beside them. */
  readonly failures: number;
  readonly retrying: number;
  readonly unclassified: number;
}

/** Nodes of one request whose last word is a failure of the same code, by the same rule, at the same place, because of the same file. */
export interface FailureRow extends FailureCause {
  readonly units: number;
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  readonly example: FailureExample;
}
export interface FailureExample {
  readonly unit: string;
  readonly node: string;
  readonly cluster: number;
  readonly reason: string;
}
