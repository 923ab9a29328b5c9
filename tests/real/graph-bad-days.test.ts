import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attached } from "../support/request-documents.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest({ "engine.local.sites": [{ name: "here", cores: 8, memory_mb: 8000 }] });
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});
const options = { timeout: 90_000 };

function graph(name: string, jobs: readonly object[], more: object = {}) {
  const directory = join(tempDir("bad-days"), name);
  mkdirSync(directory, { recursive: true });
  return { name, kind: "graph", directory, resources: { memory: "50 MB" }, jobs, retries: { job: 0 }, ...more };
}

test("a job that never stops talking keeps the beginning and the end of what it said", options, async () => {
  const talk = "echo first; head -c 200000000 /dev/zero | tr '\\0' '\\n'; echo last";
  await server.submit(graph("talker", [{ name: "talk", run: ["sh", "-c", talk] }]));
  const { workflow } = await server.until("talker", ["completed"]);
  const { submit_dir } = await server.get(`/dags/${workflow.dag_id}`);
  const { items } = await server.get("/requests/talker/attempts");
  const log = join(submit_dir, "part_000", `job_000000.${items[0].cluster}.out`);
  expect(statSync(log).size).toBeLessThan(1_100_000);
  expect(readFileSync(log, "utf8")).toMatch(/^first\n[\s\S]*bytes of stdout are left out here[\s\S]*\nlast\n$/);
});

test(
  "a name in any script is shown as written; a missing interpreter is told; a script knows both",
  options,
  async () => {
    const document = graph(
      "interpreter",
      [{ name: "größe für 東京 1", run: "./fit.sh", handler: "tell", retries: 1 }],
      {
        attachments: {
          "fit.sh": attached("#!/no/such/interpreter\n"),
          "tell.sh": attached('#!/bin/sh\necho "$WMS2_JOB" >"$WMS2_DIRECTORY/told"\n'),
        },
        recovery: {
          max_rescues: 0,
          handlers: [
            { name: "tell", rules: [{ exit_codes: [126, 127], max_retries: 1, delay: "0 s", script: "./tell.sh" }] },
          ],
        },
      },
    );
    await server.submit(document);
    await server.until("interpreter", ["held"]);
    const errors = await server.get("/requests/interpreter/errors");
    expect(errors.first).toMatchObject({ job: "größe für 東京 1" });
    expect(errors.codes[0].log_tail).toContain("fit.sh");
    expect(readFileSync(join(document.directory, "told"), "utf8")).toBe("größe für 東京 1\n");
  },
);

test("a recovery script puts right what the jobs find: it runs in their folder", options, async () => {
  const document = graph(
    "licence",
    [{ name: "solve", run: ["sh", "-c", "[ -e license.ok ] || exit 10; echo solved >out"], makes: "out", retries: 1 }],
    {
      attachments: { "renew.sh": attached("#!/bin/sh\ntouch license.ok\n") },
      recovery: {
        max_rescues: 0,
        handlers: [
          { name: "renew", rules: [{ exit_codes: [10], max_retries: 1, delay: "0 s", script: "./renew.sh" }] },
        ],
      },
    },
  );
  await server.submit(document);
  await server.until("licence", ["completed"]);
  expect(readFileSync(join(document.directory, "out"), "utf8")).toBe("solved\n");
  expect(existsSync(join(document.directory, "license.ok"))).toBe(true);
});

test("of two runs of the same file at once one begins and the other joins", options, async () => {
  const document = graph("twice", [{ name: "once", run: ["sh", "-c", "echo x >>ran"], makes: "ran" }]);
  const run = () => server.send("POST", "/runs", document);
  const answers = await Promise.all([run(), run()]);
  await server.until("twice", ["completed"]);
  expect(readFileSync(join(document.directory, "ran"), "utf8")).toBe("x\n");
  expect(answers.map(({ status }) => status).sort(), JSON.stringify(answers)).toEqual([200, 200]);
});
