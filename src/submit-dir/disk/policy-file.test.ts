import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import type { StepSpec } from "../../core/request.ts";
import { policyText, type RecoveryOptions } from "../../recovery/policy-text.ts";
import { readPolicy } from "../../recovery/read-policy.ts";
import { readPolicyFile } from "./policy-file.ts";

const OPTIONS: RecoveryOptions = {
  installation: null,
  cooloffBaseSec: 60,
  firstRetryAtOnce: false,
  avoidHostSec: 600,
  maxExecutions: 7,
  abortAfterAlike: 4,
  maxMemoryPerCoreMb: 2500,
  maxMemoryMb: null,
  maxWallMinutes: 1000,
};
const SPEC = {
  steps: [] as StepSpec[],
  recovery: { holdThreshold: 0.2, maxRescues: 3, pendingClassification: false, handlers: [] },
};

function settingsOf(options: RecoveryOptions, spec: Parameters<typeof policyText>[1] = SPEC) {
  const read = readPolicy(JSON.parse(policyText(options, spec)));
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value.settings;
}

test("settings of the server reach the submit directory", () => {
  expect(settingsOf(OPTIONS)).toMatchObject({
    executionCeiling: 7,
    backoffBaseSec: 60,
    fixedDelaySec: 900,
    abortAfterAlike: 4,
    maxMemoryPerCoreMb: 2500,
    maxWallMinutes: 1000,
    pendingClassification: false,
  });
  expect(settingsOf({ ...OPTIONS, cooloffBaseSec: 0 })).toMatchObject({ backoffBaseSec: 0, fixedDelaySec: 0 });
});

test("jobs that all run in one directory may change their site, others stay where their unit is", () => {
  expect(settingsOf(OPTIONS).siteAffinity).toBe(true);
  const work = { kind: "graph", directory: "/shared" };
  expect(settingsOf(OPTIONS, { ...SPEC, work }).siteAffinity).toBe(false);
});

test("what the policy file says has the last word", async () => {
  const path = join(tempDir("policy"), "policy.yaml");
  writeFileSync(path, "settings: { execution_ceiling: 3, pending_classification: true }\n");
  const installation = await readPolicyFile(path);
  expect(settingsOf({ ...OPTIONS, installation })).toMatchObject({
    executionCeiling: 3,
    backoffBaseSec: 60,
    pendingClassification: true,
  });
});

test.each([
  ["settings: { retries: 3 }\n", /settings\.retries/],
  ["rows: [\n", /recovery\.policy_file/],
])("a file that cannot be used stops the server: %j", async (text, words) => {
  const path = join(tempDir("policy"), "policy.yaml");
  writeFileSync(path, text);
  await expect(readPolicyFile(path)).rejects.toThrow(words);
  await expect(readPolicyFile(`${path}.none`)).rejects.toThrow(/ENOENT/);
});

test("whether codes are the framework's goes by the payload", () => {
  const step = (program: string): StepSpec => ({ name: "one", argv: [program], env: {} });
  const spoken = (...programs: string[]) => settingsOf(OPTIONS, { ...SPEC, steps: programs.map(step) }).cmsCodes;
  expect([spoken("./select.sh"), spoken("python3"), spoken("./mycmsRun")]).toEqual([false, false, false]);
  expect([spoken("cmsRun"), spoken("/cvmfs/x/cmsRun"), spoken("a.sh", "wms2/simulate")]).toEqual([true, true, true]);
});
