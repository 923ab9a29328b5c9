import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inUnit, merged, post, report, script } from "../../../../tests/support/checked-unit.ts";
import { run, SHELL } from "../../../../tests/support/payload-scratch.ts";

const unit = async (retry: number): Promise<number | null> => (await script("unit", retry)).code;

test("a unit whose outputs are made is done, though its cleanup failed, unless that found them missing", async () => {
  merged();
  report("merge", 20, { exitCode: 1 });
  await post("merge", 1, 0, 2, 20);
  expect(await unit(1)).toBe(1);
  report("merge", 21, {});
  expect((await post("merge", 0, 1, 2, 21)).code).toBe(0);
  expect(await unit(1)).toBe(1);
  report("cleanup", 30, { exitCode: 60312 });
  await post("cleanup", 1, 1, 1, 30);
  expect(await unit(1)).toBe(45);
  report("cleanup", 31, { exitCode: 70318, error: "nothing removed" });
  await post("cleanup", 1, 1, 1, 31);
  expect(await unit(1)).toBe(1);
});

const EXITED = "11/16/26 16:58:11 **** condor_scheduniv_exec.47.0 (condor_DAGMAN) pid 3244 EXITING WITH STATUS 1\n";
const KILLED = "11/16/26 16:58:11 Currently monitoring 1 HTCondor log file(s)\n";

test.each<[string, string | null, string, boolean]>([
  ["said that it exits and kept its lock could not read its log: the next one begins anew", EXITED, "echo", false],
  ["exited like that, but a job of it is in the queue", EXITED, "echo 48", true],
  ["exited like that, and the queue cannot be asked", EXITED, "exit 1", true],
  ["was killed: the next one recovers", KILLED, "echo", true],
  ["left no word", null, "echo", true],
])("a DAGMan of the unit that %s", async (_, out, queue, stays) => {
  mkdirSync(inUnit("tools"));
  writeFileSync(inUnit("tools/condor_q"), `#!/bin/sh\necho "$@" >asked\n${queue}\n`);
  chmodSync(inUnit("tools/condor_q"), 0o755);
  writeFileSync(inUnit("group.dag.lock"), "PID = 3244\n");
  if (out !== null) writeFileSync(inUnit("group.dag.dagman.out"), `${KILLED}${out}`);
  const env = { PATH: `${inUnit("tools")}:${process.env.PATH}` };
  expect((await run([...SHELL, "../bin/unit", "0"], inUnit(), env)).code).toBe(0);
  expect(existsSync(inUnit("group.dag.lock"))).toBe(stays);
  expect(existsSync(inUnit("asked"))).toBe(out === EXITED);
});
