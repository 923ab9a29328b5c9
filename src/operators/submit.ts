import { groupBy } from "../base/group-by.ts";
import { err, ok, type Result } from "../base/result.ts";
import { listed } from "../base/text.ts";
import { tokenOf } from "../domain/actor.ts";
import type { RequestName } from "../domain/names.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestSpec } from "../domain/request.ts";
import type { IntakeRules, Submission } from "../domain/submission.ts";
import { readSubmission } from "../intake/read-submission.ts";
import { type Kinds, kindOf } from "../kinds/kind.ts";
import type { Work } from "../lifecycle/ports.ts";
import { problemsAtLines } from "../reading/line-of.ts";
import { parseDocument } from "../reading/parse-document.ts";
import { type Import, importOf, importRequest } from "./import.ts";
import type { Document, PlanPreview, SubmitAnswer } from "./port.ts";
import { previewPlan } from "./preview.ts";

/** A document becomes a request, or a list of named problems. */
export function readDocument(
  { text, format }: Document,
  rules: IntakeRules,
  actor: string,
  kinds: Kinds,
): Result<Submission, readonly Problem[]> {
  const parsed = parseDocument(text, format);
  return parsed.ok ? readSubmission(parsed.value, { ...rules, requestor: tokenOf(actor) }, kinds) : parsed;
}

/** People write YAML; what programs send as JSON has no lines worth naming. */
const atLines = ({ text, format }: Document, problems: readonly Problem[]): readonly Problem[] =>
  format === "yaml" ? problemsAtLines(text, problems) : problems;

/** A document that makes sense, and whose files are there. */
export async function readWhole(
  ports: Work,
  document: Document,
  rules: IntakeRules,
  actor: string,
): Promise<Result<Submission, readonly Problem[]>> {
  const read = readDocument(document, rules, actor, ports.kinds);
  if (!read.ok) return err(atLines(document, read.error));
  const absent = await absentInputs(ports, read.value.spec.work);
  return absent.length > 0 ? err(atLines(document, absent)) : read;
}

async function absentInputs({ kinds, spool }: Work, work: RequestSpec["work"]): Promise<readonly Problem[]> {
  const inputs = kindOf(kinds, work).inputs?.(work);
  if (!inputs) return [];
  const [directory = "/"] = inputs.keys();
  const there = await spool.stamps(directory, inputs.keys());
  const absent = groupBy(
    [...inputs].filter(([path]) => !there.has(path)),
    ([, place]) => place,
  );
  return [...absent].map(([path, missing]) => ({
    path,
    message: `${listed(missing.map(([file]) => file))}: not there, as the server sees it`,
    allowed: "files and folders that are there, or that a job makes",
  }));
}

/** The request a document names instead of being one; a draft never does. */
function importIn({ text, format, isDraft }: Document): Import | null {
  const parsed = isDraft || !text.includes("reqmgr2") ? null : parseDocument(text, format);
  return parsed?.ok ? importOf(parsed.value) : null;
}

export async function submit(
  ports: Work,
  rules: IntakeRules,
  nudge: () => void,
  document: Document,
  actor: string,
  signal?: AbortSignal,
): Promise<SubmitAnswer> {
  const { store, clock, log } = ports;
  const wanted = importIn(document);
  if (wanted) {
    const answer = await importRequest({ ...ports, signal }, rules, wanted, { actor, dryRun: false });
    if (answer.ok && !answer.value.already) nudge();
    return answer;
  }
  const submission = await readWhole(ports, document, rules, actor);
  if (!submission.ok) return err({ kind: "problems", problems: submission.error });
  const { spec, files, warnings } = submission.value;
  const { isDraft = false } = document;
  const isStored =
    (await store.requests.create(spec, isDraft ? "new" : "submitted", files, actor, clock.now())) ||
    (isDraft && (await store.requests.replaceDraft(spec, files, clock.now())));
  if (!isStored) return err({ kind: "name-taken", name: spec.name });
  nudge();
  log.info(isDraft ? "request.drafted" : "request.submitted", { request: spec.name, actor });
  const plan = spec.productionSteps.length ? await previewPlan({ ...ports, signal }, spec) : null;
  const coarse = plan?.ok ? plan.value.warnings : [];
  return ok({ request: await store.requests.get(spec.name), warnings: [...warnings, ...coarse], plan });
}

export async function check(
  ports: Work,
  rules: IntakeRules,
  document: Document,
  actor: string,
  signal?: AbortSignal,
): Promise<SubmitAnswer> {
  const wanted = importIn(document);
  if (wanted) return importRequest({ ...ports, signal }, rules, wanted, { actor, dryRun: true });
  const submission = await readWhole(ports, document, rules, actor);
  if (!submission.ok) return err({ kind: "problems", problems: submission.error });
  const { spec, warnings } = submission.value;
  const isTaken = (await ports.store.requests.get(spec.name)) !== null;
  if (isTaken && !document.isCompared) return err({ kind: "name-taken", name: spec.name });
  return ok({
    request: null,
    warnings,
    plan: await previewPlan({ ...ports, signal }, spec),
    readAs: { spec, isTaken },
  });
}

export async function preview(ports: Work, name: RequestName, signal?: AbortSignal): Promise<PlanPreview | null> {
  const request = await ports.store.requests.get(name);
  return request && previewPlan({ ...ports, signal }, request.spec);
}
