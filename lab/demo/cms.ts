import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { allOf, type Client, makeClient } from "../../src/cli/client.ts";
import { follow, type Show } from "../../src/cli/follow.ts";
import { abortAll, stopOnSignal } from "../../src/cli/run/stop.ts";
import { stopLocalEngine } from "../../src/cli/run/stop-engine.ts";
import { personShow } from "../../src/cli/shows.ts";
import { lookAt, print, talk } from "../../src/cli/terminal.ts";
import type { WatchedRequest } from "../../src/cli/view/watched.ts";
import type { Config } from "../../src/config/settings.ts";
import type { BlockView } from "../../src/operations/blocks.ts";
import type { Emulated } from "../emulate/index.ts";
import { type CmsResult, cmsComplaints, cmsSummary } from "./cms-summary.ts";
import { type DemoDirs, demoSettings } from "./dirs.ts";

/** As the emulated world has them; the first one has tape. */
const SITES = ["T1_US_Example", "T2_CH_Example", "T2_DE_Example"];
const OUTAGE_SEC = 6;
/** For a request to come from ReqMgr2. */
const IMPORT_SEC = 20;

/**
 * Two documents from an emulated ReqMgr2 to archived blocks: polled, planned from DBS and Rucio, run, registered, closed and put
 * on tape, with Rucio away in the middle. The payload is the simulator; everything else is as in production.
 */
export async function runCmsDemo(dirs: DemoDirs, engine: string | undefined, began: number): Promise<number> {
  const stop = stopOnSignal();
  talk(`starting ReqMgr2, DBS, Rucio, CRIC and a server in ${dirs.root} …`);
  const { startEmulators } = await import("../emulate/index.ts");
  const { startServer } = await import("../../src/main.ts");
  const emulated = await startEmulators({ dir: join(dirs.root, "emulate"), sites: SITES });
  const config = demoSettings(dirs, engine, undefined, cmsSettings(emulated));
  const server = await startServer(config);
  const client = makeClient(() => ({ url: server.url, token: server.token }));
  let result: CmsResult | null = null;
  let leftOver: readonly number[];
  try {
    result = await watch(client, emulated, config, stop.signal);
  } finally {
    await server.close();
    leftOver = await stopLocalEngine(config.data_dir);
    await emulated.close();
    stop.forget();
  }
  if (leftOver.length) talk(`these processes did not end: ${leftOver.join(", ")}`);
  if (result === null) {
    talk("stopped; no process is left running");
    return 130;
  }
  const problems = cmsComplaints(result);
  print(cmsSummary(result, problems, (Date.now() - began) / 1000, lookAt(process.stdout)));
  return problems.length || leftOver.length ? 3 : 0;
}

/** Waits of a demo: nobody watches for an hour whether Rucio came back. */
const cmsSettings = ({ settings }: Emulated): Readonly<Record<string, unknown>> => ({
  ...settings,
  "engine.local.sites": SITES.map((name) => ({ name, cores: 2, memory_mb: 8000 })),
  "catalog.cms.peace_sec": 2,
  "outputs.backoff_sec": [1],
  "reqmgr2.poll_sec": 1,
  "reqmgr2.team": "wms2",
  "reqmgr2.write_back": true,
});

/** null: it was interrupted. */
async function watch(
  client: Client,
  emulated: Emulated,
  { data_dir }: Config,
  signal: AbortSignal,
): Promise<CmsResult | null> {
  const names = Object.keys(emulated.state()["reqmgr2.requests"] ?? {});
  await imported(client, names, signal);
  const watched = await follow(client, names, withOutage(personShow(process.stdout), emulated), {
    everyMs: 250,
    signal,
  });
  if (signal.aborted) {
    await abortAll(client, watched);
    return null;
  }
  await toldReqMgr2(emulated, names);
  const blocks = (await allOf(client.blocks.list, {})).items as readonly BlockView[];
  return { watched, blocks, state: emulated.state(), calls: emulated.calls(), dataDir: data_dir };
}

async function imported(client: Client, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const end = Date.now() + IMPORT_SEC * 1000; Date.now() < end && !signal.aborted; await sleep(100)) {
    const { items } = await client.requests.list({ limit: 100 });
    if (names.every((name) => items.some(({ request_name }) => request_name === name))) return;
  }
}

/** The last status is written back by a turn of its own, after the request is over. */
async function toldReqMgr2(emulated: Emulated, names: readonly string[]): Promise<void> {
  const isTold = () =>
    names.every((name) => {
      const row = emulated.state()["reqmgr2.requests"]?.[name] as { RequestStatus?: string } | undefined;
      return row?.RequestStatus === "completed";
    });
  for (const end = Date.now() + IMPORT_SEC * 1000; Date.now() < end && !isTold(); ) await sleep(100);
}

/** Rucio goes away as soon as it knows the first file. */
function withOutage(show: Show, emulated: Emulated): Show {
  let until: number | null = null;
  return {
    update(watched: readonly WatchedRequest[], notice) {
      const knowsFiles = () =>
        emulated
          .calls()
          .some(({ service, path, status }) => service === "rucio" && /attachments/.test(path) && status === 201);
      if (until === null && knowsFiles()) {
        until = Date.now() + OUTAGE_SEC * 1000;
        emulated.outage("rucio", OUTAGE_SEC);
      }
      const isAway = until !== null && Date.now() < until;
      const message = `the demo has taken Rucio away for ${OUTAGE_SEC} s`;
      show.update(watched, isAway ? { kind: "outage", message } : notice);
    },
    close: () => show.close(),
  };
}
