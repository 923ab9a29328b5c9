import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { parseRescue } from "../../engines/format/rescue.ts";
import { damagedRescues, nameDone, setRescueAside } from "./rescue-check.ts";

it("finds damaged rescue files of the workflow and of units", async () => {
  const dir = tempDir("rescue");
  const good = "# Nodes premarked DONE: 1\nDONE a\n";
  mkdirSync(join(dir, "mg_000000"));
  writeFileSync(join(dir, "workflow.dag.rescue001"), "rubbish");
  writeFileSync(join(dir, "workflow.dag.rescue002"), good);
  writeFileSync(join(dir, "mg_000000", "group.dag.rescue001"), good);
  expect(await damagedRescues(dir)).toEqual([]);
  writeFileSync(join(dir, "mg_000000", "group.dag.rescue002"), "# Nodes premarked DONE: 2\nDONE a\n");
  writeFileSync(join(dir, "workflow.dag.rescue003"), "");
  expect((await damagedRescues(dir)).map(({ file }) => file)).toEqual([
    "workflow.dag.rescue003",
    "mg_000000/group.dag.rescue002",
  ]);
  expect(await damagedRescues(join(dir, "gone"))).toEqual([]);
});

it("sets the damaged one of a unit aside, so that the one before it counts, and may do so again", async () => {
  const dir = tempDir("rescue");
  mkdirSync(join(dir, "mg_000000"));
  writeFileSync(join(dir, "mg_000000", "group.dag.rescue001"), "# Nodes premarked DONE: 1\nDONE a\n");
  writeFileSync(join(dir, "mg_000000", "group.dag.rescue002"), "");
  const [found] = await damagedRescues(dir);
  expect(found).toMatchObject({ unit: "mg_000000", file: "mg_000000/group.dag.rescue002", why: "it is empty" });
  for (let turn = 0; turn < 2; turn += 1) await setRescueAside(dir, "mg_000000", "mg_000000/group.dag.rescue002");
  expect(await damagedRescues(dir)).toEqual([]);
  expect(readdirSync(join(dir, "mg_000000")).sort()).toEqual(["group.dag.rescue001", "group.dag.rescue002.aside"]);
});

it("says what is done where a DAGMan broke off and left its lock, and nowhere else", async () => {
  const dir = tempDir("rescue");
  const rescues = () => readdirSync(dir).filter((name) => name.includes(".rescue"));
  await nameDone(dir, ["mg_000000"]);
  writeFileSync(join(dir, "workflow.dag.lock"), "PID = 1\n");
  await nameDone(dir, ["mg_000000"]);
  expect(rescues()).toEqual([]);
  const banner = "11/16/26 16:58:11 ** condor_scheduniv_exec.4.0 (CONDOR_DAGMAN) STARTING UP\n";
  const exit = "11/16/26 16:58:12 **** condor_scheduniv_exec.4.0 (condor_DAGMAN) pid 339 EXITING WITH STATUS 1\n";
  writeFileSync(join(dir, "workflow.dag.dagman.out"), banner + exit);
  writeFileSync(join(dir, "workflow.dag.rescue001"), "# Nodes premarked DONE: 1\nDONE mg_000001\n");
  await nameDone(dir, ["mg_000000"]);
  await nameDone(dir, ["mg_000000"]);
  expect(rescues()).toEqual(["workflow.dag.rescue001", "workflow.dag.rescue002"]);
  const { done, complete } = parseRescue(readFileSync(join(dir, "workflow.dag.rescue002"), "utf8"));
  expect([[...done], complete]).toEqual([["mg_000000", "mg_000001"], true]);
  expect(await damagedRescues(dir)).toEqual([]);
});
