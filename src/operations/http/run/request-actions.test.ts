import { describe, expect, test } from "vitest";
import { AUTH, fakeApi, fakeCommands } from "../../../../tests/support/api-fakes.ts";
import { heldRequest, NO_EFFECT, sampleRequest } from "../../../../tests/support/api-samples.ts";
import type { RequestName } from "../../../core/names.ts";
import { type ActAnswer, type Commands, OPERATOR_ACTIONS, type OperatorRequest } from "../../handlers/port.ts";

/** An API whose commands note what they are asked, and answer as told. */
function asking(answer: Partial<Commands> = {}) {
  const asked: { name: string; wanted: OperatorRequest; seen: object }[] = [];
  const act: Commands["act"] = async (name, wanted, seen) => {
    asked.push({ name, wanted, seen });
    const request = heldRequest();
    return {
      kind: seen.dryRun ? "would" : "done",
      reason: "so it is",
      effect: NO_EFFECT,
      warnings: ["check the sites"],
      detail: { how: "rescue" },
      request,
    };
  };
  const { app } = fakeApi({ commands: fakeCommands({ act, ...answer }) });
  const post = (path: string, payload?: object, headers: Record<string, string> = AUTH) =>
    app.inject({ method: "POST", url: `/api/v1/requests/${path}`, headers, ...(payload && { payload }) });
  return { asked, post };
}

describe("one request", () => {
  test.each(OPERATOR_ACTIONS)("%s is stored and answered with 202, a dry run with 200", async (action) => {
    const { asked, post } = asking();
    const body = { reason: "why not", ...(action === "resubmit" && { nodes: "failed" }) };
    const done = await post(`muons-2026/${action}`, body);
    expect(done.statusCode).toBe(202);
    expect(done.headers.etag).toBe('"7"');
    expect(done.json()).toMatchObject({
      request_name: "muons-2026",
      action,
      message: "so it is",
      warnings: ["check the sites"],
    });
    const dry = await post(`muons-2026/${action}?dry_run=true`, body);
    expect(dry.statusCode).toBe(200);
    expect(dry.json()).toMatchObject({ dry_run: true, already: false });
    expect(asked.map(({ seen }) => seen)).toMatchObject([{ actor: "operator", dryRun: false }, { dryRun: true }]);
  });

  test.each([
    ["stop", {}, "requeue", "queue"],
    ["stop", { then: "queue" }, "requeue", "queue"],
    ["stop", { then: "hold" }, "stop", "hold"],
    ["requeue", {}, "requeue", "queue"],
    ["hold", {}, "hold", "hold"],
    ["resume", {}, "resume", null],
  ])("%s with %o is a %s; the answer says what follows", async (action, body, meant, then) => {
    const { asked, post } = asking();
    expect((await post(`muons-2026/${action}`, body)).json()).toMatchObject({ action, then });
    expect(asked[0]?.wanted.action).toBe(meant);
  });

  test("modifications at the top level, in an object of their own, or both", async () => {
    const { asked, post } = asking();
    await post("muons-2026/release", { reason: "x", site_bans: ["north"], memory_mb: 3000 });
    await post("muons-2026/release", { reason: "x", modifications: { retry_count: 5 }, top_up: true });
    await post("muons-2026/release");
    expect(asked.map(({ wanted }) => wanted.modifications)).toEqual([
      { site_bans: ["north"], memory_mb: 3000 },
      { retry_count: 5, top_up: true },
      null,
    ]);
    expect(asked[2]?.wanted.reason).toBe("release by operator, without a reason");
  });

  test("resubmit takes nodes, units and overrides", async () => {
    const { asked, post } = asking();
    const body = {
      nodes: ["mg_000001/proc_000002"],
      units: ["mg_000003"],
      memory_mb: 4000,
      wall_minutes: 90,
      sites: ["north"],
    };
    await post("muons-2026/resubmit", body);
    expect(asked[0]?.wanted).toMatchObject({
      nodes: ["mg_000001/proc_000002", "mg_000003"],
      changes: { memoryMb: 4000, wallMinutes: 90, sites: ["north"] },
    });
    expect((await post("muons-2026/resubmit", { reason: "x" })).statusCode).toBe(400);
  });

  test.each([
    ["abort", {}, "reason"],
    ["fail", {}, "reason"],
    ["restart", { memory_mb: 5, reason: "x" }, "memory_mb"],
    ["stop", { nodes: "failed" }, "nodes"],
    ["hold", { color: "blue" }, "color"],
    ["release", { how: "magic" }, "how"],
  ])("%s with %o is bad usage", async (action, body, path) => {
    const { asked, post } = asking();
    const answer = await post(`muons-2026/${action}`, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().problems.map((problem: { path: string }) => problem.path)).toContain(path);
    expect(asked).toEqual([]);
  });

  const problem = (path: string) => ({ path, message: "does not fit", allowed: "something else" });
  test.each<[ActAnswer, number]>([
    [{ kind: "already", why: "it is held already", request: heldRequest() }, 200],
    [{ kind: "refused", problems: [problem("")] }, 409],
    [{ kind: "refused", problems: [problem("site_bans[0]")] }, 422],
    [{ kind: "unknown-request" }, 404],
    [{ kind: "stale", request: sampleRequest() }, 412],
  ])("%o", async (answer, status) => {
    const { post } = asking({ act: async () => answer });
    const got = await post("muons-2026/release", { reason: "x" }, { ...AUTH, "if-match": '"7"' });
    expect(got.statusCode).toBe(status);
    if (status === 200) expect(got.json()).toMatchObject({ already: true, message: "it is held already" });
    else expect(got.json()).toMatchObject({ status });
  });
});

describe("many requests", () => {
  test("by filter, page by page, each with its result", async () => {
    const pages: unknown[] = [];
    const actMany: Commands["actMany"] = async (which) => {
      pages.push(which);
      const name = (which.cursor ? "b" : "a") as RequestName;
      return {
        results: [
          {
            name,
            answer: which.cursor
              ? { kind: "refused", problems: [{ path: "", message: "it is active", allowed: null }] }
              : {
                  kind: "done",
                  reason: "released",
                  effect: NO_EFFECT,
                  warnings: [],
                  detail: {},
                  request: heldRequest(),
                },
          },
        ],
        nextCursor: which.cursor ? null : "7",
      };
    };
    const { post } = asking({ actMany });
    const body = { action: "release", reason: "x", filter: { status: "held", campaign: "Run2026A" }, limit: 1 };
    const first = (await post("bulk", body)).json();
    expect(first).toMatchObject({ items: [{ request_name: "a", outcome: "done" }], counts: { done: 1 } });
    const rest = (await post("bulk", { ...body, cursor: first.next_cursor })).json();
    expect(rest).toMatchObject({ items: [{ outcome: "refused", message: "it is active" }], next_cursor: null });
    expect(pages).toMatchObject([{ filter: { status: ["held"], campaign: "Run2026A" }, limit: 1 }, { cursor: "7" }]);
    const other = await post("bulk", { ...body, filter: { status: "active" }, cursor: first.next_cursor });
    expect(other.statusCode).toBe(400);
  });

  test.each<[object, string]>([
    [{ action: "abort", reason: "x" }, "everything"],
    [{ action: "abort", reason: "x", filter: {} }, "everything, again"],
    [{ action: "abort", filter: { status: "held" } }, "no reason"],
    [{ action: "abort", reason: "x", names: ["a"], filter: { status: "held" } }, "both"],
    [{ action: "explode", reason: "x", names: ["a"] }, "no such action"],
  ])("%o is refused: %s", async (body) => {
    const { post } = asking();
    expect((await post("bulk", body)).statusCode).toBe(400);
  });
});
