/** What the worker ends with, whatever a command's own codes are (docs/exit-codes.md). */
export const WORKER_CODES = {
  inputMissing: 50118,
  transient: 50120,
  /** A chunk that a product is made of is not there, although it was made. */
  chunkMissing: 50121,
  /** frepp's stager has a lock on the transfer. */
  locked: 50122,
} as const;
