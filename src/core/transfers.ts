/** Steps of frepp's stager, in order. `start`: the starter was accepted; nobody looked whether it ran. */
export const TRANSFER_STEPS = ["combine", "check", "save", "transfer", "start"] as const;
export type TransferStep = (typeof TRANSFER_STEPS)[number];

export const TRANSFER_STATES = [
  "due", // to be tried now
  "waiting", // for its next try
  "locked", // somebody is at it, or nobody can tell
  "used-up", // failed more often than it may
  "needs-person", // failed in a way that another try does not help
  "unreadable", // its argument file broke off
] as const;

export const TRANSFER_OUTPUTS = ["ascii", "restart", "history"] as const;
export type TransferOutput = (typeof TRANSFER_OUTPUTS)[number];
