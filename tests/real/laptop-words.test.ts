import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { ServerUnderTest } from "../support/server.ts";

/** What somebody with a laptop reads when a job fails or cannot run: their own names, and no word of a grid. */

const server = new ServerUnderTest();
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

const GRID_WORDS = [
  /DAGMan/i,
  /schedd/i,
  /condor/i,
  /(POST|PRE) script/,
  /futile/,
  /\bpool\b/,
  /fewer sites|no site|sites? can run/,
  /job_\d{6}/,
  /\{"|\[\{/,
];
const wrong = (text: string): string[] => text.split("\n").filter((line) => GRID_WORDS.some((word) => word.test(line)));

const graph = (name: string, jobs: string): string => {
  const path = join(server.dataDir, "own", `${name}.yaml`);
  mkdirSync(join(server.dataDir, "own", name), { recursive: true });
  const resources = "{ cores: 1, memory: 100 MB, time: 5 min, disk: 50 MB }";
  writeFileSync(
    path,
    `name: ${name}\nkind: graph\ndirectory: ${join(server.dataDir, "own", name)}\nresources: ${resources}\nretries: { job: 0 }\njobs:\n${jobs}`,
  );
  return path;
};
const own = (...words: string[]) => wms2([...words, "--data-dir", server.dataDir]);
const said = async (...words: string[]) => {
  const { stdout, stderr } = await own(...words);
  return `wms2 ${words.join(" ")}\n${stdout}${stderr}`;
};

test("a failing job", async () => {
  const jobs = `  - { name: fetch, run: [sh, -c, "echo no such file >&2; exit 42"] }\n  - { name: merge, after: fetch, run: ["true"] }\n`;
  await own("submit", graph("nightly", jobs));
  await eventually("it is held", async () => (await server.get("/requests/nightly")).status === "held", {
    deadlineSec: 60,
  });
  const report = join(server.dataDir, "own", "report.html");
  const texts = [
    await said("list"),
    await said("show", "nightly"),
    await said("errors", "nightly"),
    await said("causes"),
    await said("attempts", "nightly"),
    await said("nodes", "nightly"),
    await said("results", "nightly"),
    await said("watch", "nightly"),
    await said("top"),
    await said("actions", "nightly"),
    await said("groups", "nightly"),
    await said("handover"),
    await said("feed"),
    await said("recover", "nightly", "--dry-run"),
    await said("report", "nightly", "--html", "--out", report),
    readFileSync(report, "utf8")
      .replace(/<style>[\s\S]*?<\/style>/, "")
      .replace(/<pre>[\s\S]*?<\/pre>/g, ""),
  ];
  const all = texts.join("\n");
  expect(wrong(all)).toEqual([]);
  for (const words of ["fetch", "exit 42", "blocked", "1 job failed with exit code 42"]) expect(all).toContain(words);
});

test("a job that this machine can never run says why", async () => {
  const jobs = `  - { name: train, run: ["true"], resources: { gpus: 1 } }\n`;
  await own("submit", graph("graphics", jobs));
  const isStuck = async () => (await server.get("/requests/graphics")).waiting?.code === "too-large";
  await eventually("it waits", isStuck, { deadlineSec: 60 });
  const all = [await said("show", "graphics"), await said("nodes", "graphics"), await said("list")].join("\n");
  expect(wrong(all)).toEqual([]);
  expect(all).toContain("asks for 1 GPU, and this engine has no GPU to give");
  const large = await said("submit", graph("large", `  - { name: fit, run: ["true"], resources: { cores: 1024 } }\n`));
  expect(wrong(large)).toEqual([]);
  expect(large).toContain("1024 cores is more than there is anywhere");
});
