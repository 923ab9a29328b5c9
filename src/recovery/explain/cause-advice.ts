import type { FailureCause } from "../../core/failure-row.ts";
import { advise, commandFor, everybodyCommand, lackOf, type SuspectSite } from "./advise.ts";

/** What failures over many requests have in common. */
interface CommonCause extends FailureCause {
  readonly requests: number;
  readonly held: number;
  readonly names: readonly string[];
}

interface CauseFacts {
  /** Its site, where it stands out; null: what fails so fails elsewhere, too, or nobody can tell. */
  readonly site: SuspectSite | null;
  /** Of the memory that all these requests may ask for there is no more than this; null: there is, or they differ. */
  readonly mostMemoryMb: number | null;
  /** Of all these requests: a corrected document goes on as the next version. */
  readonly nextVersionKeeps: boolean;
}

/** The advice about a cause: for the requests that are held for it, and where it is a site for everybody. */
export function causeAdvice(cause: CommonCause, { site, mostMemoryMb, nextVersionKeeps }: CauseFacts) {
  const { category, held, names, requests } = cause;
  const advice = advise({
    ...cause,
    site: isOfSites(cause) ? site : null,
    badFiles: cause.file === null ? [] : [cause.file],
    lacks: lackOf(cause),
    mostMemoryMb,
    isPermanent: category === "permanent",
    host: null,
    nextVersionKeeps,
  });
  const { action, reason, modifications, needsFile } = advice;
  const isForMany = held > 0 && !needsFile && (action === "release" || action === "rescue");
  const isTyped = held > 0 || action === "classify" || action === "recover";
  const each = requests > 1 && (needsFile || action === "classify") ? `; each of ${requests} requests by itself` : "";
  return {
    action,
    reason: `${reason}${each}`,
    /** One action for all of them: what goes beside its reason and filter; null: it is none. */
    body: isForMany ? { action, ...modifications } : null,
    command: isTyped ? commandFor(advice, { filter: filterOf(cause), names }) : null,
    everybodyCommand: everybodyCommand(advice),
  };
}
export type CauseSuggestion = Readonly<ReturnType<typeof causeAdvice>>;

/** Infrastructure, and data trouble nobody could pin to a file: then it may well be the site's storage. */
const isOfSites = ({ category, file }: CommonCause): boolean =>
  category === "infrastructure" || (category === "data" && file === null);

/** Chooses the held requests of a cause, as GET /requests and a bulk action take it. */
export const filterOf = ({ exitCode, site, file, held }: CommonCause) => ({
  ...(held > 0 && { status: ["held" as const] }),
  code: exitCode,
  ...(site !== null && { site }),
  ...(file !== null && { file }),
});
