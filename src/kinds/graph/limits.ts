/** Of a table or a parameter; and of the jobs a graph may have, since each is a row in several places. */
export const MAX_ROWS = 200_000;
export const MAX_JOBS = 200_000;
/** Of all texts of all jobs, written out. */
export const MAX_CHARACTERS = 250_000_000;
/** Names that are compared with globs, in all; more would hold up everybody. */
export const MAX_COMPARISONS = 5_000_000;
export const MAX_NAME = 200;
