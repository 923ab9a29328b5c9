import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../../tests/support/eventually.ts";
import type { TaskEnd } from "./task-files.ts";
import { Tasks } from "./tasks.ts";

test("nothing begins before whoever writes down what is about to begin has done so, however long that takes", async () => {
  const dir = mkdtempSync(join(tmpdir(), "wms2-tasks-"));
  const asked: number[] = [];
  const ends: TaskEnd[] = [];
  const tasks = new Tasks(dir, { PATH: "/usr/bin:/bin" }, () => void asked.push(1));
  try {
    tasks.write(1, { cwd: dir, argv: ["true"], environment: [], stdout: null, stderr: null });
    tasks.start(1, (end) => void ends.push(end));
    await eventually("it asked to be flushed, twice", () => asked.length >= 2);
    expect(existsSync(tasks.statePath(1))).toBe(false);
    tasks.flush();
    await eventually("it ended", () => ends.length > 0);
    expect(ends).toMatchObject([{ exit: { kind: "exited", code: 0 } }]);
  } finally {
    tasks.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
});
