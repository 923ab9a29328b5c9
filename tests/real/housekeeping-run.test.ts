import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stopLocalEngine } from "../../src/cli/run/stop-engine.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { RequestName } from "../../src/core/names.ts";
import { startServer } from "../../src/main.ts";
import { makeHousekeeping } from "../../src/operations/upkeep/housekeeping/housekeeper.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";
import { generation } from "../support/world.ts";

/** Views of the API as people see them; paths and sizes of files are not what they look for. */
test("requests that really ran are shown the same after compaction, by the API of a live server", async () => {
  const dataDir = join(tempDir("cleaned"), "data");
  const { config } = loadConfig({
    environment: {},
    flags: {
      data_dir: dataDir,
      "listen.port": 0,
      "log.level": "silent",
      "lifecycle.interval_sec": 0.2,
      "dag.status_interval_sec": 1,
      "recovery.cooloff_base_sec": 0,
    },
  });
  const server = await startServer(config);
  onTestFinished(async () => void (await stopLocalEngine(dataDir)));
  const call = async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const answer = await fetch(`${server.url}/api/v1${path}`, { method, headers, ...(body && { body }) });
    const json = (await answer.json()) as Record<string, never>;
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json;
  };
  const run = async (name: string, step: string, until: string) => {
    const steps = [{ name: "gen", run: ["/bin/sh", "-c", step] }];
    await call("POST", "/requests", generation(name, 2, { steps, adaptive: false, retries: { processing: 0 } }));
    await eventually(`${name} is ${until}`, async () => (await call("GET", `/requests/${name}`)).status === until, {
      deadlineSec: 50,
      everyMs: 200,
      describe: async () => JSON.stringify(await call("GET", `/requests/${name}`)).slice(0, 2000),
    });
  };
  try {
    await run("good", "echo x > gen.out", "completed");
    await run("bad", "echo 'no luck' >&2; exit 77", "held");
    const { requests } = server.ports.store;
    const held = await requests.get("bad" as RequestName);
    const why = { reason: "enough", actor: "test", at: new Date() };
    await requests.change("bad" as RequestName, held?.version ?? 0, { status: "aborted", hold: null }, why);
    const views = async () => {
      const seen: unknown[] = [];
      for (const name of ["good", "bad"]) {
        const workflow = await server.ports.store.workflows.forRequest(name as RequestName);
        const current_dag_id = workflow?.currentDagId;
        seen.push(await call("GET", `/dags/${current_dag_id}/nodes`));
        seen.push(await call("GET", `/dags/${current_dag_id}/units`));
        seen.push(await call("GET", `/requests/${name}/errors`));
        seen.push(await call("GET", `/requests/${name}/attempts`));
      }
      return JSON.parse(JSON.stringify(seen).replaceAll(/"(at|age_sec)":("[^"]*"|[\d.]+)/g, '"$1":0'));
    };
    const before = await views();
    expect(JSON.stringify(before)).toContain("no luck");
    const { spool_dir: spoolDir, storage_dir: storageDir } = config;
    const clean = (removeAfterDays: number) =>
      makeHousekeeping(
        { ...server.ports, spoolDir, storageDir },
        { intervalSec: 60, compactAfterHours: 0, removeAfterDays },
      ).cleanOnce();
    const count = () => readdirSync(spoolDir, { recursive: true }).length;
    const files = count();
    expect(await clean(30)).toBe("done");
    expect(count()).toBeLessThan(files / 2);
    expect(await views()).toEqual(before);
    expect(await clean(1e-9)).toBe("done");
    expect(existsSync(join(spoolDir, "good"))).toBe(false);
    const alerts = await server.ports.store.alerts.open();
    expect(alerts.filter(({ key }) => key.startsWith("housekeeping:"))).toEqual([]);
  } finally {
    await server.close();
  }
});
