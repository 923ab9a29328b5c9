import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

/** A clone after `npm ci --omit=dev`: its tools for developers are not there, and nobody may fetch them. */
function cloneForUse(): string {
  const clone = tempDir("clone");
  cpSync(resolve(import.meta.dirname, "../../scripts"), join(clone, "scripts"), { recursive: true });
  for (const dir of ["src", "lab", "web", "migrations", "dist", "node_modules"]) mkdirSync(join(clone, dir));
  for (const file of ["package-lock.json", "tsconfig.json", "node_modules/.package-lock.json"])
    writeFileSync(join(clone, file), "{}");
  for (const name of ["npm", "npx"])
    writeFileSync(join(clone, name), `#!/bin/sh\necho "${name} $*" >>"${clone}/called"\nexit 1\n`, { mode: 0o755 });
  return clone;
}

const run = (clone: string, script: string) =>
  spawnSync("sh", [join(clone, "scripts", script)], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${clone}:${process.env.PATH}` },
  });

test.each(["build", "ready"])("scripts/%s leaves a ready dist alone without the development dependencies", (script) => {
  const clone = cloneForUse();
  writeFileSync(join(clone, "dist/.wms2-built"), "");
  writeFileSync(join(clone, "dist/kept.js"), "kept");
  writeFileSync(join(clone, "src/newer.ts"), "");
  utimesSync(join(clone, "dist/.wms2-built"), 0, 0);
  const { status, stderr } = run(clone, script);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("stays as it is") });
  expect(readFileSync(join(clone, "dist/kept.js"), "utf8")).toBe("kept");
  expect(() => readFileSync(join(clone, "called"))).toThrow("ENOENT");
});

test("without a dist, scripts/ready says what building needs", () => {
  const { status, stderr } = run(cloneForUse(), "ready");
  expect(status).toBe(1);
  expect(stderr).toContain("npm ci");
});
