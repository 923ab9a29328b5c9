import { afterEach, beforeEach, expect, test } from "vitest";
import { TOKEN } from "../../../tests/support/api-fakes.ts";
import { BOBS_TOKEN, type Era, makeMcpWorld } from "../../../tests/support/mcp-agent.ts";
import { generation } from "../../../tests/support/world.ts";
import type { RequestName } from "../../core/names.ts";

/** Changes by agents: tried, confirmed, refused, and kept under their names. */
let world: Awaited<ReturnType<typeof makeMcpWorld>>;
beforeEach(async () => {
  world = await makeMcpWorld();
});
afterEach(() => world.close());
const auditOf = async () => (await world.store.audit.list({ limit: 10 })).items;

test.each<Era>(["legacy", "modern"])(
  "a %s client: a change is tried, then confirmed, and the audit names the agent",
  async (era) => {
    await world.held();
    const agent = await world.connect({ token: TOKEN, era, name: "claude x!" });
    const args = { name: "r", reason: "north is broken", site_bans: ["north"] };
    const dry = await agent.call("release", args);
    expect(dry).toMatchObject({
      isError: false,
      json: { dry_run: true, action: "release", detail: { how: "next-round" } },
    });
    expect(dry.note.next_steps[0]).toMatchObject({ tool: "release", arguments: { dry_run: false } });
    expect((await world.request("r" as RequestName)).wish).toBeNull();
    const done = await agent.call("release", { ...args, ...dry.note.next_steps[0].arguments });
    expect(done).toMatchObject({ isError: false, json: { dry_run: false, status: "held" } });
    expect(done.note.next_steps[0]).toMatchObject({ tool: "show", arguments: { name: "r" } });
    // Clients of 2025 say their name once, and nothing is kept between calls: what their HTTP library says is left.
    const told = era === "modern" ? "agent claude-x- via token ann" : /^agent \S+ via token ann$/;
    expect(await auditOf()).toMatchObject([{ action: "release", actor: expect.stringMatching(told), outcome: "done" }]);
  },
);

test("a header names the agent where the client does not", async () => {
  const url = "/api/v1/sites/north/drain";
  const headers = { authorization: `Bearer ${TOKEN}`, "wms2-agent": "cron via token root" };
  await world.held();
  expect((await world.app.inject({ method: "POST", url, headers })).statusCode).toBe(200);
  expect((await auditOf())[0]).toMatchObject({ actor: "agent cron-via-token-root via token ann", subject: "north" });
});

test("what an agent submits belongs to whoever's token it uses", async () => {
  const agent = await world.connect();
  const document = generation("mine", 2);
  expect(await agent.call("validate", { document })).toMatchObject({ isError: false, json: { dry_run: true } });
  const { note, json } = await agent.call("submit", { document });
  expect(json.preview.plan).toMatchObject({ units: 2 });
  const done = await agent.call("submit", { document, dry_run: false, confirm: note.confirm });
  expect(done).toMatchObject({ isError: false, json: { request_name: "mine", requestor: "ann" } });
  const bad = await agent.call("validate", { document: "name: x\nkind: generate\nevents: many" });
  expect(bad.isError).toBe(true);
  expect(bad.text).toMatch(/the request has \d+ problems\n- .*events/);
});

test.each<[string, (confirm: string) => Promise<object> | object, RegExp]>([
  ["without a token", () => ({ confirm: undefined }), /needs the confirm token of a dry run; nothing was changed/],
  ["with other arguments", () => ({ reason: "another" }), /not for this call.*; nothing was changed/],
  [
    "too late",
    () => {
      world.wait(16 * 60);
      return {};
    },
    /older than 15 minutes; nothing was changed/,
  ],
  [
    "after it moved on",
    async () => {
      const seen = { actor: "ann", version: null, dryRun: false };
      await world.commands.reprioritise("r" as RequestName, { priority: 7 }, seen);
      return {};
    },
    /r was not changed: it changed since it was shown: it is held now [\s\S]*nothing was changed/,
  ],
])(
  "a confirmation %s is refused with the reason and a fresh preview, which can be confirmed",
  async (_, before, why) => {
    await world.held();
    const agent = await world.connect();
    const args = { name: "r", reason: "give up" };
    const { note } = await agent.call("abort", args);
    const wanted = { ...args, dry_run: false, confirm: note.confirm, ...(await before(note.confirm)) };
    const refused = await agent.call("abort", wanted);
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(why) });
    expect(refused.text).toContain('A dry run now says:\n{"request_name":"r","action":"abort"');
    expect((await world.request("r" as RequestName)).wish).toBeNull();
    const again = await agent.call("abort", { ...wanted, confirm: refused.note.confirm });
    expect(again.isError).toBe(false);
    expect((await world.request("r" as RequestName)).wish).toMatchObject({ kind: "abort" });
  },
);

test("a confirm token is of no use to others, nor twice", async () => {
  await world.held();
  const [ann, bob] = [await world.connect(), await world.connect({ token: BOBS_TOKEN })];
  const args = { name: "r", reason: "give up" };
  const { confirm } = (await ann.call("abort", args)).note;
  expect((await bob.call("abort", { ...args, dry_run: false, confirm })).text).toMatch(/not for this call/);
  expect((await ann.call("abort", { ...args, dry_run: false, confirm })).isError).toBe(false);
  const twice = await ann.call("abort", { ...args, dry_run: false, confirm });
  expect(twice).toMatchObject({ isError: true, note: {} });
  expect(twice.text).toMatch(/it changed since it was shown[\s\S]*asked for abort[\s\S]*"already":true/);
});

test("where there is no version, what the dry run said must still be true", async () => {
  await world.held();
  const agent = await world.connect();
  const args = { name: "north", days: 2, reason: "storage is down" };
  const first = await agent.call("ban", args);
  world.wait(60);
  await world.submit(generation("more", 1));
  const stale = await agent.call("ban", { ...args, dry_run: false, confirm: first.note.confirm });
  expect(stale).toMatchObject({ isError: true, text: expect.stringMatching(/^things changed since the dry run/) });
  world.wait(60);
  const done = await agent.call("ban", { ...args, dry_run: false, confirm: stale.note.confirm });
  expect(done).toMatchObject({ isError: false, json: { outcome: "banned" } });
});

test("a page of another site may not speak to it, one of this server may", async () => {
  const ask = (origin?: string) =>
    world.app.inject({
      method: "POST",
      url: "/mcp",
      headers: { host: "localhost:8420", authorization: `Bearer ${TOKEN}`, ...(origin && { origin }) },
      payload: {},
    });
  for (const origin of ["https://evil.example", "http://localhost:8421", "null", "x"])
    expect((await ask(origin)).json()).toMatchObject({ status: 403, code: "forbidden" });
  expect((await ask("http://localhost:8420")).statusCode).not.toBe(403);
  expect((await ask()).statusCode).not.toBe(403);
});
