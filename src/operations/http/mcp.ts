import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { WorldError } from "../../core/base/errors.ts";
import { cut } from "../../core/base/text.ts";
import { AGENT_HEADER, httpParts } from "../http-parts.ts";
import { type Ask, answered, askHeaders } from "../mcp/ask.ts";
import { type Api, BASE } from "./api-types.ts";
import type { ApiPorts } from "./ports.ts";

type Handler = Awaited<ReturnType<typeof makeHandler>>;

/**
 * /mcp, for agents over streamable HTTP. Every tool is a call of the API below, with the token of whoever is connected:
 * there are no rights of its own. What speaks the protocol is loaded when somebody comes.
 */
export function mcpRoutes(app: Api, { clock }: Pick<ApiPorts, "clock">): void {
  let loading: Promise<Handler> | null = null;
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const { origin, host } = request.headers;
    // A page of another site would speak with the rights of whoever looks at it.
    if (origin !== undefined && hostOf(origin) !== host)
      throw new WorldError("forbidden", "/mcp", `${cut(origin, 100)} is another place than ${host ?? "this server"}`);
    loading ??= makeHandler(app as unknown as FastifyInstance, clock);
    const url = new URL(request.url, `http://${request.headers.host ?? "localhost"}`);
    const { method, patience: signal, body: parsedBody } = request;
    const asked = new Request(url, { method, headers: headersOf(request), signal });
    return reply.send(await (await loading).fetch(asked, parsedBody === undefined ? {} : { parsedBody }));
  };
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: "/mcp",
    config: { role: "reader" },
    schema: { hide: true },
    handler: handle,
  });
  app.addHook("preClose", async () => (await loading)?.close());
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);

function headersOf({ headers }: FastifyRequest): Headers {
  const { "content-length": _, connection: __, ...kept } = headers;
  return new Headers(Object.entries(kept).map(([name, value]): [string, string] => [name, String(value)]));
}

async function makeHandler(app: FastifyInstance, clock: ApiPorts["clock"]) {
  const [{ createMcpHandler }, { makeMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("../mcp/server.ts"),
  ]);
  return createMcpHandler(({ requestInfo }) => {
    const headers = requestInfo?.headers ?? new Headers();
    return makeMcpServer({
      askAs: (agent) => askWithin(app, headers, agent),
      secret: () => headers.get("authorization")?.replace(/^bearer +/i, "") ?? "",
      now: () => clock.now(),
      readOnly: new URL(requestInfo?.url ?? "http://localhost").searchParams.get("read_only") === "true",
      agent: headers.get(AGENT_HEADER) ?? undefined,
      unnamed: headers.get("user-agent")?.split(/[\s/]/, 1)[0],
    });
  });
}

/** The routes of this server, without a socket: the same checks, roles and audit as for any other caller. */
const askWithin =
  (app: FastifyInstance, caller: Headers, agent: string): Ask =>
  async (operation, input, how = {}) => {
    const { path, body, type } = httpParts(operation, input);
    const passed = ["host", "authorization"].flatMap((name) => {
      const value = caller.get(name);
      return value === null ? [] : [[name, value]];
    });
    const { statusCode, headers, payload } = await app.inject({
      method: operation.method,
      url: `${BASE}${path}`,
      headers: {
        ...Object.fromEntries(passed),
        ...askHeaders(agent, how),
        ...(type !== null && { "content-type": type }),
      },
      ...(body !== null && { payload: body }),
    });
    return answered({ status: statusCode, etag: headers.etag ?? null, text: payload }, how);
  };
