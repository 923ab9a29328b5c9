import { builtinRows } from "../builtin-policy.ts";
import { SIGNAL_NAMES } from "../codes.ts";

/**
 * What a failure means, by the built-in table: the row that ruled on it if it is ours, else the row that names the
 * code, else the cause's. null: no row knows it (a rule of the request or installation ruled).
 */
export function meaningOf(exitCode: number, rule: string | null, cause: string | null): string | null {
  const rows = builtinRows();
  const ruled = rows.find(({ id }) => id === rule);
  if (ruled) return ruled.meaning ?? null;
  const signal = cause === "signal" ? exitCode - 128 : null;
  const named =
    signal === null
      ? rows.find(
          ({ match }) =>
            match.stderr === undefined &&
            (match.codes?.includes(exitCode) ||
              match.ranges?.some(([low, high]) => exitCode >= low && exitCode <= high)),
        )
      : rows.find(({ match }) => match.stderr === undefined && match.signals?.includes(signal));
  if (named) return named.meaning ?? null;
  const byCause = rows.find(
    ({ match }) =>
      (match.causes as readonly string[] | undefined)?.includes(cause ?? "") && !match.codes && !match.signals,
  );
  return byCause?.meaning ?? null;
}

/** How a code is written for people: 8021, SIGKILL, oom. */
export function codeName(exitCode: number, cause: string | null): string {
  if (cause === "signal") return SIGNAL_NAMES[exitCode - 128] ?? `signal ${exitCode - 128}`;
  if (exitCode < 0) return cause ?? String(exitCode);
  return cause === null || cause === "exit" || cause === "unknown" ? String(exitCode) : `${exitCode} ${cause}`;
}
