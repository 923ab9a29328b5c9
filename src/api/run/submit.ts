import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { InvariantError, WorldError } from "../../base/errors.ts";
import type { SubmitAnswer } from "../../lifecycle/port.ts";
import { flag } from "../../operations/inputs.ts";
import { planPreviewView } from "../../operations/plan.ts";
import { checkedSchema, requestView, submittedSchema } from "../../operations/requests.ts";
import type { ApiPorts } from "../ports.ts";
import { ProblemsError, submitErrors, usageError } from "../problem.ts";
import { type Api, BASE, route, setVersion } from "./api.ts";

const JSON_TYPES = ["application/json"];
const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"];

/**
 * Submission. The document goes to intake as the text a person wrote: parsed here, numbers above 2^53 would be
 * rounded and problems could not name lines. So this scope has its own body parsers that only decode UTF-8.
 */
export function submitRoutes(app: Api, { commands }: ApiPorts): void {
  app.removeAllContentTypeParsers();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  app.addContentTypeParser([...JSON_TYPES, ...YAML_TYPES], { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, decoder.decode(body as Buffer));
    } catch {
      done(usageError("bad body", { path: "", message: "not UTF-8 text", allowed: "JSON or YAML in UTF-8" }));
    }
  });

  const { schema } = route(
    "Hand in a request, as JSON or YAML; ?dry_run=true only checks it",
    { 200: checkedSchema, 201: submittedSchema, ...submitErrors },
    {
      querystring: z.strictObject({ dry_run: flag }),
      body: z.unknown().describe("A request; docs/ and examples/ show its form"),
    },
  );
  app.post(
    "/requests",
    { schema: { ...schema, consumes: [...JSON_TYPES, "application/yaml"] } },
    async (request, reply) => {
      const document = documentOf(request);
      const dryRun = request.query.dry_run === "true";
      const answer = await (dryRun
        ? commands.check(document, request.actor, request.patience)
        : commands.submit(document, request.actor, request.patience));
      if (!answer.ok) throw refusalOf(answer.error);
      const { request: record, warnings, plan } = answer.value;
      if (dryRun) {
        const preview = plan && planPreviewView(plan);
        const checked = { request: record && requestView(record), warnings: [...warnings], preview };
        return reply.code(200).send({ dry_run: true, ...checked });
      }
      if (!record) throw new InvariantError("a submission was accepted and not stored");
      setVersion(reply, record.version);
      reply.header("location", `${BASE}/requests/${record.spec.name}`);
      return reply.code(201).send({ ...requestView(record), warnings: [...warnings] });
    },
  );
}

function documentOf(request: FastifyRequest): { text: string; format: "json" | "yaml" } {
  const text = request.body;
  if (typeof text !== "string" || text.trim() === "") {
    throw usageError("bad body", { path: "", message: "empty", allowed: "a request as JSON or YAML" });
  }
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return { text, format: JSON_TYPES.includes(type) ? "json" : "yaml" };
}

function refusalOf(error: Extract<SubmitAnswer, { ok: false }>["error"]): WorldError {
  if (error.kind === "name-taken") {
    const words = `there is a request ${error.name} already`;
    return new WorldError("conflict", error.name, words, { hint: "choose another name" });
  }
  const { problems } = error;
  const words = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new ProblemsError("bad-request", "request", `the request has ${words}`, problems);
}
