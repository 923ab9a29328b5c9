import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { httpParts } from "../../src/operations/http-parts.ts";
import type { Operation } from "../../src/operations/operation.ts";
import { OPERATIONS } from "../../src/operations/table.ts";
import { OPERATOR_ACTIONS } from "../../src/recovery/round/actions.ts";
import type { World } from "../support/active-request.ts";
import { documentOf, KIND_NAMES, NAME, perform, step } from "../support/any-state.ts";
import { AUTH, fakeApi, TOKEN } from "../support/api-fakes.ts";
import { freshStore } from "../support/store-embedded.ts";
import { generation, makeWorld } from "../support/world.ts";

/**
 * Preview is what happens, for every change the API can make and requests of all kinds in any state: a dry run changes
 * nothing, and what is done right after it says the same and does it, or is refused in the same words.
 */
interface Told {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the JSON they expect
  readonly body: any;
}
type Input = Readonly<Record<string, unknown>>;
type Call = (id: string, input: Input) => Promise<Told>;

async function apiOf({ store, engine, commands, ports }: World): Promise<Call> {
  const sha256 = createHash("sha256").update(TOKEN).digest("hex");
  await store.settings.addToken({ sha256, name: "ann", at: ports.clock.now() });
  const { app } = fakeApi({ store, engine, commands, clock: ports.clock });
  return async (id, input) => {
    const operation = operationOf(id);
    const { path, body, type } = httpParts(operation, input);
    const headers = { ...AUTH, ...(type !== null && { "content-type": type }) };
    const { method } = operation;
    const answer = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers,
      ...(body !== null && { payload: body }),
    });
    return { status: answer.statusCode, body: answer.json() };
  };
}
const operationOf = (id: string): Operation => {
  const [subject = "", verb = ""] = id.split(".");
  return (OPERATIONS as Readonly<Record<string, Readonly<Record<string, Operation>>>>)[subject]![verb]!;
};

/** What each change is asked with, in the world as it is; null: there is nothing to ask it about. */
type Asked = (world: World) => Promise<Input | null> | Input | null;
const ofRequest =
  (more: Input = {}): Asked =>
  () => ({ name: NAME, reason: "because", ...more });
const ofSite =
  (more: Input = {}): Asked =>
  () => ({ name: "north", ...more });
const ofRun: Asked = async (world) => {
  const id = (await world.store.workflows.forRequest(NAME))?.currentDagId;
  return id ? { id, reason: "because" } : null;
};
const ofNode: Asked = async (world) => {
  const run = await ofRun(world);
  const [failed] = [...world.engine.runs.values()].at(-1)?.failed ?? [];
  if (!run || !failed) return null;
  const { items = [] } = (await world.commands.attempts(NAME, { limit: 50 })) ?? {};
  const node = items.findLast(({ unit }) => unit === failed)?.record.node;
  return node ? { ...run, unit: failed, node } : null;
};
const CHANGES: Readonly<Record<string, Asked>> = {
  ...Object.fromEntries(OPERATOR_ACTIONS.map((action) => [`actions.${action}`, ofRequest()])),
  "actions.stop": ofRequest({ then: "hold" }),
  "actions.resubmit": ofRequest({ nodes: "failed" }),
  "actions.bulk": () => ({ action: "release", names: [NAME], reason: "because" }),
  "recovery.recover": ofRequest(),
  "recovery.forget": async ({ store }) => {
    const [rule] = await store.rules.list();
    return rule ? { id: rule.id } : null;
  },
  "attempts.classify": async ({ commands }) => {
    const { items = [] } = (await commands.unclassified(NAME, { offset: 0, limit: 9 })) ?? {};
    if (items.length === 0) return null;
    const said = items.map(({ unit, node }, at) => ({ node: `${unit}/${node}`, action: at > 0 ? "fail" : "retry" }));
    return { name: NAME, reason: "because", items: said };
  },
  "dags.retry": async (world) => {
    const { unit, node, ...rest } = (await ofNode(world)) ?? {};
    return unit ? { ...rest, name: `${unit}:${node}` } : null;
  },
  "dags.retryInUnit": ofNode,
  "dags.hold": ofRun,
  "dags.release": ofRun,
  "dags.remove": ofRun,
  "dags.rescue": ofRun,
  "blocks.retry": () => ({ request: NAME, reason: "because" }),
  "blocks.withdraw": ofRequest(),
  "sites.sync": () => ({}),
  "sites.change": ofSite({ status: "disabled" }),
  "sites.enable": ofSite(),
  "sites.drain": ofSite(),
  "sites.disable": ofSite(),
  "sites.ban": ofSite({ reason: "because", days: 3 }),
  "sites.unban": ofSite({ reason: "because" }),
  "fill.apply": ofRequest(),
  "fill.verify": ofRequest(),
  "fill.release": ofRequest({ nodes: ["*"] }),
  "frepp.importState": () => ({ name: NAME, directory: "/nowhere" }),
  "frepp.exportState": () => ({ name: NAME, directory: "/nowhere" }),
  "frepp.retryTransfers": ofRequest(),
  "requests.change": ofRequest({ priority: 7 }),
  "requests.submit": () => ({ body: { ...JSON.parse(generation("another", 2)) } }),
  "runs.start": () => ({ body: { ...JSON.parse(generation("another", 2)) } }),
};
/** Changes without a preview, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  "requests.delete": "the same as abort, which has one",
  "alerts.acknowledge": "changes who looks after an alert, nothing else",
  "tokens.add": "a name is all there is to it",
  "tokens.remove": "a name is all there is to it",
  "sessions.signIn": "of one browser",
  "sessions.signOut": "of one browser",
  "admission.configure": "a number is all there is to it",
  "system.simulate": "changes nothing",
};

test("every change the API can make has a preview, or a reason why it has none", () => {
  const ids = Object.entries(OPERATIONS).flatMap(([subject, row]) =>
    Object.entries(row as Readonly<Record<string, Operation>>).flatMap(([verb, { method }]) =>
      method === "GET" ? [] : [`${subject}.${verb}`],
    ),
  );
  const known = new Set([...Object.keys(CHANGES), ...Object.keys(WITHOUT)]);
  expect(ids.filter((id) => !known.has(id))).toEqual([]);
  for (const id of Object.keys(CHANGES)) {
    const { query, body } = operationOf(id);
    const fields = { ...query?.shape, ...(body && "shape" in body ? (body.shape as object) : {}) };
    expect([id, Object.keys(fields)]).toEqual([id, expect.arrayContaining(["dry_run"])]);
  }
});

/** All rows there are: whatever is stored changes this. */
async function everything(): Promise<Readonly<Record<string, string>>> {
  const { sql } = await sqlStore;
  const tables = await sql.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const sums = tables.map(
    ({ name }) => `SELECT '${name}' AS name, md5(string_agg(t::text, ',' ORDER BY t::text)) AS sum FROM ${name} t`,
  );
  const rows = await sql.query<{ name: string; sum: string }>(sums.join(" UNION ALL "));
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
const sqlStore = freshStore();

/** What an answer says will be, without what tells a look from a deed. */
const LOOKS = [
  "dry_run",
  "outcome",
  "outcomes",
  "status",
  "version",
  "request",
  "ban",
  "bans",
  "asked",
  "id",
  "counts",
  "created_at",
  "applied_at",
  "updated_at",
  "status_since",
  "changed_at",
];
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (LOOKS.includes(key) ? [] : [[key, said(part)]])),
  );
}
/** Answers that show the thing itself, before and after. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  "requests.change": ["message", "already"],
  "requests.submit": ["warnings"],
  "sites.change": ["message", "effect"],
  "sites.enable": ["message", "effect"],
  "sites.drain": ["message", "effect"],
  "sites.disable": ["message", "effect"],
  "dags.hold": ["message"],
  "dags.release": ["message"],
};
const saidBy = (id: string, body: Input): unknown =>
  said(SHOWN[id] ? Object.fromEntries(SHOWN[id].map((key) => [key, body[key]])) : body);

const isGood = ({ status }: Told): boolean => status < 300;

/** What is so once it was done; by what the preview said. */
async function checkDone(world: World, id: string, { body }: Told): Promise<void> {
  const { store, ports } = world;
  const verb = id.split(".")[1] ?? "";
  const site = async () => (await store.sites.list()).find(({ name }) => name === "north");
  if (id === "requests.change") expect((await world.request(NAME)).priority).toBe(7);
  if (id === "sites.ban") {
    const bans = await store.sites.activeBans(ports.clock.now());
    expect(bans.map(({ expiresAt }) => expiresAt.toISOString())).toContain(body.until);
  }
  if (id === "sites.unban") expect(await store.sites.activeBans(ports.clock.now())).toEqual([]);
  if (id === "sites.change" || id === "sites.disable") expect((await site())?.status).toBe("disabled");
  if (id === "sites.drain") expect((await site())?.status).toBe("draining");
  if (id === "sites.enable") expect((await site())?.status).toBe("enabled");
  if (id === "dags.hold" || id === "dags.release") expect(world.engine.calls.at(-1)).toBe(verb);
  if (id === "fill.apply" && body.plan.actions.length > 0)
    expect(await store.segmentNodes.pendingFill((await world.workflow(NAME)).id)).not.toBeNull();
  const leads = { stop: "held", hold: "held", abort: "aborted", fail: "failed" }[verb];
  if (id.startsWith("actions.") && leads && !body.already) {
    for (let pass = 0; pass < 5; pass += 1) await world.pass();
    await world.expectStatus(NAME, leads as "held");
  }
}

async function checkChange(world: World, call: Call, id: string, input: Input, foreseen: Told): Promise<void> {
  const done = await call(id, input);
  const story = `${id}: ${JSON.stringify(foreseen.body).slice(0, 600)}\n${JSON.stringify(done.body).slice(0, 600)}`;
  expect(isGood(done), story).toBe(isGood(foreseen));
  if (!isGood(foreseen)) {
    expect([done.status, done.body.detail], story).toEqual([foreseen.status, foreseen.body.detail]);
    return;
  }
  expect(saidBy(id, done.body), story).toEqual(saidBy(id, foreseen.body));
  await checkDone(world, id, foreseen);
}

test("law: of every change and any state, a look changes nothing, and what is done next is what it said", {
  timeout: 240_000,
}, async () => {
  const ids = Object.keys(CHANGES);
  const runs = Number(process.env.WMS2_LAW_RUNS ?? 12);
  const story = fc.tuple(
    fc.constantFrom(...KIND_NAMES),
    fc.array(step, { maxLength: 8 }),
    fc.tuple(fc.nat(), fc.nat(), fc.nat()),
  );
  await fc.assert(
    fc.asyncProperty(story, async ([kind, steps, choices]) => {
      const world = await makeWorld();
      await world.submit(JSON.stringify(documentOf(kind)));
      const call = await apiOf(world);
      await perform(world, steps);
      // The first look at a plan learns which sites the engine has.
      await call("requests.submit", { ...CHANGES["requests.submit"]!(world), dry_run: true });
      const before = await everything();
      const foreseen: { id: string; input: Input; told: Told }[] = [];
      for (const id of ids) {
        const input = await CHANGES[id]!(world);
        if (input) foreseen.push({ id, input, told: await call(id, { ...input, dry_run: true }) });
      }
      expect(await everything()).toEqual(before);
      for (const { id, told } of foreseen) expect([id, told.status, told.body.detail]).not.toContain(500);
      // Mostly what may be done; now and then what may not.
      for (const choice of choices) {
        const good = foreseen.filter(({ told }) => isGood(told));
        const some = choice % 4 > 0 && good.length > 0 ? good : foreseen;
        const { id } = some[choice % some.length]!;
        const input = await CHANGES[id]!(world);
        if (input) await checkChange(world, call, id, input, await call(id, { ...input, dry_run: true }));
        await perform(world, [{ do: "pass", count: 1 }]);
      }
    }),
    { numRuns: runs },
  );
});
