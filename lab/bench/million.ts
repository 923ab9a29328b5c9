import { inPages } from "../../src/catalogs/port.ts";
import type { SiteName } from "../../src/core/names.ts";
import type { SplitAlgorithm } from "../../src/core/work.ts";
import type { InputFile } from "../../src/core/workflow.ts";
import { packFiles } from "../../src/planning/packed-files.ts";
import { checkPlan, planRound, processSpec, sampleFacts } from "../../tests/support/sample-facts.ts";

const LUMIS_PER_FILE = 30;
const FILES_PER_PAGE = 500;
const SITES = ["T1_US_FNAL", "T2_CH_CERN", "T2_DE_DESY"] as SiteName[];

/** data: lumis follow each other, in many runs. mc: all of run 1, those of a file far from each other. */
type Lumis = "data" | "mc";

/**
 * What planning and checking so many files takes, as they come in pages from a catalog. The peak is that of the whole process:
 * one algorithm per process.
 */
export async function run({ files, algorithm, lumis }: { files: number; algorithm: SplitAlgorithm; lumis: Lumis }) {
  const needsLumis = algorithm === "LumiBased" || algorithm === "EventAwareLumiBased";
  const packed = await packFiles(pages(files, needsLumis ? lumis : null));
  const packedRssMb = peakRssMb();
  const split = { algorithm, filesPerJob: 2, eventsPerJob: 3000, lumisPerJob: LUMIS_PER_FILE };
  const policy = { maxNodesPerRound: files * LUMIS_PER_FILE, maxNodesPerRequest: files * LUMIS_PER_FILE };
  const facts = sampleFacts(processSpec({ split }), { files: packed, policy });
  const begun = performance.now();
  const outcome = planRound(facts);
  if (outcome.kind !== "planned") throw new Error(`not planned: ${outcome.kind}`);
  if (checkPlan(outcome.plan, facts).length > 0) throw new Error("the plan is not sound");
  const seconds = Math.round(performance.now() - begun) / 1000;
  return {
    files,
    algorithm,
    jobs: outcome.plan.summary.nodesByRole.processing,
    seconds,
    packedRssMb,
    peakRssMb: peakRssMb(),
  };
}

const peakRssMb = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

async function* pages(files: number, lumis: Lumis | null) {
  for (let first = 0; first < files; first += FILES_PER_PAGE) {
    const made = Array.from({ length: Math.min(FILES_PER_PAGE, files - first) }, (_, at) =>
      makeFile(first + at, files, lumis),
    );
    // As text and back: what comes from a catalog shares nothing.
    yield* inPages(JSON.parse(JSON.stringify(made)) as InputFile[]);
  }
}

function makeFile(index: number, files: number, lumis: Lumis | null): InputFile {
  const group = String(Math.floor(index / 1000)).padStart(7, "0");
  const name = `${index.toString(16).padStart(8, "0")}-6d5c-4a1b-9c3b-7a6d5e4f3c2b.root`;
  const lfn = `/store/mc/Run3Summer22/TTto2L2Nu_TuneCP5_13p6TeV/AODSIM/124X_mcRun3_v12-v2/${group}/${name}`;
  const run = lumis === "mc" ? 1 : 1 + Math.floor(index / 1000);
  const numbers = Array.from({ length: LUMIS_PER_FILE }, (_, at) =>
    lumis === "mc" ? 1 + index + at * files : 1 + (index % 1000) * LUMIS_PER_FILE + at,
  );
  return {
    lfn,
    path: lfn,
    sizeBytes: 3_000_000_000 + index,
    events: 3000,
    lumis: lumis === null ? [] : [{ run, lumis: numbers }],
    sites: index % 3 === 0 ? [SITES[1]!] : SITES,
  };
}
