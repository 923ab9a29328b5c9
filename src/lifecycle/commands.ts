import { ERROR_TABLE, WorldError } from "../base/errors.ts";
import { err, ok } from "../base/result.ts";
import type { AdmissionLimits } from "../domain/admission.ts";
import type { RequestName, SiteName } from "../domain/names.ts";
import { canMove, isTerminal } from "../domain/request-status.ts";
import type { IntakeRules } from "../domain/submission.ts";
import { parseDocument } from "../intake/parse-document.ts";
import { readSubmission } from "../intake/read-submission.ts";
import { gatherErrors } from "./errors.ts";
import { changeProblems } from "./node-changes.ts";
import { act } from "./operate.ts";
import { operatorCommands } from "./operator-commands.ts";
import { admissionLimits, loadQueue } from "./pass.ts";
import type { ChangeAnswer, Commands, Seen, SubmitAnswer } from "./port.ts";
import type { LoopPolicy, Ports } from "./ports.ts";
import { previewPlan } from "./preview.ts";

type Document = { text: string; format: "json" | "yaml" };

/** Validates, stores a change or a wish, nudges the loop. Never works on the engine itself. */
export function makeCommands(ports: Ports, policy: LoopPolicy, rules: IntakeRules, nudge: () => void): Commands {
  const { store, clock } = ports;

  const read = (document: Document, actor: string) => {
    const parsed = parseDocument(document.text, document.format);
    return parsed.ok ? readSubmission(parsed.value, { ...rules, requestor: actor }) : parsed;
  };

  const submit = async (document: Document, actor: string): Promise<SubmitAnswer> => {
    const submission = read(document, actor);
    if (!submission.ok) return err({ kind: "problems", problems: submission.error });
    const { spec, files, warnings } = submission.value;
    if (!(await store.requests.create(spec, "submitted", files, actor, clock.now()))) {
      return err({ kind: "name-taken", name: spec.name });
    }
    nudge();
    ports.log.info("request.submitted", { request: spec.name, actor });
    const plan = spec.productionSteps.length ? await previewPlan(ports, policy, spec) : null;
    const coarse = plan?.ok ? plan.value.warnings : [];
    return ok({ request: await store.requests.get(spec.name), warnings: [...warnings, ...coarse], plan });
  };

  const check = async (document: Document, actor: string): Promise<SubmitAnswer> => {
    const submission = read(document, actor);
    if (!submission.ok) return err({ kind: "problems", problems: submission.error });
    const taken = await store.requests.get(submission.value.spec.name);
    if (taken) return err({ kind: "name-taken", name: taken.spec.name });
    const plan = await previewPlan(ports, policy, submission.value.spec);
    return ok({ request: null, warnings: submission.value.warnings, plan });
  };

  const change = async (
    name: RequestName,
    seen: Seen,
    decideChange: (request: NonNullable<Awaited<ReturnType<typeof store.requests.get>>>) => ChangePlan,
  ): Promise<ChangeAnswer> => {
    const request = await store.requests.get(name);
    if (!request) return { kind: "unknown-request" };
    if (seen.version !== null && seen.version !== request.version) return { kind: "stale", request };
    const plan = decideChange(request);
    if ("refuse" in plan) return { kind: "not-allowed", reason: plan.refuse };
    if (plan.change) {
      const why = { reason: plan.reason, actor: seen.actor, at: clock.now() };
      if (!(await store.requests.change(name, request.version, plan.change, why))) {
        const now = await store.requests.get(name);
        return now ? { kind: "stale", request: now } : { kind: "unknown-request" };
      }
      nudge();
    }
    const changed = await store.requests.get(name);
    if (!changed) throw new WorldError("not-found", name, `${name} vanished`, { hint: ERROR_TABLE["not-found"].hint });
    return { kind: "changed", request: changed };
  };

  return {
    ...operatorCommands(ports, policy, nudge),
    submit,
    check,
    async preview(name) {
      const request = await store.requests.get(name);
      return request && previewPlan(ports, policy, request.spec);
    },
    reprioritise: (name, wanted, seen) =>
      change(name, seen, (request) => {
        if (isTerminal(request.status))
          return { refuse: `${name} is ${request.status}: nothing is left to prioritise` };
        if (wanted.urgent && request.productionSteps.length > 0) {
          return { refuse: `${name} has production steps: it cannot be urgent as well` };
        }
        const words = [
          wanted.priority === undefined ? "" : `priority ${wanted.priority}`,
          wanted.urgent === undefined ? "" : wanted.urgent ? "urgent" : "not urgent",
        ];
        return { change: wanted, reason: words.filter(Boolean).join(", ") };
      }),
    abort: (name, reason, seen) =>
      change(name, seen, (request) => {
        if (request.status === "aborted" || request.wish?.kind === "abort") return { change: null, reason };
        if (!canMove(request.status, "aborted")) return { refuse: `${name} is ${request.status} already` };
        return { change: { wish: { kind: "abort", actor: seen.actor, reason, at: clock.now() } }, reason };
      }),
    async act(name, wanted, seen) {
      const request = wanted.changes ? await store.requests.get(name) : null;
      const problems = request ? await changeProblems(ports, policy, request, wanted.changes ?? {}) : [];
      if (problems.length > 0) return { kind: "refused", problems };
      const answer = await act(ports, policy, name, wanted, seen);
      if (answer.kind === "done") nudge();
      return answer;
    },
    errors: (name) => gatherErrors(ports, policy, name),
    async setAdmission(limits: Partial<AdmissionLimits>, actor: string) {
      const next = { ...(await admissionLimits(ports)), ...limits };
      await store.settings.set("admission", next, actor, clock.now());
      nudge();
      return next;
    },
    async changeSite(name: SiteName, wanted, actor) {
      const at = clock.now();
      if (!(await store.sites.change(name, wanted, actor, at))) return false;
      const { status, note = "" } = wanted;
      await store.audit.add({
        at,
        actor,
        action: SITE_ACTIONS[status],
        subject: name,
        reason: note,
        detail: {},
        outcome: "done",
      });
      return true;
    },
    async queue() {
      const { active, limits, entries } = await loadQueue(ports);
      return { active, limits, entries };
    },
  };
}

type ChangePlan =
  | { readonly change: Parameters<Ports["store"]["requests"]["change"]>[2] | null; readonly reason: string }
  | { readonly refuse: string };

const SITE_ACTIONS = { enabled: "enable", draining: "drain", disabled: "disable" } as const;
