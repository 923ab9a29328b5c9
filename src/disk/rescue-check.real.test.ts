import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { damagedRescues } from "./rescue-check.ts";

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
