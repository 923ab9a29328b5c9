import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { FastifyInstance } from "fastify";
import type { RequestName } from "../../src/core/names.ts";
import { hashOf } from "../../src/operations/http/tokens.ts";
import { fakeApi, TOKEN } from "./api-fakes.ts";
import { generation, makeWorld } from "./world.ts";

export type Era = "legacy" | "modern";
export const negotiated = (era: Era) => (era === "legacy" ? {} : { versionNegotiation: { mode: "auto" as const } });

export interface Said {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the JSON they expect
  readonly json: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the JSON they expect
  readonly note: any;
}

/** An agent as tests script it: the official client, its calls counted. */
export class TestAgent {
  readonly client: Client;
  calls = 0;

  constructor(client: Client) {
    this.client = client;
  }

  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Said> {
    this.calls += 1;
    const { content, isError = false } = await this.client.callTool({ name, arguments: args });
    const [text = "", note] = content.map((part) => (part.type === "text" ? part.text : ""));
    return { isError, text, json: parsed(text), note: note === undefined ? {} : JSON.parse(note) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface Connection {
  readonly token?: string;
  readonly era?: Era;
  readonly name?: string;
  readonly path?: string;
}

/** As `fetch`, with the API called in place of a socket. */
export const fetchWithin =
  (app: FastifyInstance) =>
  async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const answer = await app.inject({
      method: (init.method ?? "GET") as "GET",
      url: `${pathname}${search}`,
      headers: { ...Object.fromEntries(new Headers(init.headers)), host: "localhost" },
      ...(typeof init.body === "string" && { payload: init.body }),
    });
    const headers = Object.entries(answer.headers).map(([key, value]): [string, string] => [key, String(value)]);
    return new Response(answer.statusCode === 202 || answer.statusCode === 204 ? null : answer.rawPayload, {
      status: answer.statusCode,
      headers,
    });
  };

/** The official client over streamable HTTP. */
export async function connectWithin(
  app: FastifyInstance,
  { token, era = "modern", name = "claude-x", path = "/mcp" }: Connection = {},
): Promise<TestAgent> {
  const client = new Client({ name, version: "1" }, negotiated(era));
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`http://localhost${path}`), {
    fetch: fetchWithin(app),
    requestInit: { headers },
  });
  await client.connect(transport);
  return new TestAgent(client);
}

export const BOBS_TOKEN = "bobs-secret";

/** /mcp over the real lifecycle and a real store, for ann and bob. */
export async function makeMcpWorld() {
  const world = await makeWorld();
  const { store, engine, commands, ports } = world;
  for (const [token, name] of Object.entries({ [TOKEN]: "ann", [BOBS_TOKEN]: "bob" }))
    await store.settings.addToken({ sha256: hashOf(token), name, at: ports.clock.now() });
  const { app } = fakeApi({ store, engine, commands, clock: ports.clock });
  const agents: TestAgent[] = [];
  return {
    ...world,
    app,
    async connect(options: Connection = { token: TOKEN }) {
      const agent = await connectWithin(app, options);
      agents.push(agent);
      return agent;
    },
    /** A request of three units that all failed. */
    async held(): Promise<RequestName> {
      const name = await world.submit(generation("r", 3));
      for (let pass = 0; pass < 5; pass++) await world.pass();
      engine.fail(3);
      engine.finish(world.storageDir);
      for (let pass = 0; pass < 4; pass++) await world.pass();
      await world.expectStatus(name, "held");
      return name;
    },
    async close() {
      for (const { client } of agents) await client.close();
      await app.close();
    },
  };
}
