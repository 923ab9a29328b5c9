/** One thing wrong with a document a person wrote: where, what, and what would be right. */
export interface Problem {
  /** Dotted, as the person wrote it: "split.files_per_job", "steps[1].run"; "" for the whole document. */
  readonly path: string;
  readonly message: string;
  /** What is allowed here, in words; null when the message says it all. */
  readonly allowed: string | null;
  /** Of the text it was read from, where that is known. */
  readonly line?: number;
}
