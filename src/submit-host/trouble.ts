/**
 * POST could not do its work. `again`: the world is in the way (no space, a busy lock), and the same call may succeed
 * later, so DAGMan is asked to make it again. `person`: something that should never happen did; the node stops, and
 * nothing is run on counters that cannot be trusted.
 */
export class PostTrouble extends Error {
  readonly kind: "again" | "person";

  constructor(kind: "again" | "person", message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "PostTrouble";
    this.kind = kind;
  }
}

const PASSING = ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ESTALE", "ETIMEDOUT"];

/** Runs something that touches the disk; what it throws is told with the file and what was tried. */
export function withFile<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof PostTrouble) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const kind = PASSING.includes(code ?? "") ? "again" : "person";
    throw new PostTrouble(kind, `cannot ${what}: ${code ?? message}`, error);
  }
}
