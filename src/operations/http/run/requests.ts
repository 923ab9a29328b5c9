import { InvariantError, WorldError } from "../../../core/base/errors.ts";
import type { SubmitAnswer } from "../../handlers/port.ts";
import { checkedSchema, requestPageSchema, type requests, submittedSchema } from "../../requests.ts";
import { stepMetricsSchema } from "../../workflows.ts";
import { BASE } from "../api-types.ts";
import type { Call, Runs } from "../call.ts";
import { given } from "../cursor.ts";
import { found, notFound, ProblemsError, refusal, stale, usageError } from "../problem.ts";
import { viewOf } from "../view-of.ts";
import { howFarFields } from "../views/how-far.ts";
import { metricsSvg } from "../views/metrics-svg.ts";
import { choiceOf, planFields, requestFields, requestRow, specFields, workFields } from "../views/request.ts";
import { workflowFields } from "../views/workflow.ts";

const stepMetricsView = viewOf(stepMetricsSchema);
const pageView = viewOf(requestPageSchema);
const checkedView = viewOf(checkedSchema);
const submittedView = viewOf(submittedSchema);

export const requestRuns: Runs<typeof requests> = {
  async list({ limit, cursor, sort, facets: isCounted, ...choice }, call) {
    const chosen = choiceOf(choice);
    const filters = { ...chosen, ...(sort !== "newest" && { sort }) };
    const shared = await call.shared(async () => {
      const { items, nextCursor } = await call.load({ limit, cursor }, filters, (wanted) =>
        call.queries.requests({ ...filters, ...wanted }),
      );
      const [progress, facets] = await Promise.all([
        call.queries.progress(items.map(({ spec }) => spec.name)),
        isCounted === "true" ? call.queries.facets(chosen) : null,
      ]);
      const now = call.ports.clock.now();
      const rows = items.map((one) => ({
        ...requestRow(one),
        ...howFarFields(one, progress.get(one.spec.name) ?? null, now),
      }));
      return pageView({ items: rows, nextCursor, facets: facets && { ...facets, ...facets.counts } });
    });
    call.link(shared.next_cursor);
    return call.reply.send(shared);
  },

  async show({ name }, call) {
    const { record, workflow, moves, progress } = await found("request", name, call.queries.request(name));
    call.etag(record.version);
    return {
      ...requestFields(record),
      ...howFarFields(record, progress, call.ports.clock.now()),
      work: workFields(record.spec.work, call.ports.kinds),
      workflow: workflow && workflowFields(workflow),
      imported: await call.queries.imported(name),
      statusTransitions: moves,
    };
  },

  transitions: async ({ name }, call) => ({ items: await found("request", name, call.queries.transitions(name)) }),

  plan: async ({ name }, call) =>
    planFields(await found("request", name, call.commands.preview(name, call.request.patience))),

  async document({ name }, { commands }) {
    return { requestName: name, document: (await found("request", name, commands.document(name))).text };
  },

  async picture({ name }, call) {
    const { workflow } = await found("request", name, call.queries.request(name));
    return call.text("image/svg+xml", metricsSvg(name, stepMetricsView(workflow?.stepMetrics ?? null)));
  },

  async versions({ name }, call) {
    const all = await call.queries.versions(name);
    const [current, ...versions] = all.map(({ record, failureReason }) => ({
      ...record.spec,
      ...record,
      requestName: record.spec.name,
      failureReason,
    }));
    if (!current) throw notFound("request", name);
    return { current, versions };
  },

  outputs: async ({ name, ...page }, call) => {
    const { items, nextCursor } = await call.page(page, {}, (wanted) =>
      found("request", name, call.queries.outputs(name, wanted)),
    );
    return { items: items.map((file) => ({ ...file, workUnit: file.unit })), nextCursor };
  },

  audit: ({ name, ...page }, call) =>
    call.page(page, {}, (wanted) => found("request", name, call.queries.auditOf(name, wanted))),

  async submit({ body, dry_run, draft, compare }, call) {
    const isDry = dry_run === "true";
    const document = {
      ...documentOf(body, call),
      ...(draft === "true" && { isDraft: true }),
      ...(isDry && compare === "true" && { isCompared: true }),
    };
    const { actor, reply } = call;
    const { patience } = call.request;
    const answer = await (isDry
      ? call.commands.check(document, actor, patience)
      : call.commands.submit(document, actor, patience));
    if (!answer.ok) throw refusalOf(answer.error);
    const { request: record, warnings, plan, already = false, readAs } = answer.value;
    if (isDry) {
      const preview = plan && planFields(plan);
      const request = record && requestFields(record);
      const spec = readAs?.spec ?? null;
      const read = {
        name: spec?.name ?? null,
        taken: readAs?.isTaken ?? false,
        work: spec && workFields(spec.work, call.ports.kinds),
        spec: spec && specFields(spec),
      };
      return reply.send(checkedView({ dryRun: true, already, request, warnings, preview, ...read }));
    }
    if (!record) throw new InvariantError("a submission was accepted and not stored");
    call.etag(record.version);
    reply.header("location", `${BASE}/requests/${record.spec.name}`).code(already ? 200 : 201);
    return reply.send(submittedView({ ...requestFields(record), warnings, already }));
  },

  async change({ name, priority, urgent, reason }, call) {
    const answer = await call.commands.reprioritise(name, given({ priority, urgent, reason }), {
      ...call.by,
      ...call.seen,
    });
    if (answer.kind === "unknown-request") throw notFound("request", name);
    if (answer.kind === "not-allowed") throw new WorldError("conflict", name, answer.reason);
    if (answer.kind === "stale") throw stale(call, answer.request, answer.why);
    call.etag(answer.request.version);
    const { kind, message } = answer;
    return { ...requestFields(answer.request), dryRun: call.by.dryRun, already: kind === "already", message };
  },

  async delete({ name, reason = null }, call) {
    const wanted = { action: "abort" as const, reason: reason ?? `deleted by ${call.actor}` };
    const answer = await call.commands.act(name, wanted, { ...call.seen, dryRun: false });
    if (answer.kind === "unknown-request") throw notFound("request", name);
    if (answer.kind === "refused") throw refusal(`${name} cannot be aborted`, name, answer.problems);
    if (answer.kind === "stale") throw stale(call, answer.request, answer.why);
    call.etag(answer.request.version);
    call.reply.code(202);
    return requestFields(answer.request);
  },
};

export function documentOf(text: unknown, { request }: Call): { text: string; format: "json" | "yaml" } {
  if (typeof text !== "string" || text.trim() === "") {
    throw usageError("bad body", { path: "", message: "empty", allowed: "a request as JSON or YAML" });
  }
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return { text, format: type === "application/json" ? "json" : "yaml" };
}

export function refusalOf(error: Extract<SubmitAnswer, { ok: false }>["error"]): WorldError {
  if (error.kind === "name-taken") {
    const message = `there is a request ${error.name} already`;
    return new WorldError("conflict", error.name, message, { hint: "choose another name" });
  }
  if (error.kind === "unknown")
    return new WorldError("not-found", error.name, `${error.source} has no request ${error.name}`, {
      hint: "check the name as ReqMgr2 shows it",
    });
  const { problems } = error;
  const number = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new ProblemsError("bad-request", "request", `the request has ${number}`, problems);
}
