import { describe, expect, test } from "vitest";
import { AWAY, failing } from "../../../tests/support/rounds.ts";
import type { RequestName, SiteName } from "../../core/names.ts";
import type { OutputState } from "../../core/operator.ts";
import type { OutputBlock } from "../../core/output-block.ts";
import type { RequestSpec } from "../../core/request.ts";
import { canMove, isTerminal, REQUEST_STATUSES, type RequestStatus } from "../../core/request-status.ts";
import type { Block, OutputFile } from "../../core/workflow.ts";
import { ACTION, actionsIn, decideStop, holdByHand, mayDo, mayResume, OPERATOR_ACTIONS } from "./actions.ts";
import { decideCleanup, invalidationManifest } from "./cleanup.ts";
import { decideRelease, type ReleaseFacts } from "./release.ts";
import { decideRescueNow, decideResubmit } from "./rerun.ts";
import { checkRestart, cloneName, cloneOf } from "./restart.ts";
import { tallyRound } from "./tally.ts";

const sites = (...names: string[]) => names as SiteName[];

describe("the table of actions", () => {
  test("every action has an answer in every state, with words", () => {
    for (const action of OPERATOR_ACTIONS)
      for (const status of REQUEST_STATUSES) {
        const answer = mayDo(action, status);
        if (answer.kind !== "allowed") expect(answer.why).toMatch(/^it is \w+/);
      }
  });
  test("each open state has a way out by hand, and those that are final only lead to a clone", () => {
    for (const status of REQUEST_STATUSES) {
      const actions = actionsIn(status);
      if (isTerminal(status)) expect(["", "restart"]).toContain(actions.join());
      else expect(actions).toContain("abort");
    }
  });
  test("the table asks for no move the statuses forbid", () => {
    const leads: Partial<Record<keyof typeof ACTION, RequestStatus[]>> = {
      release: ["queued"],
      fail: ["failed"],
      abort: ["aborted"],
      hold: ["held"],
      stop: ["stopping", "held"],
      requeue: ["stopping"],
      resume: ["queued"],
      rescue: ["active"],
    };
    for (const [action, targets] of Object.entries(leads))
      for (const status of ACTION[action as keyof typeof ACTION].allowed)
        expect(`${action} ${status} ${targets.some((to) => canMove(status, to))}`).toBe(`${action} ${status} true`);
  });
  test("a refusal says what to do instead", () => {
    expect(mayDo("fail", "active")).toMatchObject({ kind: "refused", why: expect.stringContaining("hold it first") });
    expect(mayDo("release", "completed")).toMatchObject({ why: "it is completed, and that is final" });
    expect(mayDo("release", "active")).toMatchObject({ why: "it is active: only a held request can be released" });
    for (const status of ["held", "failed", "completed"] as const)
      expect(mayDo("restart", status).kind).toBe("allowed");
    expect(mayDo("restart", "active")).toMatchObject({
      why: "it is active: only a request that is held or over can be restarted: hold it first",
    });
    expect(mayDo("requeue", "stopping")).toEqual({ kind: "already", why: "it is stopping already" });
    expect(mayResume("held", "failure-threshold")).toMatchObject({ why: expect.stringContaining("release it") });
    expect(mayResume("held", "stopped").kind).toBe("allowed");
  });
});

describe("release", () => {
  const held: ReleaseFacts = {
    holdCode: "failure-threshold",
    canRescue: true,
    isStopped: false,
    isOneRound: false,
    isDirectoryGone: false,
    topsUp: false,
    doneByOutputs: [],
    unitsUnfinished: 3,
    unitWord: "unit",
    tornFiles: 0,
    kindFields: ["excluded_files"],
    maxMemoryMb: 12_000,
    knownSites: sites("A", "B"),
    possibleSites: sites("A", "B"),
    bannedSites: [],
    knownFiles: new Set(["/f"]),
  };
  const how = (over: Partial<ReleaseFacts>, asked: "rescue" | "next-round" | null = null) => {
    const answer = decideRelease({ ...held, ...over }, null, asked);
    return answer.ok ? answer.value.how : answer.error[0]?.message;
  };
  test("where it goes on", () => {
    expect(how({})).toBe("next-round");
    expect(how({}, "rescue")).toBe("rescue");
    expect(how({ canRescue: false }, "rescue")).toMatch(/no run/);
    expect(how({ holdCode: "removed-from-outside" })).toBe("rescue");
    expect(how({ holdCode: "run-lost", canRescue: false })).toBe("next-round");
    expect(how({ tornFiles: 2 })).toBe("rescue");
    expect(how({ isOneRound: true })).toBe("rescue");
    expect(how({ isOneRound: true }, "next-round")).toBe("next-round");
    expect(how({ isOneRound: true, canRescue: false, holdCode: "run-lost" })).toBe("again");
    expect(how({ isOneRound: true, canRescue: false, holdCode: "run-lost", unitsUnfinished: 0 })).toBe("next-round");
    expect(how({ holdCode: "no-input-files", canRescue: false })).toBe("plan");
  });
  test("modifications are read, under their long names too", () => {
    const body = {
      site_bans: ["A"],
      excluded_files: ["/f"],
      memory_mb: 6144,
      retry_count: 5,
      error_hold_threshold: 0.3,
    };
    expect(decideRelease(held, body)).toMatchObject({
      ok: true,
      value: {
        modifications: {
          siteBans: ["A"],
          excludedFiles: ["/f"],
          memoryMb: 6144,
          retries: 5,
          holdThreshold: 0.3,
          topUp: null,
        },
      },
    });
  });
  test("all problems are listed", () => {
    const body = JSON.parse(
      '{"site_bans":["A","B","X Y"],"excluded_files":["/g",7],"memory_mb":99999,"retries":1.5,"hold_threshold":2,"top_up":true,"memory":1,"constructor":1,"retry_count":1}',
    );
    const answer = decideRelease(held, body);
    expect(answer.ok ? [] : answer.error.map(({ path }) => path)).toEqual([
      "retry_count",
      "memory",
      "constructor",
      "site_bans[2]",
      "site_bans",
      "excluded_files[1]",
      "excluded_files[0]",
      "memory_mb",
      "hold_threshold",
      "top_up",
    ]);
    const wanted = { excluded_files: ["/a"], memory_mb: 100 };
    const refused = (over: Partial<ReleaseFacts>, asked: "rescue" | "next-round" | null) => {
      const answer = decideRelease({ ...held, knownFiles: new Set(["/a"]), ...over }, wanted, asked);
      return answer.ok ? [] : answer.error.map(({ path }) => path);
    };
    expect(refused({}, "next-round")).toEqual([]);
    expect(refused({}, "rescue")).toEqual(["excluded_files"]);
    expect(refused({ isStopped: true }, "rescue")).toEqual(["excluded_files", "memory_mb"]);
    expect(refused({ isStopped: true }, "next-round")).toEqual(["how"]);
    expect(decideRelease(held, "now")).toMatchObject({ error: [{ message: "must be an object" }] });
  });
  test("what is given up is said", () => {
    const generate = { ...held, kindFields: ["top_up"] };
    expect(decideRelease(generate, {})).toMatchObject({
      value: { warnings: ["the events of 3 unfinished units are given up; with top_up they are replaced"] },
    });
    expect(decideRelease(generate, { top_up: true })).toMatchObject({ value: { warnings: [] } });
    expect(decideRelease(held, { retries: 2 }, "rescue")).toMatchObject({
      value: { warnings: [expect.stringContaining("next round")] },
    });
  });
});

describe("kill and clone", () => {
  const spec = { name: "a_v1_b", processingVersion: 1, cleanupPolicy: "keep_until_replaced" } as RequestSpec;
  const facts = { spec, supersededBy: null, versionLimit: 3, isNameTaken: false };
  test.each([
    ["user_Run_v1_250101_1", 1, "user_Run_v2_250101_1"],
    ["muons_v9", 9, "muons_v10"],
    ["muons-v2", 2, "muons-v3"],
    ["muons", 1, "muons-v2"],
    ["x_v1_y_v1_z", 1, "x_v1_y_v2_z"],
    ["x_v1_y", 2, "x_v1_y-v3"],
  ])("%s of version %i becomes %s", (name, version, clone) => expect(cloneName(name, version)).toBe(clone));
  test("the clone is the next version and knows the one before", () => {
    expect(cloneOf(spec, "immediate_cleanup")).toEqual({
      name: "a_v2_b",
      processingVersion: 2,
      previousVersion: "a_v1_b",
      cleanupPolicy: "immediate_cleanup",
    });
    expect(cloneOf(spec).cleanupPolicy).toBe("keep_until_replaced");
    expect(checkRestart(facts)).toEqual([]);
  });
  test("once only, within the limit, to a free name", () => {
    const problems = checkRestart({
      spec: { ...spec, processingVersion: 3 },
      supersededBy: "c" as RequestName,
      versionLimit: 3,
      isNameTaken: true,
    });
    expect(problems.map(({ message }) => message)).toEqual([
      "it was restarted before, as c",
      "version 4 would be past the limit",
      "a_v1_b-v4 exists already",
    ]);
  });
});

test("outputs: active → superseded → invalidated, by the policy of a successor that is complete", () => {
  const name = "n" as RequestName;
  const kind = (state: OutputState, cleanupPolicy: RequestSpec["cleanupPolicy"]) =>
    decideCleanup(state, { name, cleanupPolicy }).kind;
  expect(kind("active", "keep_until_replaced")).toBe("supersede");
  expect(kind("superseded", "keep_until_replaced")).toBe("keep");
  for (const state of ["active", "superseded"] as const) expect(kind(state, "immediate_cleanup")).toBe("invalidate");
  expect(kind("invalidated", "immediate_cleanup")).toBe("keep");
});

test("the manifest lists what is to be withdrawn, by how far each block came", () => {
  const block = (index: number, status: Block["status"], unitsDone: number) =>
    ({ index, status, unitsDone, dataset: "/a/b/C" }) as Block;
  const output = { lfn: "/l", path: "/p", dataset: "/a/b/C", unit: "mg_000000" } as OutputFile & { unit: string };
  const manifest = invalidationManifest(
    {
      spec: { name: "r" as RequestName, processingVersion: 1 },
      supersededBy: null,
      blocks: [block(0, "archived", 2), block(1, "open", 1), block(2, "open", 0), block(3, "invalidated", 1)],
      outputBlocks: [
        {
          name: "/a/b/C#1",
          site: "T2",
          status: "done",
          begun: ["tape-rule"],
          receipts: { place: "T2", "tape-rule": "77" },
        },
        { name: "/a/b/C#2", site: "T2", status: "open", begun: [], receipts: {} },
      ] as unknown as OutputBlock[],
      outputs: [output],
      reason: "corrupt",
      actor: "ann",
    },
    new Date(0),
  );
  expect(manifest).toMatchObject({
    at: "1970-01-01T00:00:00.000Z",
    datasets: ["/a/b/C"],
    files: [{ lfn: "/l", unit: "mg_000000" }],
    catalogBlocks: [{ name: "/a/b/C#1", rules: ["77"] }],
  });
  expect(manifest.blocks.map(({ index, steps }) => [index, steps.length])).toEqual([
    [0, 3],
    [1, 2],
  ]);
});

test("stop and hold wait, requeue goes back to the queue, and between rounds there is nothing to be queued again", () => {
  const wish = { actor: "ann", reason: "maintenance" };
  expect(decideStop({ status: "active", mayRun: true }, { action: "stop", ...wish })).toMatchObject({
    kind: "stop-run",
  });
  expect(decideStop({ status: "active", mayRun: false }, { action: "requeue", ...wish }).kind).toBe("nothing");
  expect(holdByHand({ action: "hold", ...wish }, "active")).toMatchObject({ code: "held-by-operator" });
  expect(holdByHand({ action: "requeue", ...wish }, "active")).toBeNull();
  expect(decideStop({ status: "queued", mayRun: false }, { action: "stop", ...wish })).toMatchObject({
    kind: "hold",
    hold: { code: "stopped", message: "stopped by ann: maintenance" },
  });
  expect(decideStop({ status: "stopping", mayRun: true }, { action: "requeue", ...wish }).kind).toBe("already");
});

test("rescue and resubmit by hand never touch what is finished", () => {
  const facts = {
    canRescue: true,
    unitWord: "unit",
    roundUnits: new Set(["mg_0", "mg_1", "mg_2"]),
    finishedUnits: new Set(["mg_0"]),
    failedNodes: new Set<string>(),
    doneNodes: new Set(["mg_1/proc_3"]),
    names: ["mg_0", "mg_1", "mg_2"],
    nodesOf: new Map(),
    besideNow: new Set<string>(),
    limited: new Set<string>(),
    failedUnits: ["mg_0", "mg_1"],
    tally: tallyRound([failing("mg_0", AWAY("A")), failing("mg_1", AWAY("A"))]),
    possibleSites: null,
    bannedSites: [],
  };
  expect(decideRescueNow(facts)).toMatchObject({ value: { reelectUnits: [{ unit: "mg_1", avoidSites: ["A"] }] } });
  expect(decideRescueNow({ ...facts, canRescue: false }).ok).toBe(false);
  expect(decideRescueNow({ ...facts, finishedUnits: facts.roundUnits }).ok).toBe(false);
  const chosen = decideResubmit(facts, ["mg_1/proc_1", "mg_1/proc_2", "mg_2"]);
  expect(chosen.ok && [...(chosen.value.epochOf ?? [])]).toEqual([
    ["mg_1", ["proc_1", "proc_2"]],
    ["mg_2", null],
  ]);
  const wrong = decideResubmit(facts, ["mg_0/proc_1", "mg_7"]);
  expect(wrong.ok ? [] : wrong.error.map(({ path }) => path)).toEqual(["nodes[0]", "nodes[1]"]);
  expect(decideResubmit(facts, ["mg_1/proc_1", "mg_1/proc_3"])).toMatchObject({
    error: [{ path: "nodes[1]", message: "mg_1/proc_3 is done, and what is done never runs again" }],
  });
});
