import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../tests/support/eventually.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { EndWatch } from "./end-watch.ts";

test("the last file of a DAGMan is heard of once; what goes on in its directory, or in others, is not", async () => {
  const [dir, other] = [tempDir("ends"), tempDir("ends")];
  const ends = new EndWatch();
  onTestFinished(() => ends.keepOnly([]));
  let told = 0;
  ends.listen(() => {
    told += 1;
  });
  ends.keepOnly([{ submitDir: dir }, { submitDir: other }, { submitDir: join(dir, "gone") }]);
  ends.keepOnly([{ submitDir: dir }]);
  for (const name of ["workflow.dag.status", "workflow.dag.dagman.out"]) writeFileSync(join(dir, name), "");
  writeFileSync(join(other, "workflow.dag.metrics"), "{}");
  writeFileSync(join(dir, "workflow.dag.metrics"), "{}");
  writeFileSync(join(dir, "workflow.dag.metrics"), "{ }");
  await eventually("it is told", () => told > 0);
  expect(told).toBe(1);
});

test("a directory that is removed meanwhile disturbs nobody", async () => {
  const dir = join(tempDir("ends"), "run");
  mkdirSync(dir);
  const ends = new EndWatch();
  ends.keepOnly([{ submitDir: dir }]);
  rmSync(dir, { recursive: true });
  ends.keepOnly([]);
});
