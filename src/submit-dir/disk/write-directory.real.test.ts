import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleSpec } from "../../../tests/support/api-samples.ts";
import type { RequestFile } from "../../core/request.ts";
import { program, RUN, TOP, WORKER } from "../names.ts";
import { writePayload } from "./write-directory.ts";

const step = (...argv: string[]) => sampleSpec({ steps: [{ name: "s", argv, env: {} }] });
const script = (text: string): RequestFile => ({
  path: "work.sh",
  executable: true,
  sha256: createHash("sha256").update(text).digest("hex"),
  content: Buffer.from(text),
});

test.each([
  ["no step names it", step("sh", "-c", "true"), [], false],
  ["a step is it", step("wms2/simulate", "RECO"), [], true],
  ["a step's words name it", step("sh", "-c", "./wms2/simulate GEN"), [], true],
  ["a file of the request names it", step("./work.sh"), [script("exec wms2/simulate GEN\n")], true],
] as const)("the simulator travels only where it is named: %s", async (_, spec, files, travels) => {
  const dir = mkdtempSync(join(tmpdir(), "wms2-payload-"));
  try {
    await writePayload(dir, spec, files, "");
    expect(existsSync(join(dir, WORKER, "simulate"))).toBe(travels);
    expect(existsSync(join(dir, TOP.payload))).toBe(true);
    expect(existsSync(join(dir, program(RUN)))).toBe(true);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
