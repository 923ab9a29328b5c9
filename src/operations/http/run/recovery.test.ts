import { describe, expect, test } from "vitest";
import { AUTH, fakeApi, fakeCommands } from "../../../../tests/support/api-fakes.ts";
import { heldRequest } from "../../../../tests/support/api-samples.ts";
import type { RecoverWanted } from "../../../core/recover.ts";
import type { RememberedRule } from "../../../core/rule.ts";
import { NO_RECORD } from "../../../recovery/ledger-record.ts";
import { decideRecovery } from "../../../recovery/round/recover.ts";
import type { Commands } from "../../handlers/port.ts";
import type { Classification } from "../../handlers/recovery-port.ts";

const api = (parts: Partial<Commands>) => {
  const { app } = fakeApi({ commands: fakeCommands(parts) });
  return (method: "GET" | "POST" | "DELETE", path: string, payload?: object) =>
    app.inject({ method, url: `/api/v1${path}`, headers: AUTH, ...(payload && { payload }) });
};

describe("recover", () => {
  const record = { ...NO_RECORD, decision: "stop", cause: "oom", exitCode: 50660, memoryMb: 2000 } as const;
  const limits = { maxMemoryPerCoreMb: 3000, maxMemoryMb: null, maxWallMinutes: 600 };
  function asking(cause: "oom" | "exit" = "oom") {
    const asked: RecoverWanted[] = [];
    const recover: Commands["recover"] = async (_name, wanted, { dryRun }) => {
      asked.push(wanted);
      const nodes = [{ unit: "mg_000000", node: "proc_000000", record: { ...record, cause } }];
      const decided = decideRecovery({ name: "muons-2026", nodes, limits, cores: 1 }, wanted);
      if (!decided.ok) return { kind: "refused", problems: decided.error };
      const { rerun, reason: message } = decided.value;
      const kind = rerun.size === 0 ? "nothing" : dryRun ? "would" : "done";
      return { kind, recovery: decided.value, message, request: heldRequest() };
    };
    return { asked, send: api({ recover }) };
  }

  test("without a word it is the usual one; 202 when it is done, 200 for a dry run and for nothing", async () => {
    const { asked, send } = asking();
    const done = await send("POST", "/requests/muons-2026/recover");
    expect([done.statusCode, done.headers.etag]).toEqual([202, '"7"']);
    expect(done.json()).toEqual({
      request_name: "muons-2026",
      dry_run: false,
      already: false,
      raised: 1,
      again: 0,
      ceiling: 0,
      unknown: 0,
      nodes: [
        {
          unit: "mg_000000",
          node: "proc_000000",
          cause: "oom",
          exit_code: 50660,
          action: "raise",
          had_memory_mb: 2000,
          had_wall_minutes: null,
          gets_memory_mb: 3000,
          gets_wall_minutes: null,
          reason: "out of memory: 2000 → 3000 MB",
        },
      ],
      more: 0,
      message: "recovered: 1 job with more memory",
    });
    expect(asked[0]).toMatchObject({ memoryFactor: 1.5, timeFactor: 1.4, maxMemoryMb: null, only: null });
    expect((await send("POST", "/requests/muons-2026/recover?dry_run=true")).statusCode).toBe(200);
    const nothing = await asking("exit").send("POST", "/requests/muons-2026/recover", { memory_factor: 2 });
    expect([nothing.statusCode, nothing.json().unknown]).toEqual([200, 1]);
  });

  test.each([
    [{ memory_factor: 0.5 }, 400],
    [{ only: [] }, 400],
    [{ surprise: 1 }, 400],
    [{ only: ["nobody"] }, 422],
  ])("%j is refused with %i", async (body, status) => {
    expect((await asking().send("POST", "/requests/muons-2026/recover", body)).statusCode).toBe(status);
  });
});

test("a classification is of a node or of a group, not of both; remember goes with it", async () => {
  const asked: [readonly Classification[], boolean | undefined][] = [];
  const classify: Commands["classify"] = async (_name, items, _by, remember) => {
    asked.push([items, remember]);
    return { kind: "refused", problems: [] };
  };
  const send = api({ classify });
  const ask = (item: object) =>
    send("POST", "/requests/muons-2026/classify", { items: [{ action: "retry", ...item }], remember: true });
  expect((await ask({})).statusCode).toBe(400);
  expect((await ask({ node: "a/b", group: "0123456789" })).statusCode).toBe(400);
  expect((await ask({ group: "no key" })).statusCode).toBe(400);
  await ask({ group: "0123456789" });
  expect(asked).toMatchObject([[[{ group: "0123456789", action: "retry" }], true]]);
});

test("groups and rules as programs see them; a rule that is not there is 404", async () => {
  const rule: RememberedRule = {
    id: "rule-1",
    action: "fail",
    cause: "exit",
    exitCode: 3,
    stderr: "refused",
    lines: ["<n> refused"],
    requestName: "muons",
    actor: "ada",
    reason: "gone",
    createdAt: new Date(0),
  };
  const example = { unit: "mg_000000", node: "proc_000000", at: "", reason: "exit 3" };
  const group = { key: "0123456789", failures: 400, unclassified: 400, whyNot: null, cause: "exit", exitCode: 3 };
  const send = api({
    rules: async () => [rule],
    forgetRule: async (id) => (id === rule.id ? rule : null),
    failureGroups: async (name) =>
      name === "muons"
        ? {
            failures: 400,
            notRead: 0,
            groups: [{ ...group, lines: rule.lines, example, nodes: ["mg_000000/proc_000000"] }],
          }
        : null,
  });
  expect((await send("GET", "/requests/muons/groups")).json()).toMatchObject({
    request_name: "muons",
    groups: [{ key: "0123456789", failures: 400, exit_code: 3, lines: ["<n> refused"] }],
  });
  expect((await send("GET", "/requests/nobody/groups")).statusCode).toBe(404);
  const view = { id: "rule-1", action: "fail", exit_code: 3, actor: "ada", created_at: "1970-01-01T00:00:00.000Z" };
  expect((await send("GET", "/policy/rules")).json()).toMatchObject({ items: [view] });
  expect((await send("DELETE", "/policy/rules/rule-1")).json()).toMatchObject(view);
  expect((await send("DELETE", "/policy/rules/rule-2")).statusCode).toBe(404);
});
