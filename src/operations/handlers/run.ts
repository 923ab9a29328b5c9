import { err, ok, type Result } from "../../core/base/result.ts";
import type { RequestName } from "../../core/names.ts";
import type { Draft, RequestRecord } from "../../core/request.ts";
import type { IntakeRules, Submission } from "../../core/submission.ts";
import { creditedJobs, gatherEarlierWork } from "../../loop/gather-credits.ts";
import type { Work } from "../../loop/ports.ts";
import { startClone } from "../../loop/restart.ts";
import { decideRun, type RunDecision } from "../../recovery/round/decide-run.ts";
import { checkRestart, cloneOf } from "../../recovery/round/restart.ts";
import { differences } from "../../recovery/round/revise.ts";
import { act } from "./act.ts";
import type { ActAnswer, By, Document, OperatorRequest } from "./port.ts";
import type { RunAnswer, RunTold } from "./run-port.ts";
import { readWhole } from "./submit.ts";

/**
 * Runs a document: hands it in, or goes on with the request of its name. What finished is never done again, and what an
 * earlier version made is kept where it still holds. A dry run says what would be done.
 */
export async function runDocument(ports: Work, rules: IntakeRules, document: Document, by: By): Promise<RunAnswer> {
  const answer = await runOnce(ports, rules, document, by);
  // Somebody else ran it at the same time: now there is something to join.
  return !answer.ok && answer.error.kind === "name-taken" ? runOnce(ports, rules, document, by) : answer;
}

async function runOnce(ports: Work, rules: IntakeRules, document: Document, by: By): Promise<RunAnswer> {
  const read = await readWhole(ports, document, rules, by.actor);
  if (!read.ok) return err({ kind: "problems", problems: read.error });
  const submission = { ...read.value, document: document.text };
  const latest = await latestVersion(ports, submission.spec.name);
  const earlier = await gatherEarlierWork(ports, submission.spec, submission.files, latest?.spec.name ?? null);
  const jobs = earlier && { jobs: earlier.jobs, credited: creditedJobs(earlier).size };
  const stale = earlier?.jobs.filter(({ name, cause }) => cause !== null && earlier.proofs.has(name)).length ?? 0;
  const decision = decideRun({
    latest: latest && (await latestFacts(ports, latest, submission)),
    toRun: jobs && jobs.jobs.length - jobs.credited,
    stale,
  });
  if (decision.kind === "refuse") return err(decision);
  const done = await carryOut(ports, submission, latest, decision, by);
  const told = decision.kind === "join" || decision.kind === "submit-draft" ? null : jobs;
  return done.ok ? ok({ ...done.value, decision, warnings: submission.warnings, jobs: told }) : done;
}

/** The name stays the same for people; behind it is the last of its versions. */
async function latestVersion({ store }: Work, name: RequestName): Promise<RequestRecord | null> {
  let latest = await store.requests.get(name);
  while (latest?.supersededBy) latest = (await store.requests.get(latest.supersededBy)) ?? null;
  return latest;
}

async function latestFacts({ store, policy }: Work, { spec, status, supersededBy }: RequestRecord, wanted: Submission) {
  const files = await store.requests.files(spec.name);
  const isNameTaken = (await store.requests.get(cloneOf(spec).name)) !== null;
  // A graph names no datasets that a version would have to be part of.
  const versionLimit = spec.outputs.length > 0 ? policy.versionLimit : Number.POSITIVE_INFINITY;
  const [problem] = checkRestart({ spec, supersededBy, versionLimit, isNameTaken });
  const isSame = differences({ spec, files }, wanted).length === 0;
  const { directory } = spec.work;
  const otherFolder = directory !== undefined && directory !== wanted.spec.work.directory ? directory : null;
  return { name: spec.name, status, isSame, noNextVersion: problem?.message ?? null, otherFolder };
}

type Done = Pick<RunTold, "name" | "previous">;
type Failed = Extract<RunAnswer, { ok: false }>["error"];

async function carryOut(
  ports: Work,
  draft: Submission & Draft,
  latest: RequestRecord | null,
  decision: Exclude<RunDecision, { kind: "refuse" }>,
  by: By,
): Promise<Result<Done, Failed>> {
  const { store, clock } = ports;
  if (decision.kind === "submit" || !latest) {
    const { spec, files } = draft;
    const create = () =>
      store.transaction(async ({ requests }) => {
        if (!(await requests.create(spec, "submitted", files, by.actor, clock.now()))) return false;
        if (draft.document) await requests.keepDocument(spec.name, draft.document);
        return true;
      });
    if (!by.dryRun && !(await create())) return err({ kind: "name-taken", name: spec.name });
    return ok({ name: spec.name, previous: null });
  }
  const { name } = latest.spec;
  const clone = cloneOf(latest.spec).name;
  const acting = async (wanted: Omit<OperatorRequest, "reason">, goesOnAs: RequestName) => {
    const reason = `${by.actor} ran it again`;
    const answer = await act(ports, name, { ...wanted, reason }, { ...by, version: latest.version });
    return isDone(answer)
      ? ok({ name: goesOnAs, previous: goesOnAs === name ? null : name })
      : err(refused(name, answer));
  };
  switch (decision.kind) {
    case "join":
    case "nothing":
      return ok({ name, previous: null });
    case "submit-draft":
      return acting({ action: "submit" }, name);
    case "release":
    case "resume":
      return acting({ action: decision.kind }, name);
    case "restart":
      return acting({ action: "restart", draft }, clone);
    case "next-version": {
      const begin = () =>
        store.transaction((tx) =>
          startClone({ ...ports, store: tx }, latest, { cleanupPolicy: null, draft }, by.actor),
        );
      if (!by.dryRun && !(await begin())) return err({ kind: "name-taken", name: clone });
      return ok({ name: clone, previous: name });
    }
  }
}

const isDone = ({ kind }: ActAnswer): boolean => kind === "done" || kind === "would" || kind === "already";

function refused(name: RequestName, answer: ActAnswer): Extract<Failed, { kind: "refuse" }> {
  if (answer.kind !== "refused") return { kind: "refuse", reason: `${name} has just moved on`, hint: "run it again" };
  const reason = answer.problems.map(({ message }) => message).join("; ");
  return { kind: "refuse", reason: `${name} cannot go on: ${reason}`, hint: `look at it with: wms2 errors ${name}` };
}
