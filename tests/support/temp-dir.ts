import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory of the running test's own, removed when it ends. */
export function tempDir(what = "test"): string {
  const dir = mkdtempSync(join(tmpdir(), `wms2-${what}-`));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
