/** merge_output.json, or its end: the last line shows that the file arrived whole. */
export const isWholeMergeOutput = (end: string): boolean => end.trimEnd().endsWith("]}");
