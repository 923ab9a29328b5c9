import { chmodSync, copyFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import { CMSMERGE, CMSRUN } from "../../src/core/cms.ts";
import { CMSSW_FILES, FACTS_FILE } from "../../src/submit-dir/payload/files.ts";
import { ARCH, installCmssw, RELEASE } from "./cmssw/install.ts";
import { NODE, type TestOutput, type TestStep, TestUnit } from "./payload-scratch.ts";

/** Work units whose jobs run cmsRun of a stand-in release. */
export const units: TestUnit[] = [];
afterEach(() => {
  for (const unit of units.splice(0)) unit.remove();
});

export const PARAMETERS = {
  input: null as { step: string; module: string } | null,
  cores: 2,
  streams: 0,
  seeding: "ReproducibleSeeding",
  lhe: false,
  eventsPerLumi: 10,
  deterministicPileup: false,
  pileup: { mc: null as string | null, data: null as string | null },
  outputs: [] as { file: string; module: string | null; tier: string; filter?: string }[],
};
export interface Step extends TestStep {
  /** Its line in wms2/facts. */
  readonly fact: string;
}
export const step = (name: string, given: Partial<typeof PARAMETERS>, archs = ARCH): Step => {
  const parameters = JSON.stringify({ ...PARAMETERS, name, pset: `cmssw/${name}.py`, ...given });
  return { name, argv: [CMSRUN, name], fact: ["step", name, RELEASE, archs, parameters].join("\t") };
};
export const MERGE: TestOutput = { name: "aod", file: "RECO-AOD.root", merge: "command", mergeArgv: [CMSMERGE, "aod"] };
export const MERGE_FACT = ["merge", "aod", RELEASE, ARCH, '{"merge":"AODSIM"}'].join("\t");

export const SEEDED = `process.add_(cms.Service("RandomNumberGeneratorService",
    generator=cms.PSet(initialSeed=cms.untracked.uint32(1)), VtxSmeared=cms.PSet(initialSeed=cms.untracked.uint32(2))))`;
export const output = (label: string, tier: string, filter = "") =>
  `process.${label} = cms.OutputModule("PoolOutputModule", fileName=cms.untracked.string("x.root"),
    dataset=cms.untracked.PSet(dataTier=cms.untracked.string("${tier}"), filterName=cms.untracked.string("${filter}")))`;
export const pset = (name: string, source: string, ...lines: string[]) =>
  [
    "import FWCore.ParameterSet.Config as cms",
    `process = cms.Process("${name}")`,
    `process.source = cms.Source("${source}")`,
    ...lines,
  ].join("\n");
export const fault = (what: string) => `process.standin = cms.PSet(fault=cms.string("${what}"))`;

export const GEN = pset("GEN", "EmptySource", SEEDED, output("RAWSIMoutput", "GEN-SIM"));
export const RECO = pset("RECO", "PoolSource", output("AODoutput", "AODSIM"), output("DQMoutput", "DQMIO"));

export type Node = Partial<typeof NODE>;
export interface Given {
  readonly psets: Record<string, string>;
  readonly nodes?: Record<string, Node>;
  readonly outputs?: readonly TestOutput[];
  readonly installation?: (cmsset: string) => string;
}

export function unitOf(
  steps: readonly Step[],
  { psets, nodes = { proc_000000: {} }, outputs = [MERGE], ...given }: Given,
) {
  const full = Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, { ...NODE, ...node }]));
  const unit = new TestUnit(
    steps.map(({ fact: _, ...own }) => own),
    outputs,
    full,
  );
  units.push(unit);
  for (const { source, target, executable } of CMSSW_FILES) {
    copyFileSync(fileURLToPath(source), unit.path(target));
    chmodSync(unit.path(target), executable ? 0o755 : 0o644);
  }
  const cmsset = installCmssw(unit.path("cvmfs"));
  const facts = [...steps.map(({ fact }) => fact), MERGE_FACT].join("\n");
  unit.write(FACTS_FILE, `${given.installation?.(cmsset) ?? `cmsset\t${cmsset}\n`}${facts}\n`);
  for (const [name, text] of Object.entries(psets)) unit.write(`payload/cmssw/${name}.py`, text);
  return unit;
}

export const eventsIn = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [run, lumi, event, ...history] = line.split(" ");
      return { run, lumi, event, history };
    });

export const CHAIN = [
  step("GEN", {}),
  step("RECO", {
    input: { step: "GEN", module: "RAWSIMoutput" },
    outputs: [{ file: MERGE.file, module: null, tier: "AODSIM" }],
  }),
];
export const TWO_JOBS = {
  proc_000000: { firstEvent: 1, lastEvent: 25, firstLumi: 1, lastLumi: 3, events: 25, seed: 11 },
  proc_000001: { firstEvent: 26, lastEvent: 50, firstLumi: 4, lastLumi: 6, events: 25, seed: 12 },
};
