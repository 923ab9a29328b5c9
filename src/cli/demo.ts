import { join } from "node:path";
import { complaints, type DemoResult, gatherResult, prove, REAL } from "../../lab/demo/check.ts";
import { runCmsDemo } from "../../lab/demo/cms.ts";
import { makeDataset } from "../../lab/demo/dataset.ts";
import { type DemoDirs, demoSettings, freshDirs, keepServer, writeRequests } from "../../lab/demo/dirs.ts";
import { demoSummary } from "../../lab/demo/summary.ts";
import type { Config } from "../config/settings.ts";
import { requestUrl } from "../core/base/desk-url.ts";
import { type Client, makeClient } from "./client.ts";
import { command } from "./command.ts";
import { follow } from "./follow.ts";
import { readRequestFile } from "./request-file.ts";
import { abortAll, stopOnSignal } from "./run/stop.ts";
import { stopLocalEngine } from "./run/stop-engine.ts";
import { personShow } from "./shows.ts";
import { lookAt, print, talk } from "./terminal.ts";

export const addDemo = command("demo", {
  about: "a demonstration that needs no setup: a real and a simulated request, with failures and recovery",
  options: {
    "--keep": "leave the server up afterwards, to look around",
    "--cms": "instead: two documents from an emulated ReqMgr2 to archived blocks, with Rucio away in the middle",
    "--engine <kind>": { about: "what runs the jobs", choices: ["local", "dagman"] },
  },
  json: null,
  examples: [
    "wms2 demo",
    "wms2 demo --keep                 then: wms2 --data-dir .wms2/demo/server list",
    "wms2 demo --cms",
    "wms2 demo --engine dagman        on HTCondor (WMS2_ENGINE_DAGMAN_PREFIX reaches a pool elsewhere)",
  ],
  more: `Files go to .wms2/demo (or --data-dir) and stay there; the next demo replaces them. Exits with 0 only when both
requests completed, every failure was recovered and the result was proven right.`,
  async run({ options }) {
    const began = Date.now();
    const dirs = freshDirs(options.dataDir);
    if (options.cms === true) {
      process.exitCode = await runCmsDemo(dirs, options.engine, began);
      return;
    }
    const config = demoSettings(dirs, options.engine, options.config);
    process.exitCode = await runDemo(dirs, config, options.keep === true, began);
  },
});

async function runDemo(dirs: DemoDirs, config: Config, keep: boolean, began: number): Promise<number> {
  const stop = stopOnSignal();
  talk(`making a dataset and starting a server in ${dirs.root} …`);
  const dataFolder = join(dirs.inputs, "data");
  makeDataset(dataFolder);
  const files = writeRequests(dirs.inputs);
  const { startServer } = await import("../main.ts");
  const server = await startServer(config);
  const client = makeClient(() => ({ url: server.url, token: server.token }));
  let results: readonly DemoResult[] = [];
  let leftOver: readonly number[];
  try {
    const names = await submitAll(client, files);
    const watched = await follow(client, names, personShow(process.stdout), { everyMs: 250, signal: stop.signal });
    if (stop.signal.aborted) await abortAll(client, watched);
    else results = await Promise.all(watched.map((one) => gatherResult(client, one)));
  } finally {
    await server.close();
    leftOver = await stopLocalEngine(config.data_dir);
    stop.forget();
  }
  if (leftOver.length) talk(`these processes did not end: ${leftOver.join(", ")}`);
  if (stop.signal.aborted) {
    talk("stopped; no process is left running");
    return 130;
  }
  const real = results.find(({ watched }) => watched.request.request_name === REAL);
  const proof = real && real.outputs.length > 0 ? prove(dataFolder, real) : null;
  const problems = complaints(results, proof);
  print(demoSummary(results, proof, problems, (Date.now() - began) / 1000, lookAt(process.stdout)));
  if (keep) {
    const kept = await keepServer(config);
    talk(`\nthe server stays up: ${kept.url} (described at ${kept.url}/docs)`);
    talk(`  look around:  wms2 --data-dir ${config.data_dir} list`);
    talk(`  stop it:      kill ${kept.pid}`);
    talk(`  in a browser: ${requestUrl(kept.url, REAL)}`);
  }
  return problems.length || leftOver.length ? 3 : 0;
}

async function submitAll(client: Client, files: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const file of files) {
    const made = await client.requests.submit({ body: readRequestFile(file, {}) });
    if ("request_name" in made) names.push(made.request_name);
  }
  return names;
}
