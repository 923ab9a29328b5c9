import { WorldError } from "../../../core/base/errors.ts";
import type { RequestName, SiteName } from "../../../core/names.ts";
import type { policy } from "../../policy.ts";
import type { Runs } from "../call.ts";
import { found, notFound } from "../problem.ts";

const named = (request: string | undefined): RequestName | null => (request ?? null) as RequestName | null;

export const policyRuns: Runs<typeof policy> = {
  async explain({ code, request, site, attempt, role, retries: maxRetries, stderr = "" }, { commands }) {
    const name = named(request);
    const question = { code, site: (site ?? null) as SiteName | null, attempt, role, maxRetries, stderr };
    return { code, requestName: name, ...(await found("request", name ?? "", commands.explain(question, name))) };
  },
  async rows({ request }, { commands }) {
    const name = named(request);
    return { requestName: name, items: await found("request", name ?? "", commands.policyRows(name)) };
  },
  async replay({ name, unit, node }, { commands }) {
    const answer = await commands.replay(name, { unit, node });
    if (answer.kind === "unknown-request") throw notFound("request", name);
    if (answer.kind === "nothing")
      throw new WorldError("conflict", name, answer.message, { hint: `see what was tried: wms2 attempts ${name}` });
    return { requestName: name, ...answer.replayed };
  },
};
