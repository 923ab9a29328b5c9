import { resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { type Era, negotiated, TestAgent } from "../support/mcp-agent.ts";
import { ServerUnderTest } from "../support/server.ts";

const CLI = resolve(import.meta.dirname, "../../dist/src/cli/main.js");
const REQUEST = `name: from-an-agent
kind: generate
events: 40
split: { by: events, events_per_job: 10 }
unit: { jobs: 2 }
steps: [{ name: gen, run: [/bin/sh, -c, "echo made > gen.out"] }]
outputs: [{ name: gen, file: gen.out }]
`;

function client(name: string, era: Era): Client {
  const made = new Client({ name, version: "1" }, negotiated(era));
  onTestFinished(() => made.close());
  return made;
}

/** As a desktop agent starts it. */
async function overStdio(server: ServerUnderTest, era: Era, ...flags: string[]): Promise<TestAgent> {
  const agent = client("desk", era);
  const args = [CLI, "--data-dir", server.dataDir, "mcp", ...flags];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  return new TestAgent(agent);
}

async function overHttp(server: ServerUnderTest, era: Era): Promise<TestAgent> {
  const agent = client("cloud", era);
  const requestInit = { headers: { authorization: `Bearer ${server.token}` } };
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  return new TestAgent(agent);
}

test("an agent at a desk and one over HTTP look after the same server, which may go and come back", async () => {
  const server = new ServerUnderTest();
  onTestFinished(async () => {
    await server.stop();
    await server.remove();
  });
  await server.start();
  await server.stop();
  const desk = await overStdio(server, "modern");
  const away = await desk.call("list");
  expect(away).toMatchObject({
    isError: true,
    text: expect.stringMatching(/no answer from the server[\s\S]*try: start it with: wms2 serve/),
  });

  await server.start();
  const [old, cloud] = [await overStdio(server, "legacy", "--read-only"), await overHttp(server, "modern")];
  const { note } = await desk.call("submit", { document: REQUEST });
  const done = await desk.call("submit", { document: REQUEST, dry_run: false, confirm: note.confirm });
  expect(done).toMatchObject({ isError: false, json: { request_name: "from-an-agent" } });
  expect((await cloud.call("show", { name: "from-an-agent" })).json.status_transitions[0]).toMatchObject({
    actor: "agent desk via token operator",
  });
  await server.until("from-an-agent", ["completed"]);
  expect((await old.call("list")).json.items).toMatchObject([{ status: "completed" }]);
  expect((await old.call("abort", { name: "from-an-agent" })).text).toMatch(/may only look/);

  const ban = { name: "local", days: 1, reason: "a try" };
  const tried = await cloud.call("ban", ban);
  expect(await cloud.call("ban", { ...ban, dry_run: false, confirm: tried.note.confirm })).toMatchObject({
    isError: false,
    json: { outcome: "banned", ban: { created_by: "agent cloud via token operator" } },
  });
  const story = await cloud.call("simulate", { scenario: "sites: 7" });
  expect(story).toMatchObject({ isError: true, text: expect.stringMatching(/problem[\s\S]*docs\/guides\/simulate/) });
  const legacy = await overHttp(server, "legacy");
  expect((await legacy.call("sites")).json.items).toMatchObject([{ name: "local", bans: [{ reason: "a try" }] }]);
}, 120_000);
