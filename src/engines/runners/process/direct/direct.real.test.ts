import { appendFileSync, chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Scratch } from "../../../../../tests/support/payload-scratch.ts";
import { layGraph, type SmallJob } from "../../../../../tests/support/small-graph.ts";
import { LocalCore } from "../../../local/core.ts";

/** What jobs may do. Each is run directly and, beside a run.sh that somebody changed, as any other job. */
const JOBS: Record<string, SmallJob> = {
  job_000000: {
    argv: ["sh", "-c", "echo out; echo err >&2; env | sort; pwd"],
    env: { MODE: "it's fast", setsid: "x" },
  },
  job_000001: {
    argv: ["cp", "in.txt", "deep/er/made.txt"],
    reads: ["in.txt", "absent.txt"],
    makes: ["deep/er/made.txt"],
  },
  job_000002: { argv: ["sh", "-c", "echo told; exit 3"] },
  job_000003: { argv: ["sh", "-c", "kill -9 $$"] },
  job_000004: { argv: ["sh", "-c", "exit 137"] },
  job_000005: { argv: ["no-such-program"] },
  job_000006: { argv: ["./travels.sh", "a b", "$HOME", "'", ""] },
  job_000007: { argv: ["true"], makes: ["never.txt", "nor.txt"] },
  job_000008: { argv: ["sh", "-c", "head -c 1500000 /dev/zero | tr '\\0' x; echo last >&2"] },
  job_000009: { argv: ["sh", "-c", 'echo events_written=7 >>"$WMS2_STEP_REPORT"'], reads: ["in.txt"] },
  job_000010: { argv: ["sh", "-c", 'echo exit_code=8021 >>"$WMS2_STEP_REPORT"'] },
  job_000011: { argv: ["/bin/echo", "own path"], env: { PATH: "/nowhere" } },
};
async function run(changed: boolean): Promise<Map<string, Record<string, unknown>>> {
  const submit = new Scratch();
  const home = submit.path("home");
  const directory = join(home, "files");
  const part = submit.path("part_000");
  layGraph(submit, directory, JOBS);
  writeFileSync(join(directory, "in.txt"), "in\n");
  writeFileSync(submit.path("payload", "travels.sh"), '#!/bin/sh\nprintf "<%s>" "$@"; pwd\n');
  chmodSync(submit.path("payload", "travels.sh"), 0o755);
  if (changed) for (const name of ["run.sh", "pre", "post"]) appendFileSync(submit.path("bin", name), "\n# changed\n");
  const core = new LocalCore({ dir: join(home, "engine"), sites: [{ name: "here", cores: 4, memoryMb: 4000 }] });
  expect(core.submit({ batchName: "two-ways", submitDir: submit.dir, priority: 0 }).ok).toBe(true);
  await core.idle();
  core.close();
  // Told apart by what only one of them does: the ads of a direct job share a file.
  const said = readdirSync(part).find((name) => /^job_000000\.\d+\.out$/.test(name)) ?? "";
  expect(/^_CONDOR_MACHINE_AD=.*\.job\.ad$/m.test(readFileSync(join(part, said), "utf8"))).toBe(!changed);
  const found = new Map(Object.keys(JOBS).map((node) => [node, whatIsLeft(part, node, home, submit.dir)]));
  expect(readdirSync(join(home, "engine", "tasks"))).toEqual([]);
  submit.remove();
  return found;
}

/** All files of a node, without what differs from run to run. */
function whatIsLeft(part: string, node: string, home: string, submit: string): Record<string, unknown> {
  const same = (text: string): string =>
    text
      .replace(/\/[^ "\n]{1,200}(condor_exec\.exe|runner\.sh): \d+: exec/g, "SHELL")
      .replaceAll(home, "HOME")
      .replaceAll(submit, "SUBMIT")
      .replace(
        /"(at|timestamp|startedAt|endedAt|wallSec|cpuSec|wall_time_sec|cpu_time_sec|mtime|notBefore)":("[^"]*"|[\d.]+)/g,
        '"$1":0',
      )
      .replace(/"(peakMemoryMb|peak_rss_mb)":(\d+|null)/g, '"$1":1')
      .replace(/^(WMS2_CLUSTER=|.*tasks\/)\d+/gm, "$1N")
      .replace(/^_CONDOR_MACHINE_AD=.*$/gm, "_CONDOR_MACHINE_AD=A");
  const names = readdirSync(part).filter((name) => name.startsWith(`${node}.`));
  const cluster = /\.(\d+)\.report\.json$/.exec(names.find((name) => name.endsWith(".report.json")) ?? "")?.[1] ?? "-";
  const bare = (text: string): string => same(text).replaceAll(`"cluster":${cluster}`, '"cluster":0');
  const files = names.map((name) => [
    name.replace(`.${cluster}.`, ".N."),
    bare(readFileSync(join(part, name), "utf8")),
  ]);
  const ledger = readFileSync(join(part, "ledger.jsonl"), "utf8").split("\n");
  const log = readFileSync(join(part, "group.log"), "utf8").split("...\n");
  return {
    ...Object.fromEntries(files),
    ledger: ledger.filter((line) => line.includes(`"node":"${node}"`)).map(bare),
    ended: log
      .filter((event) => event.startsWith(`005 (${cluster.padStart(3, "0")}.`))
      .map((event) => event.split("\n")[1]),
  };
}

describe("a job that is run directly leaves what it leaves with our programs around it", () => {
  let [direct, whole] = [new Map<string, Record<string, unknown>>(), new Map<string, Record<string, unknown>>()];
  beforeAll(async () => {
    [direct, whole] = await Promise.all([run(false), run(true)]);
  }, 120_000);

  test.each(Object.entries(JOBS).map(([node, { argv }]) => [argv.join(" ").slice(0, 40), node]))("%s", (_, node) => {
    expect(direct.get(node)).toEqual(whole.get(node));
    expect(Object.keys(whole.get(node) ?? {}).length).toBeGreaterThanOrEqual(6);
  });
});
