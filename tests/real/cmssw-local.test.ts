import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Emulated, startEmulators } from "../../lab/emulate/index.ts";
import type { DbsFileRow } from "../../lab/emulate/world.ts";
import { ARCH, hasPython, installCmssw, RELEASE } from "../support/cmssw/install.ts";
import { ServerUnderTest } from "../support/server.ts";

/** From a request to merged files, with jobs that run the stand-in for CMS's software on the local engine. */

const root = mkdtempSync(join(tmpdir(), "wms2-cvmfs-"));
const servers: ServerUnderTest[] = [];
const emulators: Emulated[] = [];
afterAll(async () => {
  for (const server of servers) {
    await server.stop();
    await server.remove();
  }
  for (const services of emulators) await services.close();
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

const SITES = ["T2_XX_Alpha", "T2_XX_Beta"];

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

  test("a StepChain of ReqMgr2 runs the configurations of its cache, and DBS has its lumis", async () => {
    const services = await startEmulators({ sites: SITES });
    emulators.push(services);
    const sites = SITES.map((name) => ({ name, cores: 2, memory_mb: 4000 }));
    const settings = { ...services.settings, "cmssw.cmsset": installCmssw(root), "engine.local.sites": sites };
    const server = new ServerUnderTest(settings);
    servers.push(server);
    await server.start();
    const name = await server.submit({
      request_name: "emulate_demo_GEN_RECO_260715_101010_1234",
      source: "reqmgr2",
      unit: { jobs: 4 },
    });
    const done = await server.until(name, ["completed", "held", "failed"], 150);
    expect(done).toMatchObject({ status: "completed" });
    const asked = services.calls().filter(({ path }) => path.includes("configFile"));
    expect(asked.map(({ path }) => path.split("/").at(-2))).toEqual(["emulated_gen", "emulated_reco"]);
    const files = Object.values(services.state()["dbs.files"] ?? {}) as DbsFileRow[];
    const made = files.filter(({ row }) => String(row.logical_file_name).startsWith("/store/mc/"));
    expect(made).toMatchObject([{ row: { event_count: 400, adler32: expect.stringMatching(/^[0-9a-f]{8}$/) } }]);
    expect(made[0]?.lumis).toHaveLength(8);
  }, 200_000);
});
