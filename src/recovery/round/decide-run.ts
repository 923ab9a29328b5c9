import type { RequestName } from "../../core/names.ts";
import { isTerminal, type RequestStatus } from "../../core/request-status.ts";

/** A document that is to be run, beside the latest version of the request it names. */
interface RunFacts {
  /** null: there is none. */
  readonly latest: {
    readonly name: RequestName;
    readonly status: RequestStatus;
    /** Whether the document asks for the same work. */
    readonly isSame: boolean;
    /** Whether another version may follow; null: it may. */
    readonly noNextVersion: string | null;
    /** Where its jobs run, if the document's run elsewhere: it is another request then; null: in the same folder, or in none. */
    readonly otherFolder: string | null;
  } | null;
  /** Jobs that would run in another version, since what finished before still holds for the others; null: unknown. */
  readonly toRun: number | null;
  /** Jobs that finished in the latest version, and whose files have changed or gone since. */
  readonly stale: number;
}

export type RunDecision = { readonly reason: string } & (
  | { readonly kind: "submit" }
  /** Somebody has it under way: look on. */
  | {
      readonly kind: "join" | "submit-draft" | "release" | "resume" | "restart" | "next-version";
      readonly name: RequestName;
    }
  | { readonly kind: "nothing"; readonly name: RequestName }
  | { readonly kind: "refuse"; readonly hint: string }
);

/** What `wms2 run FILE` comes to: the same file run again goes on where it was, and a changed one keeps what still holds. */
export function decideRun({ latest, toRun, stale }: RunFacts): RunDecision {
  if (latest === null) return { kind: "submit", reason: "no request has this name yet" };
  const { name, status, isSame, noNextVersion, otherFolder } = latest;
  if (otherFolder !== null)
    return {
      kind: "refuse",
      reason: `${name} runs in ${otherFolder}, and this one elsewhere: it is not a version of it`,
      hint: "give it a name of its own (--name), or run it there",
    };
  if (status === "held" && isSame && stale > 0 && noNextVersion === null)
    return { kind: "restart", name, reason: `${name} is held, and ${staleText(stale)}: the next version goes on` };
  if (!isTerminal(status)) return openAlready(name, status, isSame);
  if (status === "completed" && toRun === 0)
    return { kind: "nothing", name, reason: `${name} is completed, and everything it made still holds` };
  if (noNextVersion !== null)
    return { kind: "refuse", reason: `${name} is ${status}: ${noNextVersion}`, hint: "give it another name: --name" };
  const what = isSame ? "the same work" : "changed";
  const left = toRun === null ? "" : `, ${toRun} to run`;
  return { kind: "next-version", name, reason: `${name} is ${status}; the next version goes on (${what}${left})` };
}

const staleText = (stale: number): string =>
  stale === 1 ? "a job that finished no longer holds" : `${stale} jobs that finished no longer hold`;

function openAlready(name: RequestName, status: RequestStatus, isSame: boolean): RunDecision {
  if (status === "new") return { kind: "submit-draft", name, reason: `${name} was kept as a draft` };
  if (isSame) {
    if (status === "held") return { kind: "release", name, reason: `${name} is held; it goes on where it was` };
    if (status === "resubmitting")
      return { kind: "resume", name, reason: `${name} was stopped; it goes on where it was` };
    return { kind: "join", name, reason: `${name} is ${status} already` };
  }
  if (status === "held")
    return { kind: "restart", name, reason: `${name} is held and the file has changed: the next version goes on` };
  return {
    kind: "refuse",
    reason: `${name} is ${status}, and the file has changed since`,
    hint: `wait for it (wms2 watch ${name}), or stop it first (wms2 hold ${name} --reason …) and run again`,
  };
}
