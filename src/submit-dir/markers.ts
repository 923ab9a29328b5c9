/** The small files that a shell script reads by their one line, or by their last. */

/** <node>.wait: seconds since 1970; `notBefore` null: the node may go on at once. */
export const waitText = (notBefore: string | null): string =>
  `${notBefore === null ? 0 : Math.ceil(Date.parse(notBefore) / 1000)}\n`;

export const waitMs = (text: string | null): number => Number(text ?? 0) * 1000;

/** merge_output.json, or its end: the last line shows that the file arrived whole. */
export const isWholeMergeOutput = (end: string): boolean => end.trimEnd().endsWith("]}");

/** <node>.stopped and <node>.trouble: why. run.abort: which node ended the run, and why. */
export const reasonText = (reason: string): string => `${reason}\n`;
export const abortText = (node: string, reason: string): string => `${node}: ${reason}\n`;
