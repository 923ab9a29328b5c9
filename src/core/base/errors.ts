/**
 * What can go wrong, in one table: the code a program sees, the HTTP status, the exit code of the CLI and
 * the hint a person gets. Expected outcomes are not here (they are unions); these are worlds that failed.
 */
export const ERROR_TABLE = {
  "bad-request": { http: 422, exit: 2, hint: "fix the listed problems and try again" },
  "bad-usage": { http: 400, exit: 2, hint: "see --help" },
  unauthenticated: { http: 401, exit: 5, hint: "give the operator token: --token-file, or WMS2_TOKEN" },
  forbidden: { http: 403, exit: 5, hint: "ask from a page of this server, or from a program" },
  "not-found": { http: 404, exit: 4, hint: "check the name with: wms2 list" },
  conflict: { http: 409, exit: 3, hint: "look at the present state with: wms2 show NAME" },
  stale: { http: 412, exit: 3, hint: "read it again and repeat the change" },
  "too-many": { http: 429, exit: 6, hint: "wait a minute, then try again" },
  "engine-unreachable": { http: 503, exit: 6, hint: "check the engine with: wms2 doctor" },
  "engine-rejected": { http: 502, exit: 6, hint: "the engine's own words are in the message" },
  "store-unreachable": { http: 503, exit: 6, hint: "check the database with: wms2 doctor" },
  "store-locked": { http: 503, exit: 6, hint: "stop the other server, or give this one its own --data-dir" },
  "schema-newer": {
    http: 503,
    exit: 6,
    hint: "a newer wms2 has used this database: start that one, or give this one the backup from before the upgrade",
  },
  "schema-differs": {
    http: 503,
    exit: 6,
    hint: "another build of wms2 has used this database: start that one, or a released version that is newer",
  },
  "catalog-unreachable": { http: 503, exit: 6, hint: "check the catalog's address and path" },
  "catalog-refused": { http: 502, exit: 6, hint: "the service's own words are in the message" },
  "dataset-unreadable": { http: 422, exit: 2, hint: "check that the files of the dataset exist and are readable" },
  "disk-unwritable": { http: 507, exit: 6, hint: "free space, or check the permissions of the directory named" },
  "files-unreachable": {
    http: 503,
    exit: 6,
    hint: "check that the directory named answers (ls); it may be of a file server that is away",
  },
  "too-long": { http: 503, exit: 6, hint: "ask for less at once: fewer files or events, larger jobs" },
  "server-unreachable": { http: 503, exit: 6, hint: "start it with: wms2 serve" },
  "bad-config": { http: 500, exit: 2, hint: "see the effective settings with: wms2 config show" },
  bug: { http: 500, exit: 70, hint: "this is a bug of wms2: please report it with the message above" },
} as const satisfies Record<string, { http: number; exit: number; hint: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** The outside world failed: says what happened, to what, and carries the cause. */
export class WorldError extends Error {
  readonly code: ErrorCode;
  /** What it happened to: a request, a schedd, a directory. */
  readonly subject: string;
  /** What to try; the table's hint unless the thrower knows better. */
  readonly hint: string;

  constructor(code: ErrorCode, subject: string, message: string, options: { cause?: unknown; hint?: string } = {}) {
    super(message, { cause: options.cause });
    this.name = "WorldError";
    this.code = code;
    this.subject = subject;
    this.hint = options.hint ?? ERROR_TABLE[code].hint;
  }
}

/** A bug: something this program promised itself is not true. Holds the request it concerns, loudly. */
export class InvariantError extends Error {
  readonly code = "bug" as const;
  readonly evidence: unknown;

  constructor(message: string, evidence?: unknown) {
    super(message);
    this.name = "InvariantError";
    this.evidence = evidence;
  }
}

export function invariant(condition: unknown, message: string, evidence?: unknown): asserts condition {
  if (!condition) throw new InvariantError(message, evidence);
}

const FULL: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is used up",
  EROFS: "the disk is read-only",
};

/** The system says that nothing more can be written there, or to the path it names; null: it is something else. */
export function diskFull(error: unknown, there: string): WorldError | null {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  const why = FULL[code];
  return why ? new WorldError("disk-unwritable", path ?? there, `${why}: ${path ?? there}`, { cause: error }) : null;
}

/** Where a bug showed itself, as its stack says: function, file and line. */
export function whereOf(error: unknown): string {
  const frame = /^\s+at (.+)$/m.exec((error as Error | null)?.stack ?? "")?.[1];
  return frame?.replace(/(?:file:\/\/)?\/\S*\//, "") ?? "nobody knows";
}

/** "what happened: because: because", each layer's words once. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && parts.length < 8; ) {
    const text = at instanceof Error ? at.message : String(at);
    if (text && parts.at(-1) !== text) parts.push(text);
    at = at instanceof Error ? at.cause : undefined;
  }
  return parts.join(": ");
}
