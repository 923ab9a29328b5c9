import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtProgram } from "../../src/core/disk/package-root.ts";

/** The command line as people have it: built, in a process of its own. */
const MAIN = builtProgram("src/cli/main.js");

/** `wms2 run` of one job to its end, and of a thousand beside `xargs -P 2` and snakemake (where it is installed) doing the same. */
export async function runs(root: string, many = 1000) {
  const dataDir = join(root, "data");
  const run = (name: string, jobs: readonly object[]): number => {
    const folder = join(root, name);
    mkdirSync(folder);
    const document = { name, kind: "graph", resources: { memory: "20 MB" }, jobs };
    writeFileSync(join(folder, "graph.json"), JSON.stringify(document));
    return seconds(() => wms2(["run", join(folder, "graph.json"), "--json", "--data-dir", dataDir]));
  };
  const one = [{ name: "one", run: "true" }];
  run("first", one); // Makes the database.
  const cold = run("cold", one);
  const server = spawn(process.execPath, [MAIN, "serve", "--data-dir", dataDir, "--port", "0"], { stdio: "ignore" });
  try {
    await untilServed(dataDir, server);
    run("waking", one); // Starts the engine, which a server up for a while has.
    const warm = run("warm", one);
    const range = { parameters: { n: `1..${many}` }, each: ["n"] };
    const graph = run("many", [{ name: "job {n}", run: "true", ...range }]);
    const xargsSeconds = seconds(() =>
      execFileSync("xargs", ["-P", "2", "-n", "1", "true"], {
        input: Array.from({ length: many }, (_, n) => n).join("\n"),
      }),
    );
    const perJobMs = (taken: number) => Math.round(((taken - xargsSeconds) / many) * 10_000) / 10;
    const snakemakeSeconds = snakemake(join(root, "snakemake"), many);
    return {
      firstJobSeconds: { warm, cold },
      jobsPerSecond: Math.round(many / graph),
      trivialSeconds: graph,
      xargsSeconds,
      snakemakeSeconds,
      /** Beside what `xargs` needs. */
      overheadPerJobMs: { wms2: perJobMs(graph), snakemake: snakemakeSeconds && perJobMs(snakemakeSeconds) },
    };
  } finally {
    server.kill("SIGTERM");
    await new Promise((done) => server.once("exit", done));
    wms2(["run", join(root, "first", "graph.json"), "--json", "--data-dir", dataDir]); // Ends the engine.
  }
}

/** The same graph; a job of its kind has to make a file. null: it is not installed. */
function snakemake(dir: string, jobs: number): number | null {
  if (spawnSync("snakemake", ["--version"]).status !== 0) return null;
  mkdirSync(dir);
  const rules = [
    `rule all:\n    input: expand("made/{n}", n=range(${jobs}))`,
    'rule job:\n    output: touch("made/{n}")\n    shell: "true"',
  ];
  writeFileSync(join(dir, "Snakefile"), `${rules.join("\n")}\n`);
  return seconds(() => execFileSync("snakemake", ["--cores", "2", "--quiet"], { cwd: dir, stdio: "pipe" }));
}

const wms2 = (words: readonly string[]): unknown => execFileSync(process.execPath, [MAIN, ...words], { stdio: "pipe" });

function seconds(work: () => unknown): number {
  const began = performance.now();
  work();
  return Math.round((performance.now() - began) / 10) / 100;
}

async function untilServed(dataDir: string, { pid }: ChildProcess): Promise<void> {
  const file = join(dataDir, "server.json");
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20))
    if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).pid === pid) return;
  throw new Error("the server did not start");
}
