import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulated, startEmulators } from "../../../lab/emulate/index.ts";
import type { InputSpec } from "../../core/work.ts";
import type { InputFile } from "../../core/workflow.ts";
import { type CmsOptions, makeCmsServices } from "./cms-services.ts";
import { makeCmsDatasets, type SitesByRse } from "./datasets.ts";
import type { CmsServices } from "./services.ts";
import { makeCmsSites, sitesByRse } from "./sites.ts";

const DATA = "/Muons/Run2026A-v1/RAW";
const PILEUP = "/MinBias/Sim2026-v1/GEN-SIM";
const TAPED = "/Old/Run2020A-v1/RAW";
const block = (dataset: string, at: number) => `${dataset}#00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
const at = (dataset: string, more: Partial<InputSpec> = {}) =>
  ({ from: "dataset", dataset, mask: { runs: [], lumis: null }, ...more }) as InputSpec;

let emulated: Emulated;
let services: CmsServices;
beforeAll(async () => {
  emulated = await startEmulators({
    dbsCallsPerSec: 10_000,
    seed: {
      accounts: { wms2: {} },
      rses: { T1_XX_One_Disk: {}, T2_XX_Two: {}, T1_XX_One_Tape: { type: "TAPE" } },
      sites: { T1_XX_One: { rses: ["T1_XX_One_Disk"] }, T2_XX_Two: { rses: ["T2_XX_Two"] }, T3_XX_None: {} },
      datasets: {
        [DATA]: { blocks: 6, files_per_block: 3, lumis_per_file: 2, rses: ["T1_XX_One_Disk", "T1_XX_One_Tape"] },
        [PILEUP]: { blocks: 2, files_per_block: 2, rses: ["T2_XX_Two", "T1_XX_One_Disk"] },
        [TAPED]: { rses: ["T1_XX_One_Tape"], files_per_block: 1 },
        "/Gone/Run2020A-v1/RAW": { access_type: "INVALID" },
      },
    },
  });
  const options: CmsOptions = {
    reqmgr2Url: emulated.urls.reqmgr2,
    configCacheUrl: emulated.urls.configCache,
    dbsReaderUrl: emulated.urls.dbsReader,
    dbsWriterUrl: emulated.urls.dbsWriter,
    rucioUrl: emulated.urls.rucio,
    rucioAuthUrl: emulated.urls.rucioAuth,
    rucioAccount: "wms2",
    cricUrl: emulated.urls.cric,
    proxyFile: emulated.proxyFile,
    certFile: null,
    keyFile: null,
    caFile: emulated.caFile,
    connectTimeoutSec: 5,
    answerTimeoutSec: 10,
    silenceTimeoutSec: 10,
    peaceSec: 30,
  };
  services = makeCmsServices(options, {
    clock: { now: () => new Date() },
    log: { info() {}, warn() {}, error() {} },
    metrics: { observeCall() {} },
    wait: async () => {},
  });
});
afterAll(async () => {
  await services.close();
  await emulated.close();
});

const byRse = async (): Promise<SitesByRse> => sitesByRse(await makeCmsSites(services, null).list());
const datasets = () => makeCmsDatasets(services, byRse);
async function read(input: InputSpec, lumis = false): Promise<readonly InputFile[]> {
  const opened = await datasets().open(input, { lumis });
  if (!opened.ok) throw new Error(opened.error.message);
  const files: InputFile[] = [];
  for await (const page of opened.value) files.push(...page);
  return files;
}

test("CRIC's sites come with the storage they read, those without too", async () => {
  expect(await makeCmsSites(services, null).list()).toEqual([
    { name: "T1_XX_One", rses: ["T1_XX_One_Disk"] },
    { name: "T2_XX_Two", rses: ["T2_XX_Two"] },
    { name: "T3_XX_None", rses: [] },
  ]);
});

test("files come in the order of their blocks, with events and sites; lumis only when asked for", async () => {
  const files = await read(at(DATA));
  expect(files.map(({ lfn }) => lfn.replace(/.*\//, ""))).toEqual(
    Array.from({ length: 18 }, (_, index) => `b${Math.floor(index / 3)}f${index % 3}.root`),
  );
  expect(files[0]).toMatchObject({ events: 100, sizeBytes: 1_000_000, lumis: [], sites: ["T1_XX_One"] });
  expect(files[0]?.path).toBe(files[0]?.lfn);
  expect((await read(at(DATA), true))[1]?.lumis).toEqual([{ run: 1, lumis: [3, 4] }]);
});

test("lists of blocks are honoured, and invalid files are left out", async () => {
  const blocks = { allow: [block(DATA, 1), block(DATA, 2)], deny: [block(DATA, 2)] };
  const files = await read(at(DATA, { blocks }));
  expect(files).toHaveLength(3);
  await services.dbs.invalidateFile(files[0]!.lfn);
  expect(await read(at(DATA, { blocks }))).toEqual(files.slice(1));
});

test.each([
  ["that nobody knows", "/No/Such-v1/RAW", {}, "unknown-dataset", /no dataset/],
  ["that is invalid", "/Gone/Run2020A-v1/RAW", {}, "unknown-dataset", /VALID or PRODUCTION/],
  ["of which no block is left", DATA, { allow: ["/x/y/z#1"], deny: [] }, "empty-dataset", /lists leave of its 6/],
])("a dataset %s is a problem with a code", async (_story, dataset, blocks, code, words) => {
  const choice = "allow" in blocks ? { blocks } : {};
  const opened = await datasets().open(at(dataset, choice as Partial<InputSpec>), { lumis: false });
  expect(opened).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(words) } });
});

test("what no site reads is at its storage, so that nothing is planned for it and the reason names it", async () => {
  expect((await read(at(TAPED)))[0]?.sites).toEqual(["T1_XX_One_Tape"]);
});

test("a secondary input is where all of its files are", async () => {
  expect(await datasets().locate(PILEUP)).toEqual({ ok: true, value: ["T1_XX_One", "T2_XX_Two"] });
  expect(await datasets().locate("/No/Such-v1/RAW")).toMatchObject({ ok: false, error: { code: "unknown-dataset" } });
});

test("an answer that breaks off in the middle ends the reading: what came before it is not the whole", async () => {
  emulated.faults({ do: "half", service: "dbs", path: "/filelumis", times: 50 });
  await expect(read(at(DATA), true)).rejects.toMatchObject({ code: "catalog-unreachable" });
  emulated.clearFaults();
});
