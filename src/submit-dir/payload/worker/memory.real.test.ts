import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../../tests/support/temp-dir.ts";

/** Some of the worker's own functions, as they stand, in a shell without a job around them. */
const shell = (script: string, ...args: string[]) => {
  const sources = ["words.sh", "memory.sh", "step.sh"].map((file) => `. ${import.meta.dirname}/${file}`).join("\n");
  return execFileSync("sh", ["-uc", `newline='\n'\n${sources}\n${script}`, "sh", ...args], { encoding: "utf8" }).trim();
};
const peakOf = (self: string, root: string) =>
  shell('own_cgroup_file=$1 cgroup_root=$2; read_cgroup_peak; echo "$cgroup_mb"', self, root);

/** As Linux shows it: the line of /proc/self/cgroup, and the tree below /sys/fs/cgroup. */
function fakeCgroup(line: string, peak: string | null): [self: string, root: string] {
  const dir = tempDir("cgroup");
  writeFileSync(join(dir, "self"), line);
  const own = join(dir, "root", line.trim().replace(/^\d*::/, ""));
  mkdirSync(own, { recursive: true });
  if (peak !== null) writeFileSync(join(own, "memory.peak"), peak);
  return [join(dir, "self"), join(dir, "root")];
}

describe("the cgroup of a job", () => {
  test.each<[string, string, string | null, number]>([
    ["of HTCondor, rounded up", "0::/system.slice/condor_slot1_1@host.example.org\n", "314572801\n", 301],
    ["of Slurm", "0::/system.slice/slurmstepd.scope/job_77\n", "1048576\n", 1],
    ["of a login, which others share: not ours", "0::/user.slice/user-0.slice/session-1.scope\n", "1048576\n", 0],
    ["without a peak: an older kernel", "0::/condor_slot1@host\n", null, 0],
    ["whose peak is no number", "0::/condor_slot1@host\n", "max\n", 0],
    ["of version 1", "4:memory:/condor_slot1@host\n", "1048576\n", 0],
  ])("%s", (_story, line, peak, mb) => expect(peakOf(...fakeCgroup(line, peak))).toBe(String(mb)));

  test("nothing to read at all", () => expect(peakOf("/nonexistent/self", "/nonexistent")).toBe("0"));

  const own = existsSync("/proc/self/cgroup")
    ? (readFileSync("/proc/self/cgroup", "utf8").match(/^0::(.*)$/m)?.[1] ?? "")
    : "";
  const real = join("/sys/fs/cgroup", own);
  test.skipIf(!existsSync(join(real, "memory.peak")))("the real one of this machine", () => {
    const dir = tempDir("cgroup");
    symlinkSync(real, join(dir, "job_1"));
    writeFileSync(join(dir, "self"), "0::/job_1\n");
    expect(Number(peakOf(join(dir, "self"), dir))).toBeGreaterThan(0);
  });
});

describe("which source a peak has", () => {
  const MIB = 1048576;
  test.each<[string, { before: number; peak: number; tree: number | "null"; memory: string }, string]>([
    [
      "a cgroup that grew, below what the job may have",
      { before: 100, peak: 900, tree: 700, memory: "2000" },
      "900 cgroup",
    ],
    ["nobody else measured it", { before: 100, peak: 900, tree: "null", memory: "2000" }, "900 cgroup"],
    ["one that an earlier step filled", { before: 900, peak: 900, tree: 700, memory: "2000" }, "700 process-tree"],
    [
      "one at its limit, full of cached files",
      { before: 100, peak: 1900, tree: 700, memory: "2000" },
      "700 process-tree",
    ],
    ["nobody says what the job may have", { before: 100, peak: 900, tree: 700, memory: "" }, "700 process-tree"],
    ["the processes held more", { before: 100, peak: 600, tree: 700, memory: "2000" }, "700 process-tree"],
  ])("%s", (_story, { before, peak, tree, memory }, source) => {
    const [self, root] = fakeCgroup("0::/condor_slot1@host\n", `${peak * MIB}\n`);
    const script =
      'own_cgroup_file=$1 cgroup_root=$2 cgroup_before=$3 step_peak=$4 memory_mb=$5 step_source=process-tree; use_cgroup_peak; echo "$step_peak $step_source"';
    expect(shell(script, self, root, String(before), String(tree), memory)).toBe(source);
  });
});
