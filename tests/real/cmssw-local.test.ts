import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ARCH, hasPython, installCmssw, RELEASE } from "../support/cmssw/install.ts";
import { ServerUnderTest } from "../support/server.ts";

/** From a request to merged files, with jobs that run the stand-in for CMS's software on the local engine. */

const root = mkdtempSync(join(tmpdir(), "wms2-cvmfs-"));
const servers: ServerUnderTest[] = [];
afterAll(async () => {
  for (const server of servers) {
    await server.stop();
    await server.remove();
  }
  rmSync(root, { recursive: true, force: true });
});

const pset = (name: string, source: string, module: string, tier: string) => `
import FWCore.ParameterSet.Config as cms
process = cms.Process("${name}")
process.source = cms.Source("${source}")
process.${module} = cms.OutputModule("PoolOutputModule", fileName=cms.untracked.string("x.root"),
    dataset=cms.untracked.PSet(dataTier=cms.untracked.string("${tier}")))
`;
const attached = (text: string) => ({ content_base64: Buffer.from(text).toString("base64") });
const SOFTWARE = { release: RELEASE, scram_arch: [ARCH] };

describe.skipIf(!hasPython)("payload: cmssw", () => {
  test("GEN and RECO of a small request, up to one merged file with its lumis and adler32", async () => {
    const server = new ServerUnderTest({ "cmssw.cmsset": installCmssw(root) });
    servers.push(server);
    await server.start();
    const name = await server.submit({
      name: "gen-reco",
      kind: "generate",
      events: 40,
      events_per_lumi: 5,
      split: { by: "events", events_per_job: 20 },
      unit: { jobs: 2 },
      payload: "cmssw",
      steps: [
        { name: "GEN", ...SOFTWARE, pset: "gen.py" },
        { name: "RECO", ...SOFTWARE, pset: "reco.py", input_module: "RAWSIMoutput", tier: "AODSIM" },
      ],
      attachments: {
        "gen.py": attached(pset("GEN", "EmptySource", "RAWSIMoutput", "GEN-SIM")),
        "reco.py": attached(pset("RECO", "PoolSource", "AODSIMoutput", "AODSIM")),
      },
    });
    const done = await server.until(name, ["completed", "held", "failed"], 90);
    expect(done).toMatchObject({ status: "completed" });
    const merged = join(server.dataDir, "storage/merged", name, "reco/mg_000000.root");
    const events = readFileSync(merged, "utf8").trim().split("\n");
    expect(events.map((line) => Number(line.split(" ")[2]))).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(new Set(events.map((line) => line.split(" ")[1]))).toEqual(
      new Set(["1", "2", "3", "4", "5", "6", "7", "8"]),
    );
  });
});
