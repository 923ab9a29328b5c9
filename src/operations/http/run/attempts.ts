import { WorldError } from "../../../core/base/errors.ts";
import { plainText } from "../../../core/base/plain-text.ts";
import type { attempts } from "../../attempts.ts";
import { describeErrors } from "../../handlers/port.ts";
import { problemsText } from "../../operation.ts";
import type { Runs } from "../call.ts";
import { given } from "../cursor.ts";
import { found, notFound, ProblemsError, stale, usageError } from "../problem.ts";
import { wantsText } from "../text-twin.ts";
import { changesOf } from "./actions.ts";

/** The stories of nodes, what failed, and what failures mean. */
export const attemptRuns: Runs<typeof attempts> = {
  async list({ name, unit, node, ...page }, call) {
    const filter = given({ unit, node });
    const { items, epochs, ...rest } = await call.page(page, filter, (wanted) =>
      found("request", name, call.commands.attempts(name, { ...filter, ...wanted })),
    );
    return {
      ...rest,
      items: items.map(({ round, unit, job, record, script }) => {
        const cluster = record.cluster > 0 ? record.cluster : null;
        return { round, unit, ...(job && { job }), ...record, cluster, script };
      }),
      epochs: epochs.map(({ round, unit, record }) => ({ round, unit, ...record })),
    };
  },

  async log({ name, ...wanted }, { queries }) {
    const range = await queries.logRange(name, wanted);
    if (range) return { requestName: name, ...range };
    throw noLog(name, wanted);
  },

  async grep({ name, q: text, ignore_case, after_line: afterLine, ...wanted }, { queries, request }) {
    const ignoreCase = ignore_case === "true";
    const { patience: signal } = request;
    const found = await queries.grepLog(name, { ...wanted, text, ignoreCase, afterLine, signal });
    if (found) return { requestName: name, ...found };
    throw noLog(name, wanted);
  },

  async alike({ name, ...wanted }, { queries }) {
    return { requestName: name, ...(await found("request", name, queries.logAlike(name, wanted))) };
  },

  async errors({ name, width }, call) {
    const view = await found("request", name, call.commands.errors(name));
    if (!wantsText(call.request.headers.accept)) return { ...view, requestName: name };
    return call.text("text/plain; charset=utf-8", plainText(`${describeErrors(view, width).join("\n")}\n`));
  },

  async unclassified({ name, ...page }, call) {
    const { items, ...rest } = await call.page(page, {}, async ({ limit, cursor }) => {
      const offset = Number(cursor ?? 0);
      const part = await found("request", name, call.commands.unclassified(name, { offset, limit }));
      return { ...part, nextCursor: offset + limit < part.total ? String(offset + limit) : null };
    });
    return {
      ...rest,
      items: items.map(({ record, classified, ...item }) => ({
        ...record,
        ...item,
        classified: classified && { ...classified, action: classified.kind, at: classified.createdAt },
      })),
    };
  },

  async classify({ name, items, reason = null, remember = false }, call) {
    const why = reason ?? `classified by ${call.actor}`;
    const unclear = items.findIndex(({ node, group }) => (node === undefined) === (group === undefined));
    if (unclear >= 0)
      throw usageError("bad body", { path: `items[${unclear}]`, message: "names nothing", allowed: "node or group" });
    const wanted = items.map(({ node, group, action, reason, ...changes }) => ({
      ...given({ node, group }),
      action,
      changes: changesOf(changes),
      reason: reason ?? why,
    }));
    const answer = await call.commands.classify(name, wanted, { ...call.by, ...call.seen }, remember);
    switch (answer.kind) {
      case "done":
      case "would":
        call.etag(answer.request.version);
        return {
          ...answer,
          requestName: answer.request.spec.name,
          dryRun: call.by.dryRun,
          already: answer.items.every(({ outcome }) => outcome === "already"),
          message: answer.reason,
        };
      case "unknown-request":
        throw notFound("request", name);
      case "stale":
        throw stale(call, answer.request, answer.why);
      case "refused":
      case "conflict": {
        const code = answer.kind === "refused" ? "bad-request" : "conflict";
        const message = `nothing was classified: ${problemsText(answer.problems)}`;
        throw new ProblemsError(code, name, message, answer.problems);
      }
    }
  },
};

interface Place {
  readonly unit: string;
  readonly node?: string | undefined;
  readonly file: string;
  readonly cluster?: string | undefined;
}
function noLog(name: string, { unit, node, file, cluster }: Place): WorldError {
  const which = cluster === undefined ? "no attempt" : `no attempt ${cluster}`;
  const place = node === undefined ? unit : `${unit}/${node}`;
  return new WorldError("not-found", name, `${which} of ${place} in ${name} left a file ${file}`, {
    hint: `see its attempts: GET /api/v1/requests/${name}/attempts`,
  });
}
