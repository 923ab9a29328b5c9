import type { Row } from "./http.ts";
import type { Seed } from "./seed.ts";

const DEFAULT_SITES = ["T1_US_Example", "T2_CH_Example", "T2_DE_Example"] as const;
export const RAW_DATASET = "/DemoPD/Demo26-v1/RAW";

/**
 * A small world: a T1 with disk and tape and two T2s; a dataset at all of them; a StepChain that generates and a
 * ReReco that reads, both assigned. The names of the sites are the caller's, for they must be sites of his engine.
 */
export function defaultSeed(sites: readonly string[] = DEFAULT_SITES): Seed {
  const [first = "", ...others] = sites;
  const disk = (site: string): string => (site === first ? `${site}_Disk` : site);
  const tape = `${first}_Tape`;
  const tier = (site: string): number => Number(/^T(\d)/.exec(site)?.[1] ?? 2);
  const attributes = (site: string): Row => ({ tier: tier(site), country: site.split("_")[1] ?? "", pnn: site });
  return {
    rses: {
      ...Object.fromEntries(sites.map((site) => [disk(site), { type: "DISK" as const, attributes: attributes(site) }])),
      [tape]: { type: "TAPE", attributes: attributes(first) },
    },
    accounts: { wms2: { admin: true, limits: { "*": null } } },
    sites: Object.fromEntries(sites.map((site) => [site, { rses: [disk(site)] }])),
    datasets: {
      [RAW_DATASET]: {
        blocks: 2,
        files_per_block: 6,
        events_per_file: 100,
        lumis_per_file: 4,
        first_run: 370_001,
        rses: [disk(first), ...others.map(disk)],
      },
    },
    configs: {
      emulated_gen: config("GEN", "RAWSIMoutput", false),
      emulated_reco: config("RECO", "AODSIMoutput", true),
      emulated_rereco: config("RECO", "AODoutput", true),
    },
    requests: {
      emulate_demo_GEN_RECO_260715_101010_1234: { ...ASSIGNED, ...stepChain, SiteWhitelist: [...sites] },
      emulate_demo_ReReco_260715_101010_1235: { ...ASSIGNED, ...reReco, SiteWhitelist: [...sites] },
    },
  };
}

const ASSIGNED = {
  RequestStatus: "assigned",
  Team: "wms2",
  SiteBlacklist: [],
  Campaign: "Demo26",
  RequestPriority: 8000,
  CMSSWVersion: "CMSSW_14_0_1",
  ScramArch: ["el8_amd64_gcc12"],
  GlobalTag: "GT_demo",
  AcquisitionEra: "Demo26",
  ProcessingVersion: 1,
  Memory: 2000,
  Multicore: 1,
  // WMS2's own: small units, so that there are several.
  unit: { jobs: 2 },
};
const stepChain = {
  RequestType: "StepChain",
  RequestString: "demo_GEN_RECO",
  PrepID: "DEMO-0001",
  ProcessingString: "gen_v1",
  TimePerEvent: 10,
  SizePerEvent: 300,
  MergedLFNBase: "/store/mc",
  StepChain: 2,
  Step1: {
    StepName: "GEN",
    ConfigCacheID: "emulated_gen",
    GlobalTag: "GT_demo",
    PrimaryDataset: "DemoGen",
    RequestNumEvents: 400,
    EventsPerJob: 100,
    EventsPerLumi: 50,
    KeepOutput: false,
  },
  Step2: {
    StepName: "RECO",
    ConfigCacheID: "emulated_reco",
    GlobalTag: "GT_demo",
    InputStep: "GEN",
    InputFromOutputModule: "RAWSIMoutput",
    KeepOutput: true,
  },
};
const reReco = {
  RequestType: "ReReco",
  RequestString: "demo_ReReco",
  PrepID: "DEMO-0002",
  ProcessingString: "rereco_v1",
  InputDataset: RAW_DATASET,
  ConfigCacheID: "emulated_rereco",
  SplittingAlgo: "FileBased",
  FilesPerJob: 3,
  TimePerEvent: 1,
  SizePerEvent: 200,
  MergedLFNBase: "/store/data",
};

const config = (name: string, output: string, reads: boolean): string => `import FWCore.ParameterSet.Config as cms

process = cms.Process("${name}")
process.source = cms.Source("${reads ? "PoolSource" : "EmptySource"}"${reads ? ", fileNames = cms.untracked.vstring()" : ""})
process.maxEvents = cms.untracked.PSet(input = cms.untracked.int32(10))
process.options = cms.untracked.PSet()
process.${output} = cms.OutputModule("PoolOutputModule",
    fileName = cms.untracked.string("${output}.root"),
    dataset = cms.untracked.PSet(dataTier = cms.untracked.string("${TIER[output]}")))
process.out = cms.EndPath(process.${output})
`;
const TIER: Readonly<Record<string, string>> = {
  RAWSIMoutput: "GEN-SIM-RAW",
  AODSIMoutput: "AODSIM",
  AODoutput: "AOD",
};
