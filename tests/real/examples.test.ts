import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { ServerUnderTest } from "../support/server.ts";

const server = new ServerUnderTest({}, undefined, true);
/** A copy: jobs of a graph leave what they make beside its file. */
const folder = join(server.dataDir, "examples");
cpSync(resolve(import.meta.dirname, "../../examples"), folder, { recursive: true });

/** A fifth of its jobs is enough here; `npm run bench -- graph` runs a thousand. */
const fanIn = join(folder, "graphs/fan-in.yaml");
writeFileSync(fanIn, readFileSync(fanIn, "utf8").replace("1..1000", "1..200"));

// Its history: the model has run.
execFileSync(join(folder, "segments/model.sh"), ["1", "20"]);

/** Scenarios are for `wms2 simulate`, and have a suite of their own. */
const requests = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(ya?ml|json)$/.test(file) && !file.startsWith("scenarios/"))
  .sort();

beforeAll(() => server.start(), 180_000);
afterAll(async () => {
  await server.stop();
  await server.remove();
});

const ask = (...words: string[]) => wms2([...words, "--data-dir", server.dataDir]);

test("there are examples", () =>
  expect(requests).toEqual(expect.arrayContaining(["generate.yaml", "graphs/fan-in.yaml"])));

test.each(requests)(
  "%s completes within a minute on a fresh server, as it is shipped",
  async (file) => {
    const begun = performance.now();
    const submitted = await ask("submit", join(folder, file), "--json");
    expect(submitted, submitted.stderr).toMatchObject({ code: 0 });
    const { request_name: name, spec } = JSON.parse(submitted.stdout);
    await server.until(name, ["completed"], 60);
    expect((performance.now() - begun) / 1000).toBeLessThan(60);
    const { work } = await server.get(`/requests/${name}`);
    // What completed after a look that found nothing to do has no DAG at present.
    const [{ submit_dir: dir }] = (await server.get(`/dags?request=${name}&limit=1`)).items;
    const plan = JSON.parse(readFileSync(join(dir, "plan.json"), "utf8"));
    const { memoryMb } = plan.resources.processing ?? plan.resources.job;
    const asked = work.jobs?.[0] ?? spec;
    expect(memoryMb, "jobs get the memory the request says").toBe(asked.resources.memory_mb);
  },
  90_000,
);

test("a program that always fails holds its request within a minute, not after hours of cool-offs", async () => {
  const name = "always-wrong";
  await server.submit({
    name,
    kind: "generate",
    events: 2,
    split: { by: "events", events_per_job: 1 },
    steps: [{ name: "one", run: ["/bin/false"] }],
    outputs: [{ name: "one", file: "one.txt" }],
  });
  const { hold } = await server.until(name, ["held"], 60);
  expect(hold.code).toBe("permanent-failures");
  const { codes } = await server.get(`/requests/${name}/errors`);
  expect(codes).toMatchObject([{ exit_code: 1, meaning: expect.stringContaining("the program failed") }]);
}, 90_000);

test("nothing of this was an error of the server's own", () => expect(server.log()).not.toContain('"level":50'));
