import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeApi, fakeEngine, fakeStore } from "../../../../tests/support/api-fakes.ts";
import { DAG_ID, sampleDag } from "../../../../tests/support/api-samples.ts";
import { WorldError } from "../../../core/base/errors.ts";
import type { LogsView } from "../../dags.ts";

let root: string;
let app: ReturnType<typeof fakeApi>["app"];
const get = (path: string) => app.inject(`/api/v1/dags/${DAG_ID}${path}`);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "wms2-api-"));
  const submitDir = join(root, "r0");
  const unit = join(submitDir, "mg_000000");
  await mkdir(unit, { recursive: true });
  await writeFile(join(root, "secret.txt"), "secret\n");
  await writeFile(join(submitDir, "workflow.dag"), "");
  await writeFile(join(submitDir, "workflow.dag.dagman.out"), "words\n");
  await writeFile(join(submitDir, "policy.json"), "{}");
  await writeFile(join(unit, "group.log"), "events\n");
  await writeFile(join(unit, "proc_000000.9.out"), "old\n");
  await writeFile(join(unit, "proc_000000.10.out"), "one\ntwo\nthree\n");
  await writeFile(join(unit, "proc_000000.10.err"), `${"x".repeat(300_000)}\nlast`);
  await writeFile(join(unit, "proc_000000.post.json"), "{}");
  await symlink(join(root, "secret.txt"), join(unit, "merge.1.out"));
  await symlink(root, join(submitDir, "mg_link"));
  app = fakeApi({ store: fakeStore(undefined, { dags: { get: async () => sampleDag({ submitDir }) } }) }).app;
});
afterAll(async () => {
  await app.close();
  await rm(root, { recursive: true });
});

describe("logs", () => {
  test("of the DAG: where they are", async () => {
    const logs: LogsView = (await get("/logs")).json();
    expect(logs.files.map((file) => file.name)).toEqual(["workflow.dag", "workflow.dag.dagman.out"]);
    expect(logs.tails).toEqual([]);
  });

  test("of a node: the end of its newest attempt", async () => {
    const logs: LogsView = (await get("/logs?unit=mg_000000&node=proc_000000&lines=2")).json();
    expect(logs.clusters).toEqual(["9", "10"]);
    expect(logs.cluster).toBe("10");
    expect(logs.files.map((file) => file.name)).toContain("proc_000000.post.json");
    const [out, errors, log] = logs.tails;
    expect(out).toMatchObject({ name: "proc_000000.10.out", lines: ["two", "three"], truncated: true });
    expect(errors!.lines.at(-1)).toBe("last");
    expect(errors!.truncated).toBe(true);
    expect(log).toMatchObject({ name: "group.log", lines: ["events"], truncated: false });
    const old: LogsView = (await get("/logs?unit=mg_000000&node=proc_000000&cluster=9")).json();
    expect(old.tails[0]!.lines).toEqual(["old"]);
  });

  test("of a node that left none", async () => {
    const logs: LogsView = (await get("/logs?unit=mg_000000&node=proc_000007")).json();
    expect(logs).toMatchObject({ cluster: null, clusters: [], files: [] });
  });

  test.each([
    ["unit=..&node=x", 404],
    ["unit=..%2F..%2Fetc&node=passwd", 404],
    ["unit=%2Fetc", 404],
    ["unit=mg_000000&node=..%2F..%2Fsecret", 400],
    ["unit=mg_000000%00", 400],
    ["node=proc_000000", 400],
    ["unit=mg_000000&node=x&cluster=..", 400],
    ["unit=mg_000000&lines=0", 400],
    ["unit=mg_000009", 404],
    ["unit=mg_link", 404],
    ["unit=workflow.dag", 404],
  ])("%s is refused", async (query, status) => {
    expect((await get(`/logs?${query}`)).statusCode).toBe(status);
  });

  test("links lead nowhere", async () => {
    const answer = await get("/logs?unit=mg_000000&node=merge&cluster=1");
    expect(answer.statusCode).toBe(200);
    expect(answer.body).not.toContain("secret\\n");
    expect(answer.json().tails.map((tail: { name: string }) => tail.name)).toEqual(["group.log"]);
  });
});

describe("nodes", () => {
  test("filters, counts and pages", async () => {
    const all = (await get("/nodes")).json();
    expect(all).toMatchObject({ total: 10, next_cursor: null, by_state: { done: 4, failed: 1 } });
    const some = (await get("/nodes?state=done&state=failed&unit=mg_000001&limit=1")).json();
    expect(some).toMatchObject({ total: 2, items: [{ node: "landing" }] });
    const rest = await get(`/nodes?state=done&state=failed&unit=mg_000001&limit=1&cursor=${some.next_cursor}`);
    expect(rest.json()).toMatchObject({ items: [{ node: "proc_000002", retries: 3 }], next_cursor: null });
    expect((await get("/nodes?state=odd")).statusCode).toBe(400);
  });

  test("units", async () => {
    const page = (await get("/units?limit=2")).json();
    expect(page).toMatchObject({ total: 4, items: [{ unit: "mg_000000", state: "waiting", held: 1 }, {}] });
  });

  test("askers at the same time share one look; an engine that is away is 503", async () => {
    let looks = 0;
    const nodes = async () => {
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [];
    };
    const shared = fakeApi({ engine: fakeEngine({ nodes }) }).app;
    await Promise.all([1, 2, 3, 4, 5].map(() => shared.inject(`/api/v1/dags/${DAG_ID}/nodes`)));
    expect(looks).toBe(2);
    await shared.close();
    const away = fakeApi({
      engine: fakeEngine({
        nodes: async () => Promise.reject(new WorldError("engine-unreachable", "schedd", "no schedd")),
      }),
    }).app;
    expect((await away.inject(`/api/v1/dags/${DAG_ID}/nodes`)).json()).toMatchObject({
      status: 503,
      code: "engine-unreachable",
    });
    await away.close();
  });
});
