import { expect, test } from "vitest";
import { generateSpec, planRound, sampleFacts } from "../../../tests/support/sample-facts.ts";
import { submitFile } from "./submit-files.ts";

const submitted = (gpuKind?: {
  capabilities: string[];
  memoryMb: number | null;
  runtime: string | null;
  name: string | null;
}) => {
  const spec = generateSpec({});
  const resources = { ...spec.resources, gpus: 1, ...(gpuKind && { gpuKind }) };
  const outcome = planRound(sampleFacts({ ...spec, resources }));
  if (outcome.kind !== "planned") throw new Error(outcome.kind);
  const options = { avoidHostSec: 60, holdRemovalSec: 60 } as Parameters<typeof submitFile>[2];
  const of = (role: "processing" | "merge") =>
    submitFile(role, outcome.plan, options)
      .split("\n")
      .filter((line) => line.includes("_gpus"));
  return { processing: of("processing"), merge: of("merge") };
};

test("the kind of GPU is matched by what the pool tells of its GPUs, for the jobs that use one", () => {
  const kind = { capabilities: ["7.5", "8.0"], memoryMb: 8000, runtime: "12.2", name: 'T4 "x"' };
  expect(submitted(kind)).toEqual({
    processing: [
      "request_gpus = 1",
      'require_gpus = (Capability == 7.5 || Capability == 8.0) && GlobalMemoryMb >= 8000 && MaxSupportedVersion >= 12020 && DeviceName == "T4 \\"x\\""',
    ],
    merge: [],
  });
  expect(submitted().processing).toEqual(["request_gpus = 1"]);
});
