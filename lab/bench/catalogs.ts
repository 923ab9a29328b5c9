import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { makeCmsServices } from "../../src/catalogs/cms/cms-services.ts";
import { makeCmsDatasets } from "../../src/catalogs/cms/datasets.ts";
import type { CmsServices } from "../../src/catalogs/cms/services.ts";
import { makeCmsSites, sitesByRse } from "../../src/catalogs/cms/sites.ts";
import { loadConfig } from "../../src/config/load.ts";
import { cmsOptions } from "../../src/main.ts";
import { packFiles } from "../../src/planning/packed-files.ts";
import { REGISTERED, register } from "./register.ts";

const DATASET = "/Muons/Run2026A-v1/RAW";
const FILES_PER_BLOCK = 2000;
const LUMIS_PER_FILE = 2;

/** So many files with lumis, from DBS and Rucio over HTTPS into the form the planner takes. */
export async function run({ files }: { files: number }) {
  const rses = ["T1_XX_One_Disk", "T2_XX_Two"];
  const dataset = {
    generated: true,
    blocks: Math.ceil(files / FILES_PER_BLOCK),
    files_per_block: FILES_PER_BLOCK,
    rses,
  };
  const emulator = await startEmulator({
    accounts: { wms2: {} },
    rses: { ...Object.fromEntries(rses.map((rse) => [rse, {}])), T1_XX_One_Tape: { type: "TAPE" } },
    sites: { T1_XX_One: { rses: [rses[0]] }, T2_XX_Two: { rses: [rses[1]] } },
    datasets: { [DATASET]: { ...dataset, lumis_per_file: LUMIS_PER_FILE, events_per_file: 1000 } },
  });
  try {
    // In a process of its own: peak memory is counted per process.
    const settings = JSON.stringify(emulator.settings);
    const read = JSON.parse(
      execFileSync(process.execPath, [process.argv[1] ?? "", "catalogs-read", settings, "--json"], {
        encoding: "utf8",
      }),
    );
    const before = await callsSoFar(emulator.child);
    const services = servicesAt(settings);
    const { seconds } = await register(services);
    await services.close();
    return {
      files,
      lumisPerFile: LUMIS_PER_FILE,
      ...read,
      registeredFilesPerSecond: Math.round(REGISTERED.files / seconds),
      callsPerUnit: ((await callsSoFar(emulator.child)) - before) / REGISTERED.units,
    };
  } finally {
    emulator.child.disconnect();
  }
}

async function startEmulator(seed: object): Promise<{ child: ChildProcess; settings: object }> {
  const child = fork(fileURLToPath(new URL("./emulator.js", import.meta.url)), [JSON.stringify(seed)]);
  const [{ settings }] = await once(child, "message");
  return { child, settings };
}

async function callsSoFar(child: ChildProcess): Promise<number> {
  child.send("calls");
  const [{ calls }] = await once(child, "message");
  return calls;
}

function servicesAt(settings: string): CmsServices {
  const { config } = loadConfig({ environment: {}, flags: { ...JSON.parse(settings), data_dir: "/nonexistent" } });
  return makeCmsServices(cmsOptions(config), {
    clock: { now: () => new Date() },
    log: { info() {}, warn() {}, error() {} },
    metrics: { observeCall() {} },
  });
}

/** The reading alone, as the process that is measured. */
export async function read({ settings }: { settings: string }) {
  const services = servicesAt(settings);
  const byRse = sitesByRse(await makeCmsSites(services, null).list());
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const mask = { runs: [], lumis: null };
  const datasets = makeCmsDatasets(services, async () => byRse);
  const opened = await datasets.open({ from: "dataset", dataset: DATASET, mask }, { lumis: true });
  if (!opened.ok) throw new Error(opened.error.message);
  const files = await packFiles(opened.value);
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    filesPerSecondRead: Math.round(files.length / seconds),
    filesPerCpuSecondRead: Math.round(files.length / ((user + system) / 1e6)),
    peakRssMb1M: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}
