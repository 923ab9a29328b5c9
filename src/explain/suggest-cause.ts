import type { FailureCause } from "../domain/failure-row.ts";

/** What failures over many requests have in common. */
interface CommonCause extends FailureCause {
  readonly requests: number;
  readonly held: number;
  readonly names: readonly string[];
}

export interface CauseSuggestion {
  readonly action: "wait" | "classify" | "exclude" | "ban" | "recover" | "restart" | "rescue";
  readonly reason: string;
  /** One action for all of them: what goes beside its reason and filter; null: it is none. */
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly command: string | null;
}

/** What to try against a cause, by what is behind it. A hint; nothing acts on it. */
export function suggestForCause(cause: CommonCause): CauseSuggestion {
  const { site, file, category, held, requests, failures, retrying, unclassified, names } = cause;
  const [name = "NAME"] = names;
  const each = requests === 1 ? name : `NAME (${requests} requests)`;
  const say = (
    action: CauseSuggestion["action"],
    reason: string,
    more: { body?: CauseSuggestion["body"]; command?: string | null } = {},
  ): CauseSuggestion => ({
    action,
    reason,
    body: held > 0 ? (more.body ?? null) : null,
    command: more.command ?? null,
  });
  if (failures === 0)
    return say("wait", `${retrying === 1 ? "1 job is" : `${retrying} jobs are`} retried without your help`);
  if (unclassified > 0)
    return say("classify", `no rule knows ${unclassified} of them: say once what they mean, and the rest follows`, {
      command: `wms2 groups ${name}`,
    });
  if (file !== null)
    return say("exclude", "there is proof against this input file: leave it out", {
      body: { action: "release", excluded_files: [file] },
      command: held > 0 ? bulk("release", cause, `--exclude ${quoted(file)}`) : null,
    });
  if (category === "infrastructure" && site !== null)
    return say("ban", `the place is to blame: keep jobs away from ${site}, then go on elsewhere`, {
      body: { action: "release", site_bans: [site] },
      command: `wms2 sites ban ${site} --reason "${failures} failures with ${cause.exitCode}"`,
    });
  if (cause.cause === "oom" || cause.cause === "walltime")
    return say("recover", `they ran out of ${cause.cause === "oom" ? "memory" : "time"}: run them again with more`, {
      command: `wms2 recover ${each} --dry-run`,
    });
  if (category === "permanent")
    return say("restart", "trying again changes nothing: fix what they name, then restart with the corrected request", {
      command: `wms2 restart ${each} --from FILE --reason TEXT`,
    });
  return say("rescue", "they may go away by themselves: try what failed again", {
    body: { action: "rescue" },
    command: held > 0 ? bulk("rescue", cause, "") : null,
  });
}

const quoted = (word: string): string => (/^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Chooses the held requests of a cause, as GET /requests and a bulk action take it. */
export const filterOf = ({ exitCode, site, file, held }: CommonCause) => ({
  ...(held > 0 && { status: ["held" as const] }),
  code: exitCode,
  ...(site !== null && { site }),
  ...(file !== null && { file }),
});

function bulk(action: string, cause: CommonCause, options: string): string {
  const words = Object.entries(filterOf(cause)).map(([key, value]) => `${key}=${quoted(String(value))}`);
  return [`wms2 ${action} --filter ${words.join(" ")}`, options, "--reason TEXT"].filter(Boolean).join(" ");
}
