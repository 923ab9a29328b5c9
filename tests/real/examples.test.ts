import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { ServerUnderTest } from "../support/server.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "examples");

/** Requests, that is: the scenarios beside them are for `wms2 simulate`, and have a suite of their own. */
const requests = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(ya?ml|json)$/.test(file) && !file.startsWith("scenarios"))
  .sort();

const server = new ServerUnderTest({}, undefined, true);
beforeAll(() => server.start(), 180_000);
afterAll(async () => {
  await server.stop();
  await server.remove();
});

const ask = (...words: string[]) => wms2([...words, "--data-dir", server.dataDir]);

test("there are examples", () => expect(requests).toContain("generate.yaml"));

test.each(requests)(
  "%s completes within a minute on a fresh server, as it is shipped",
  async (file) => {
    const begun = performance.now();
    const submitted = await ask("submit", relative(root, join(folder, file)), "--json");
    expect(submitted, submitted.stderr).toMatchObject({ code: 0 });
    const { request_name: name, spec } = JSON.parse(submitted.stdout);
    await server.until(name, ["completed"], 60);
    expect((performance.now() - begun) / 1000).toBeLessThan(60);
    const { dag_id: dag } = (await server.get(`/requests/${name}`)).workflow;
    const { submit_dir: dir } = await server.get(`/dags/${dag}`);
    const plan = JSON.parse(readFileSync(join(dir, "plan.json"), "utf8"));
    expect(plan.resources.processing.memoryMb, "jobs get the memory the request says").toBe(spec.resources.memory_mb);
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
  expect(codes).toMatchObject([{ exit_code: 1, meaning: expect.stringContaining("the program itself failed") }]);
}, 90_000);
