/** A file of frepp's state directory, or an argument file of a transfer, as it was found. */
export interface FoundFile {
  readonly name: string;
  readonly text: string;
  readonly changedAt: Date;
}
export interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** Names of what else is there: nobody touches it. */
  readonly others: readonly string[];
}

/** `seen`: the text it was found with, null: it was not there · `text` null: it is removed. */
export interface FileChange {
  readonly name: string;
  readonly seen: string | null;
  readonly text: string | null;
}

/** What a command of the installation said; `text` null: it could not be asked, and `reason` says why. */
export type Said = { readonly text: string } | { readonly text: null; readonly reason: string };

/** Whether a job of frepp's queue is still there. Unknown never makes anybody submit. */
export interface JobLiveness {
  readonly kind: "running" | "queued" | "gone" | "unknown";
  readonly reason: string;
}

/** What an import or an export of state files does about one of them. */
export const STATE_ACTIONS = [
  "same", // both say the same
  "take", // it becomes our rows
  "write", // our rows become the file
  "remove", // the file goes: by our rows, nothing has happened yet
  "conflict", // it is newer and says something else
  "keep", // ours is newer, or runs now
  "nothing-due", // no product of that component ends in that year
  "unknown", // no such component, or no state file at all
] as const;
export type StateAction = (typeof STATE_ACTIONS)[number];
export interface StateLine {
  readonly file: string;
  readonly action: StateAction;
  /** What the file says, and what it says afterwards: a word of frepp, null: there is no file. */
  readonly theirs: string | null;
  readonly ours: string | null;
  readonly nodes: number;
  readonly reason: string;
}
