import { invariant } from "../base/errors.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { AdmissionLimits, Queue } from "../domain/admission.ts";
import { isInEngine } from "../domain/dag.ts";
import { batchName, type DagId, type RequestName } from "../domain/names.ts";
import type { AlertRecord } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord } from "../domain/request.ts";
import { isTerminal } from "../domain/request-status.ts";
import type { IntakeRules } from "../domain/submission.ts";
import { parseDocument } from "../intake/parse-document.ts";
import { readSubmission } from "../intake/read-submission.ts";
import { actMany } from "./act-many.ts";
import { gatherAttempts } from "./attempts.ts";
import { classify, unclassified } from "./classify.ts";
import { gatherErrors } from "./errors.ts";
import { type ActAnswer, act, type NotAsSeen, type OperatorRequest, type Seen } from "./operate.ts";
import { admissionLimits, loadQueue } from "./pass.ts";
import type { LoopPolicy, Ports, Work } from "./ports.ts";
import { type PlanPreview, previewPlan } from "./preview.ts";
import { retryNode } from "./retry-node.ts";
import { banSite, changeSite, siteEffect, unbanSite } from "./site-actions.ts";

/** As a person wrote it. */
interface Document {
  readonly text: string;
  readonly format: "json" | "yaml";
}

export type SubmitAnswer = Result<
  {
    readonly request: RequestRecord | null;
    readonly warnings: readonly string[];
    /** Of a dry run, and of a request whose production steps had to be looked at. */
    readonly plan: PlanPreview | null;
  },
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "name-taken"; readonly name: string }
>;

export type ChangeAnswer =
  | { readonly kind: "changed"; readonly request: RequestRecord }
  /** The state does not allow it, with the reason and what is allowed. */
  | { readonly kind: "not-allowed"; readonly reason: string }
  | NotAsSeen;

/** Validates, stores a change or a wish, nudges the loop. Never works on the engine itself. */
export function makeCommands(given: Ports, policy: LoopPolicy, rules: IntakeRules, nudge: () => void) {
  const ports: Work = { ...given, policy };
  const { store, clock } = ports;

  /** Whatever left the loop something to do nudges it. */
  const nudging =
    <Args extends unknown[], Answer>(work: (...args: Args) => Promise<Answer>, isNews: (answer: Answer) => boolean) =>
    async (...args: Args): Promise<Answer> => {
      const answer = await work(...args);
      if (isNews(answer)) nudge();
      return answer;
    };

  const read = (document: Document, actor: string) => {
    const parsed = parseDocument(document.text, document.format);
    return parsed.ok ? readSubmission(parsed.value, { ...rules, requestor: actor }) : parsed;
  };

  return {
    /** Nothing is stored for a bad document. */
    async submit(document: Document, actor: string, signal?: AbortSignal): Promise<SubmitAnswer> {
      const submission = read(document, actor);
      if (!submission.ok) return err({ kind: "problems", problems: submission.error });
      const { spec, files, warnings } = submission.value;
      if (!(await store.requests.create(spec, "submitted", files, actor, clock.now())))
        return err({ kind: "name-taken", name: spec.name });
      nudge();
      ports.log.info("request.submitted", { request: spec.name, actor });
      const plan = spec.productionSteps.length ? await previewPlan({ ...ports, signal }, spec) : null;
      const coarse = plan?.ok ? plan.value.warnings : [];
      return ok({ request: await store.requests.get(spec.name), warnings: [...warnings, ...coarse], plan });
    },

    /** Which problems would it have? Stores nothing. */
    async check(document: Document, actor: string, signal?: AbortSignal): Promise<SubmitAnswer> {
      const submission = read(document, actor);
      if (!submission.ok) return err({ kind: "problems", problems: submission.error });
      const { spec, warnings } = submission.value;
      if (await store.requests.get(spec.name)) return err({ kind: "name-taken", name: spec.name });
      return ok({ request: null, warnings, plan: await previewPlan({ ...ports, signal }, spec) });
    },

    /** What its first round would be, as things are now; null: no such request. */
    async preview(name: RequestName, signal?: AbortSignal): Promise<PlanPreview | null> {
      const request = await store.requests.get(name);
      return request && previewPlan({ ...ports, signal }, request.spec);
    },

    async reprioritise(
      name: RequestName,
      wanted: { priority?: number; urgent?: boolean },
      { version, actor }: Seen,
    ): Promise<ChangeAnswer> {
      const request = await store.requests.get(name);
      if (!request) return { kind: "unknown-request" };
      if (version !== null && version !== request.version) return { kind: "stale", request };
      const refused = (reason: string): ChangeAnswer => ({ kind: "not-allowed", reason: `${name} ${reason}` });
      if (isTerminal(request.status)) return refused(`is ${request.status}: nothing is left to prioritise`);
      if (wanted.urgent && request.productionSteps.length > 0)
        return refused("has production steps: it cannot be urgent as well");
      const changed = [
        wanted.priority === undefined ? "" : `priority ${wanted.priority}`,
        wanted.urgent === undefined ? "" : wanted.urgent ? "urgent" : "not urgent",
      ];
      const why = { reason: changed.filter(Boolean).join(", "), actor, at: clock.now() };
      const isDone = await store.transaction(
        async (tx) =>
          (await tx.requests.change(name, request.version, wanted, why)) &&
          tx.audit.add({ ...why, action: "priority", subject: name, detail: {}, outcome: "done" }),
      );
      if (isDone) nudge();
      const now = await store.requests.get(name);
      invariant(now, `${name} vanished`);
      return { kind: isDone ? "changed" : "stale", request: now };
    },

    act: nudging(
      async (
        name: RequestName,
        { from, ...wanted }: OperatorRequest & { from?: string },
        by: Parameters<typeof act>[3],
      ) => {
        if (from === undefined) return act(ports, name, wanted, by);
        const draft = read({ text: from, format: from.trimStart().startsWith("{") ? "json" : "yaml" }, by.actor);
        const refused: ActAnswer | null = draft.ok ? null : { kind: "refused", problems: draft.error };
        return refused ?? act(ports, name, { ...wanted, draft: draft.ok ? draft.value : null }, by);
      },
      ({ kind }) => kind === "done",
    ),
    actMany: nudging(actMany.bind(null, ports), ({ results }) => results.some(({ answer }) => answer.kind === "done")),
    retryNode: nudging(retryNode.bind(null, ports), ({ kind }) => kind === "reserved"),
    classify: nudging(classify.bind(null, ports), (answer) => answer.kind === "done" && !!answer.resubmit),
    attempts: gatherAttempts.bind(null, ports),
    unclassified: unclassified.bind(null, ports),
    errors: gatherErrors.bind(null, ports),

    banSite: banSite.bind(null, ports),
    unbanSite: unbanSite.bind(null, ports),
    changeSite: changeSite.bind(null, ports),
    siteEffect: siteEffect.bind(null, ports),
    changeDag: changeDag.bind(null, ports),
    acknowledge: acknowledge.bind(null, ports),

    async setAdmission(limits: Partial<AdmissionLimits>, actor: string): Promise<AdmissionLimits> {
      const next = { ...(await admissionLimits(ports)), ...limits };
      const at = clock.now();
      const reason = `at most ${next.maxActive} active`;
      await store.transaction(async (tx) => {
        await tx.settings.set("admission", next, actor, at);
        await tx.audit.add({
          at,
          actor,
          action: "admission",
          subject: "admission",
          reason,
          detail: {},
          outcome: "done",
        });
      });
      nudge();
      return next;
    },
    async queue(): Promise<Queue> {
      const { active, limits, entries } = await loadQueue(ports);
      return { active, limits, entries };
    },
  };
}

const PAST = { hold: "held", release: "released" } as const;

/** The engine pauses the run, or lets it go on; the request does not move. */
async function changeDag(
  { store, engine, clock }: Ports,
  dagId: DagId,
  verb: "hold" | "release",
  reason: string,
  actor: string,
): Promise<
  | { readonly kind: "done"; readonly requestName: RequestName | null }
  | { readonly kind: "unknown-dag" }
  | { readonly kind: "not-allowed"; readonly reason: string }
> {
  const dag = await store.dags.get(dagId);
  if (!dag) return { kind: "unknown-dag" };
  const { status, submitDir, engineId } = dag;
  if (!isInEngine(status)) {
    const why = `it is ${status}: only a DAG that is in the engine can be ${PAST[verb]}`;
    return { kind: "not-allowed", reason: why };
  }
  await engine[verb]({ dagId, submitDir, engineId, batchName: batchName(dagId), priority: 0 });
  const at = clock.now();
  const requestName = (await store.workflows.get(dag.workflowId))?.requestName ?? null;
  await store.dags.addEvent({ dagId, type: PAST[verb], detail: { actor, reason }, at });
  const subject = requestName ?? dagId;
  await store.audit.add({ at, actor, action: `${verb}-dag`, subject, reason, detail: { dag: dagId }, outcome: "done" });
  return { kind: "done", requestName };
}

async function acknowledge(
  { store, clock }: Ports,
  id: string,
  reason: string,
  actor: string,
): Promise<
  { readonly kind: "acknowledged" | "already" | "closed"; readonly alert: AlertRecord } | { readonly kind: "unknown" }
> {
  const at = clock.now();
  const isNew = await store.alerts.acknowledge(id, actor, at);
  const alert = await store.alerts.get(id);
  if (!alert) return { kind: "unknown" };
  if (!isNew) return { kind: alert.closedAt ? "closed" : "already", alert };
  const detail = { alert: id, key: alert.key };
  await store.audit.add({ at, actor, action: "acknowledge", subject: alert.subject, reason, detail, outcome: "done" });
  return { kind: "acknowledged", alert };
}
