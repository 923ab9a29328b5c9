import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { idleCoresStory, roundDir, wrongHintStory } from "../support/adaptive-stories.ts";
import { wms2 } from "../support/cli.ts";
import { ServerUnderTest } from "../support/server.ts";

const server = new ServerUnderTest({
  "planning.probe_jobs": 1,
  "engine.local.sites": [{ name: "here", cores: 16, memory_mb: 4000 }],
});
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

test.each([
  ["twice too much", 600],
  ["half of it", 150],
])("a hint that is %s is right in round 1", async (words, askedMb) => {
  const name = words.replaceAll(" ", "-");
  const { first, second } = await wrongHintStory(server, name, askedMb);
  const { stdout } = await wms2(["metrics", name, "--server", server.url]);
  expect(stdout).toMatch(/^ROUND +STEP +JOBS/);
  expect(stdout).toMatch(/\n0 +GEN +2 [^\n]*framework\n1 +GEN +4 [^\n]*framework\nall +GEN +6 /);
  expect(stdout).toContain(`memory  ${second.requested.why.memory}`);
  const profile = JSON.parse(readFileSync(join(roundDir(server, name, 1), "step_profile.json"), "utf8"));
  expect(profile).toMatchObject({ round: 0, jobs_sampled: 2, steps: { GEN: { rss_mb: first.steps.GEN.rss_mb } } });
});

test("a step that leaves cores idle is cut in parts from round 1 on, is faster so, and no event is lost", () =>
  idleCoresStory(server));
