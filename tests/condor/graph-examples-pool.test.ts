import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { poolServer, sharedDir } from "../support/pool-server.ts";

const server = poolServer({ "dag.defer_poll_sec": 1, "recovery.cooloff_base_sec": 0 });
const work = sharedDir("pool-graphs");
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

/** Where the jobs' owner may write. */
function directoryFor(name: string): string {
  const directory = join(work, name);
  mkdirSync(directory);
  chmodSync(directory, 0o777);
  return directory;
}
const examples = resolve(import.meta.dirname, "../../examples/graphs");
const imports = resolve(examples, "../imports");

test.concurrent.each(["diamond", "sweep", "handlers"])("the example %s completes on the pool", async (example) => {
  const directory = directoryFor(`example-${example}`);
  cpSync(examples, directory, { recursive: true });
  chmodSync(directory, 0o777);
  const answer = await wms2(["submit", join(directory, `${example}.yaml`), "--data-dir", server.dataDir]);
  expect(answer, answer.stderr).toMatchObject({ code: 0 });
  await server.until(`${example}-example`, ["completed"], 90);
  if (example === "diamond")
    expect(readFileSync(join(directory, "out/diamond/sum.txt"), "utf8")).toContain("all 500500");
});

test.concurrent.each([
  ["sweep.torc.yaml", "growth-sweep", "results/summary.txt"],
  ["fork-join.wfformat.json", "fork-join", "replay-files/all-hits.dat"],
])("the imported example %s completes on the pool", async (file, name, makes) => {
  const directory = directoryFor(`import-${name}`);
  cpSync(join(imports, file), join(directory, file));
  const answer = await wms2(["submit", join(directory, file), "--data-dir", server.dataDir]);
  expect(answer, answer.stderr).toMatchObject({ code: 0 });
  await server.until(name, ["completed"], 90);
  expect(statSync(join(directory, makes)).size).toBeGreaterThan(0);
});

test.concurrent("twenty years of the example model become series and averages; a hole is found and filled, alone", async () => {
  const directory = directoryFor("example-segments");
  cpSync(resolve(examples, "../segments"), directory, { recursive: true });
  execFileSync(join(directory, "model.sh"), ["1", "20"]);
  execFileSync("chmod", ["-R", "a+rwX", directory]);
  const ask = (...words: string[]) => wms2([...words, "--data-dir", server.dataDir]);
  const submitted = await ask("submit", join(directory, "experiment.yaml"));
  expect(submitted, submitted.stderr).toMatchObject({ code: 0 });
  await server.until("climate-example", ["completed"], 120);
  const [series, chunk] = ["20y/000101-002012.csv", "5y/000601-001012.csv"].map((end) =>
    join(directory, "pp/atmos", `ts-monthly-${end}`),
  ) as [string, string];
  expect(readFileSync(series, "utf8").split("\n")).toHaveLength(12 * 20 + 1);
  const { mtimeMs } = statSync(series);
  rmSync(chunk);
  expect(await ask("verify", "climate-example", "--yes")).toMatchObject({ code: 10 });
  await server.until("climate-example", ["completed"], 120);
  expect(readFileSync(chunk, "utf8").split("\n")).toHaveLength(12 * 5 + 1);
  expect(statSync(series).mtimeMs).toBe(mtimeMs);
  const fill = await ask("fill", "climate-example");
  expect(fill).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^atmos ts-monthly-20y +\S+ +\S+ +\S+ +\.{4}o$/m),
  });
});

test.concurrent("a job that fails once, a fan-in through a barrier, and a report of what ended however", async () => {
  const directory = directoryFor("barrier");
  const sh = (name: string, script: string, more: object = {}) => ({ name, run: ["sh", "-c", script], ...more });
  const document = {
    ...{ name: "barrier", kind: "graph", directory, retries: { job: 1 }, recovery: { max_rescues: 0 } },
    resources: { memory: "100 MB", disk: "100 MB", time: "5 min" },
    parameters: { n: "1..4" },
    jobs: [
      sh("part {n}", "mkdir once-{n} 2>/dev/null && [ {n} -eq 2 ] && exit 3; echo {n} >part-{n}", {
        ...{ each: ["n"], makes: ["part-{n}"] },
      }),
      sh("sum {n}", "cat part-* | wc -l >sum-{n}", { each: ["n"], after: ["part *"] }),
      sh("hopeless", "exit 4", { after: ["sum 1"], retries: 0 }),
      sh("never", "touch never", { after: ["hopeless"] }),
      sh("report", "cat sum-* >report", { after: ["sum *", "hopeless"], when: "ended" }),
    ],
  };
  await server.submit(document);
  const held = await server.until("barrier", ["held", "completed"], 90);
  expect(held.hold).toMatchObject({ code: "permanent-failures" });
  expect(readFileSync(join(directory, "report"), "utf8")).toBe("4\n4\n4\n4\n");
  const { submit_dir } = await server.get(`/dags/${held.workflow.dag_id}`);
  expect(readFileSync(join(submit_dir, "workflow.dag"), "utf8")).toMatch(/^JOB barrier_0 .* NOOP$/m);
  const errors = await server.get("/requests/barrier/errors");
  expect(errors).toMatchObject({ units_total: 11, units_failed: 1, blocked: [{ by: "hopeless", units: 1 }] });
  const { items } = await server.get("/requests/barrier/attempts?node=part%202");
  expect(items.map(({ decision }: { decision: string }) => decision).sort()).toEqual(["done", "retry"]);
  await showsWhatJobsUsed();
});

/** Numbers that HTCondor and the jobs themselves have told. */
async function showsWhatJobsUsed(): Promise<void> {
  const ask = (...words: string[]) => wms2([...words, "--data-dir", server.dataDir]);
  const { items } = JSON.parse((await ask("results", "barrier", "--json")).stdout) as { items: { name: string }[] };
  const row = (name: string) => items.find((one) => one.name === name);
  const number = expect.any(Number);
  const ran = {
    wall_sec: number,
    cpu_sec: number,
    peak_memory_mb: number,
    memory_mb: number,
    host: expect.any(String),
  };
  expect(items).toHaveLength(11);
  expect(row("part 2")).toMatchObject({ ...ran, state: "done", attempts: 2, exit_code: 0 });
  expect(row("hopeless")).toMatchObject({ ...ran, state: "failed", attempts: 1, exit_code: 4 });
  expect(row("never")).toMatchObject({ state: "blocked", attempts: 0 });
  const shown = await ask("results", "barrier", "--failed");
  expect(shown.stdout).toMatch(/^hopeless +failed +1 +exit 4 +\S+.* [kMG]B +[\d.]+ [MG]B +\d+ +\S+/m);
  const page = (await ask("report", "barrier", "--html")).stdout;
  expect(page).toMatch(/[\d.]+ [kM]B of [\d.]+ [MG]B/);
  expect(page).toMatch(/hopeless[\s\S]*exit 4/);
}
