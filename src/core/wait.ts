/**
 * Why a request does not move, and who can change that. `time`: nobody has to, it passes by itself. `operator`: a person
 * of this installation. `pool`: whoever keeps the workers. `service`: something we ask is away and comes back.
 */
export const WAIT_CODES = {
  running: "time", // jobs run; what else waits is in the details
  starting: "time", // the engine has it and has begun nothing yet
  step: "time", // a step of the loop is under way
  admission: "time", // all slots are taken
  "admission-closed": "operator", // no request may begin
  "nothing-due": "time", // all that is due is made, or cannot be made now; it looks again
  "sweep-off": "operator", // `sweep: never`: it looks, and makes what is missing, only when somebody asks
  "left-out": "time", // completed, and not all that was asked for is in it
  "products-held": "operator", // products wait for a person, and nothing else can be made now
  retry: "time", // failed attempts cool off before their next try
  slots: "time", // jobs are idle: others have the room
  limit: "time", // a category is at its limit
  checking: "time", // jobs have ended, their verdict has not been given
  "job-held": "time", // the engine holds jobs, and removes them by itself
  "job-held-by-hand": "operator", // somebody holds jobs: only people release them
  "not-checked": "operator", // POST cannot do its work: a ledger it cannot read, a full disk
  "too-large": "operator", // jobs ask for more than any worker has
  "no-site": "pool", // no worker at any site the jobs may run at
  "no-worker": "pool", // no worker at all
  engine: "pool", // the run itself is held, or waits for a place
  service: "service", // engine or catalog cannot be asked
  outputs: "service", // all work is done; its outputs are being made known, or the catalog is away
  "outputs-refused": "operator", // the catalog refuses them, and says what helps
  trouble: "operator", // every pass over it fails
  person: "operator", // held
} as const;
export type WaitCode = keyof typeof WAIT_CODES;

/** Somebody wants it so: nobody has to do anything. */
const BY_CHOICE: readonly string[] = ["admission-closed", "sweep-off"] satisfies WaitCode[];
/** It has nothing to do until it looks again, and takes no place in the queue. */
export const RESTING: readonly string[] = ["nothing-due", "sweep-off", "products-held"] satisfies WaitCode[];
/** What only a person ends: whoever is held, or waits for one of these, waits for a person. */
export const NEEDS_PERSON: readonly string[] = Object.entries(WAIT_CODES).flatMap(([code, who]) =>
  who === "operator" && !BY_CHOICE.includes(code) ? [code] : [],
);

export interface Wait {
  readonly code: WaitCode;
  readonly reason: string;
  readonly since: Date;
  /** When it moves by itself; null: unknown. */
  readonly until: Date | null;
  readonly who: (typeof WAIT_CODES)[WaitCode];
  /** What else waits, in words. */
  readonly details: readonly string[];
}
