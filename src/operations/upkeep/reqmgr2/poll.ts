import type { RequestCatalog } from "../../../catalogs/port.ts";
import { describeError, WorldError } from "../../../core/base/errors.ts";
import { makeTurns } from "../../../core/base/turns.ts";
import { type ImportRecord, newImport } from "../../../core/import.ts";
import type { RequestName } from "../../../core/names.ts";
import type { IntakeRules } from "../../../core/submission.ts";
import { explainChanges } from "../../../intake/explain-changes.ts";
import { shown } from "../../../intake/reading/notes.ts";
import { backendOf } from "../../../intake/reqmgr2-fields.ts";
import type { Work } from "../../../loop/ports.ts";
import { importRequest } from "../../handlers/import.ts";
import type { SubmitAnswer } from "../../handlers/port.ts";

export interface PollOptions {
  readonly pollSec: number;
  readonly rules: IntakeRules;
  readonly nudge: () => void;
  readonly isLeader?: () => Promise<boolean>;
}

/** Imported requests whose documents are looked at again in one poll: the longest unseen. */
const LOOKS_PER_POLL = 20;
const ACTOR = "reqmgr2";

/**
 * Takes what ReqMgr2 has assigned to this installation, once. What cannot be taken is remembered with its reason and not
 * tried again while it stays assigned. Documents that were taken are looked at for changes.
 */
export function makePoller(ports: Work, source: RequestCatalog, { pollSec, rules, nudge, isLeader }: PollOptions) {
  const pollOnce = async (): Promise<{ readonly imported: readonly string[]; readonly refused: readonly string[] }> => {
    const names = await source.assigned();
    await ports.store.imports.forget(names);
    const known = await ports.store.imports.known(names);
    const imported: string[] = [];
    const refused: string[] = [];
    for (const name of names.filter((one) => !known.has(one))) {
      const outcome = await take(ports, source, rules, name);
      if (outcome === "imported") imported.push(name);
      if (outcome === "refused") refused.push(name);
    }
    if (imported.length > 0) nudge();
    await lookForChanges(ports, source);
    return { imported, refused };
  };
  const turns = makeTurns({
    name: "reqmgr2.poll",
    everySec: pollSec,
    firstSec: 1,
    log: ports.log,
    isLeader,
    work: pollOnce,
  });
  return { ...turns, pollOnce };
}

/** null: it is gone, or was here already. */
async function take(
  ports: Work,
  source: RequestCatalog,
  rules: IntakeRules,
  name: string,
): Promise<ImportRecord["outcome"] | null> {
  const { store, clock, log } = ports;
  const document = await source.document(name);
  if (!document) return null;
  const remember = async (outcome: "refused" | "passed-over", reasons: readonly string[]) => {
    await store.imports.record(newImport({ name: name as RequestName, outcome, reasons, document }, clock.now()));
    log.warn(`request.${outcome}`, { request: name, why: reasons[0] });
    return outcome;
  };
  if (backendOf(document) === "other")
    return remember("passed-over", [`it is for ${shown(document.wms_backend)} (wms_backend)`]);
  const once: RequestCatalog = { ...source, document: async () => document };
  const work = { ...ports, catalog: { ...ports.catalog, requests: once } };
  const answer = await importRequest(work, rules, { name, overrides: {} }, { actor: ACTOR, dryRun: false }).catch(
    (error: unknown): SubmitAnswer => {
      if (error instanceof WorldError) throw error;
      return {
        ok: false,
        error: { kind: "problems", problems: [{ path: "", message: describeError(error), allowed: null }] },
      };
    },
  );
  if (answer.ok) return answer.value.already ? null : "imported";
  const { error } = answer;
  if (error.kind === "unknown") return null;
  if (error.kind === "name-taken") return remember("refused", ["a request of that name was submitted here by hand"]);
  return remember(
    "refused",
    error.problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)),
  );
}

async function lookForChanges({ store, clock, log }: Work, source: RequestCatalog): Promise<void> {
  for (const { name, document: before, changes: known } of await store.imports.leastLookedAt(LOOKS_PER_POLL)) {
    const now = await source.document(name);
    const changes = now ? explainChanges(before, now) : ["ReqMgr2 has it no more"];
    const theirStatus = typeof now?.RequestStatus === "string" ? now.RequestStatus : null;
    await store.imports.change(name, { changes, theirStatus, lookedAt: clock.now() });
    if (changes.length > known.length)
      log.warn("request.changed-there", { request: name, changes: changes.slice(0, 5) });
  }
}
