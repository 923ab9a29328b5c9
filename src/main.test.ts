import { expect, test } from "vitest";
import { loadConfig } from "./config/load.ts";
import { intakeRules, loopPolicy, recoveryOptions, renderOptions, spoolOptions } from "./main.ts";

const withFlags = (flags: Parameters<typeof loadConfig>[0]["flags"]) => loadConfig({ environment: {}, flags }).config;

test("settings reach the parts that go by them, under the names of the code", async () => {
  const config = withFlags({ "planning.max_wall_minutes": 600, "bans.min_failures": 7, "dag.defer_poll_sec": 9 });
  expect(loopPolicy(config)).toMatchObject({ maxWallMinutes: 600, intervalSec: 5, bans: { minFailures: 7 } });
  expect(intakeRules(config)).toMatchObject({ maxWallMinutes: 600, requestor: "unknown" });
  expect(renderOptions(config)).toMatchObject({ deferPollSec: 9 });
  const recovery = await recoveryOptions(config);
  expect(recovery).toMatchObject({ installation: null, maxExecutions: 10, maxWallMinutes: 600 });
  expect(spoolOptions(config, recovery)).toMatchObject({ owner: null });
});

test("a submission cut short leaves traces only in a pool: the local engine needs no grace", () => {
  expect(loopPolicy(withFlags({})).resubmitGraceSec).toBe(0);
  expect(loopPolicy(withFlags({ "engine.kind": "dagman" })).resubmitGraceSec).toBe(10);
});

test("who is root submits as somebody else, and only to a pool", async () => {
  const flags = { "engine.dagman.submit_uid": 1000 };
  const recovery = await recoveryOptions(withFlags(flags));
  expect(spoolOptions(withFlags({ ...flags, "engine.kind": "dagman" }), recovery).owner).toEqual({
    uid: 1000,
    gid: 1000,
  });
  expect(spoolOptions(withFlags(flags), recovery).owner).toBeNull();
});
