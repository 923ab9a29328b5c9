import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../tests/support/built.ts";
import { makeSimulator } from "./simulate-child.ts";

const SCENARIO = `request:
  name: small
  kind: generate
  events: 20
  split: { by: events, events_per_job: 10 }
  steps: [{ name: gen, run: [/bin/true] }]
  outputs: [{ name: gen, file: gen.out }]
expect: [{ status: completed }]
`;
const waits = () => new AbortController().signal;
beforeAll(ensureBuilt, 300_000);

test("a scenario is told once somebody else's is over; its problems are listed; who leaves ends it", async () => {
  const simulate = makeSimulator();
  const told = simulate(SCENARIO, { signal: waits() });
  await expect(simulate(SCENARIO, { signal: waits() })).rejects.toThrow(/another simulation is being run/);
  expect(await told).toMatchObject({ ok: true, text: expect.stringContaining("expectations: 1 of 1 hold") });
  const bad = simulate("sites: 7\nrequest: {}", { signal: waits() });
  await expect(bad).rejects.toThrow(/problem[\s\S]*sites/);
  const leaving = new AbortController();
  const left = simulate(SCENARIO, { signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toThrow(/did not end in time/);
}, 120_000);
