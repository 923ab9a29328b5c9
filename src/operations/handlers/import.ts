import { tokenOf } from "../../core/actor.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { newImport } from "../../core/import.ts";
import { isName, type RequestName } from "../../core/names.ts";
import type { Problem } from "../../core/problem.ts";
import type { IntakeRules, Submission } from "../../core/submission.ts";
import { explainChanges } from "../../intake/explain-changes.ts";
import { readSubmission } from "../../intake/read-submission.ts";
import { isRow, type Row } from "../../intake/reading/values.ts";
import type { Work } from "../../loop/ports.ts";
import type { SubmitAnswer } from "./port.ts";
import { previewPlan } from "./preview.ts";

/** A request to be fetched by its name, and what is to be changed of it. */
export interface Import {
  readonly name: string;
  readonly overrides: Row;
}

/** What a document asks for that names a request instead of being one; null: it is one. */
export function importOf(document: unknown): Import | null {
  if (!isRow(document) || document.source !== "reqmgr2") return null;
  const { source: _, request_name: name, ...overrides } = document;
  return { name: typeof name === "string" ? name : "", overrides };
}

/**
 * Fetches, reads, checks and stores: all of it or nothing, and once. The name is the key: whoever comes second, in this
 * server or another, finds it there.
 */
export async function importRequest(
  ports: Work,
  rules: IntakeRules,
  { name, overrides }: Import,
  by: { readonly actor: string; readonly dryRun: boolean },
): Promise<SubmitAnswer> {
  const { store, clock, log } = ports;
  const source = ports.catalog.requests;
  if (!isName(name)) return refused("request_name", "is not the name of a request", "as ReqMgr2 calls it");
  if (!source) return refused("source", "no ReqMgr2 is configured here", "catalog.kind: cms and its addresses");
  const document = await source.document(name);
  if (!document) return err({ kind: "unknown", name, source: source.name });
  const known = await alreadyHere(ports, name as RequestName, document, by.dryRun);
  if (known) return known;
  const read = readImported(document, { name, overrides }, ports, { ...rules, requestor: tokenOf(by.actor) });
  if (!read.ok) return err({ kind: "problems", problems: read.error });
  const { spec, files, warnings } = read.value;
  if (by.dryRun) return ok({ request: null, warnings, plan: await previewPlan(ports, spec) });
  const at = clock.now();
  const isStored = await store.transaction(async (tx) => {
    if (!(await tx.requests.create(spec, "submitted", files, by.actor, at))) return false;
    await tx.imports.record(newImport({ name: spec.name, outcome: "imported", reasons: [], document }, at));
    return true;
  });
  // Somebody else was faster: a second look finds what they stored.
  if (!isStored) return (await alreadyHere(ports, spec.name, document, false)) ?? err({ kind: "name-taken", name });
  log.info("request.imported", { request: spec.name, actor: by.actor, source: source.name });
  return ok({ request: await store.requests.get(spec.name), warnings, plan: null });
}

const refused = (path: string, message: string, allowed: string): SubmitAnswer =>
  err({ kind: "problems", problems: [{ path, message, allowed }] });

/** The document with what was changed of it, as a submission under exactly that name. */
function readImported(
  document: Row,
  { name, overrides }: Import,
  { kinds }: Pick<Work, "kinds">,
  rules: IntakeRules,
): Result<Submission, readonly Problem[]> {
  const own = ["name", "kind", "RequestName"].filter((key) => Object.hasOwn(overrides, key));
  if (own.length > 0)
    return err(
      own.map((path) => ({ path, message: "cannot be changed of a request that is imported", allowed: null })),
    );
  const { priority, ...others } = overrides;
  const whole = {
    RequestName: name,
    ...document,
    ...(priority !== undefined && { RequestPriority: priority }),
    ...others,
  };
  const read = readSubmission(whole, rules, kinds);
  if (!read.ok || read.value.spec.name === name) return read;
  return err([
    { path: "RequestName", message: `is ${read.value.spec.name}, and ${name} was asked for`, allowed: null },
  ]);
}

/** Imported before: with what has changed there since, which is kept on the request and never applied. */
async function alreadyHere(
  { store, clock }: Work,
  name: RequestName,
  document: Row,
  dryRun: boolean,
): Promise<SubmitAnswer | null> {
  const request = await store.requests.get(name);
  if (!request) return null;
  const record = await store.imports.get(name);
  if (record?.outcome !== "imported") return err({ kind: "name-taken", name });
  const changes = explainChanges(record.document, document);
  if (!dryRun) await store.imports.change(name, { changes, lookedAt: clock.now() });
  return ok({
    request,
    warnings: changes.map((line) => `changed in ReqMgr2 since: ${line}`),
    plan: null,
    already: true,
  });
}
