import { expect, test } from "vitest";
import { RULES, readSubmission, stepChainDocument } from "../../../tests/support/request-documents.ts";
import { generateSpec } from "../../../tests/support/sample-facts.ts";
import { datasetConfig, dbsDataset } from "./output-files.ts";

const read = readSubmission(stepChainDocument({ MergedLFNBase: "/store/mc", PrepID: "DEMO-1" }), RULES);
if (!read.ok) throw new Error(JSON.stringify(read.error));
const { spec } = read.value;

test("what DBS is told of a dataset stands in its name and in what CMS knows of the request", () => {
  const tier = spec.cms?.outputs[0]?.tier ?? "";
  const dataset = `/DemoPD/Demo26-gen_v1-v2/${tier}`;
  expect(dbsDataset(spec, dataset)).toMatchObject({
    dataset,
    primaryType: "mc",
    acquisitionEra: "Demo26",
    processingVersion: 2,
    accessType: "PRODUCTION",
    prepId: "DEMO-1",
    config: { release: spec.cms?.steps.at(-1)?.release, globalTag: spec.cms?.steps.at(-1)?.globalTag },
  });
});

test.each(["/DemoPD/v1/RECO", "/DemoPD/RECO"])("%s names no era: refused, with what helps", (dataset) => {
  expect(dbsDataset(spec, dataset)).toMatchObject({ code: "no-era", fix: expect.stringContaining("AcquisitionEra") });
});

test("of a request that is not CMS's own, what nobody knows is said to be unknown", () => {
  expect(datasetConfig(generateSpec({}), "/a/b-v1/C")).toEqual({
    release: "unknown",
    psetHash: "unknown",
    globalTag: "unknown",
    outputModule: "Merged",
  });
});
