/** Of a table or a parameter; and of the jobs a graph may have, since each is a row in several places. */
export const MAX_ROWS = 200_000;
export const MAX_JOBS = 200_000;
/** Of all jobs, written out: see written-size.ts. */
export const MAX_BYTES = 250_000_000;
/** That the ranges of one document may make, together: a range is written in a few signs, wherever it stands. */
export const MAX_RANGE_VALUES = 1_000_000;
/** Names that are compared with globs, in all; more would hold up everybody. */
export const MAX_COMPARISONS = 5_000_000;
export const MAX_NAME = 200;
