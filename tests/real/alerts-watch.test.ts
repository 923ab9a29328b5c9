import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stopLocalEngine } from "../../src/cli/run/stop-engine.ts";
import { loadConfig } from "../../src/config/load.ts";
import { startServer } from "../../src/main.ts";
import { makeWatch } from "../../src/operations/upkeep/alerts/watch.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";
import { generation, makeWorld } from "../support/world.ts";

const DAY = 86_400;

async function makeWatched(lowDiskMb = 0) {
  const world = await makeWorld();
  const watch = makeWatch(world.ports, {
    intervalSec: 60,
    engineAfterLooks: 3,
    moreErrorsThan: 3,
    lowDiskMb,
    disks: [{ what: "spool", path: world.dir }],
  });
  /** Alerts of the watch; what passes raise themselves is not its business. */
  const open = async () =>
    (await world.store.alerts.open())
      .filter(({ key }) => !key.startsWith("overdue:"))
      .map(({ key, severity }) => `${key} ${severity}`);
  const look = async () => {
    await watch.lookOnce();
    return open();
  };
  return { ...world, watch, look };
}

test("a request is held: one alert until it is over, however often one looks", async () => {
  const world = await makeWatched();
  const name = await world.submit(generation("gen", 1));
  world.engine.refuses = "no such universe";
  await world.pass();
  await world.expectStatus(name, "held");
  expect(await world.look()).toEqual(["held:gen warning"]);
  expect(await world.look()).toEqual(["held:gen warning"]);
  expect((await world.store.alerts.open())[0]).toMatchObject({ count: 1, subject: "gen" });
  await world.commands.act(name, { action: "abort", reason: "enough" }, { actor: "ann", version: null, dryRun: false });
  await world.pass();
  expect(await world.look()).toEqual([]);
});

test("a service of the catalog that is away: an alert after three looks, its own, and gone when it answers", async () => {
  const world = await makeWorld();
  let rucio: string | null = "nobody listens there";
  const certificate = { result: "ok", message: "", fix: "" } as const;
  const services = {
    ping: async () => ({ dbs: null, rucio }),
    identity: async () => certificate,
    close: async () => {},
  };
  const ports = { ...world.ports, catalog: { ...world.ports.catalog, services } };
  const watch = makeWatch(ports, { intervalSec: 60, engineAfterLooks: 3, moreErrorsThan: 3, lowDiskMb: 0, disks: [] });
  const look = async () => {
    await watch.lookOnce();
    return (await world.store.alerts.open()).map(({ key, severity }) => `${key} ${severity}`);
  };
  expect([await look(), await look()]).toEqual([[], []]);
  expect(await look()).toEqual(["catalog-unreachable:rucio critical"]);
  expect(await look()).toEqual(["catalog-unreachable:rucio critical"]);
  expect((await world.store.alerts.open())[0]).toMatchObject({ count: 1, subject: "rucio" });
  rucio = null;
  expect(await look()).toEqual([]);
});

test("a queue that does not move, and a run that takes a month: slow while the engine answers, else critical", async () => {
  const world = await makeWatched();
  await world.commands.setAdmission({ maxActive: 0 }, "ann");
  const name = await world.submit(generation("gen", 1));
  await world.pass();
  world.wait(8 * DAY);
  expect(await world.look()).toEqual(["stuck:gen:queued info"]);
  await world.commands.setAdmission({ maxActive: 1 }, "ann");
  await world.pass();
  await world.expectStatus(name, "active");
  expect(await world.look()).toEqual([]);
  world.wait(31 * DAY);
  expect(await world.look()).toEqual(["stuck:gen:active warning"]);
  world.engine.away = true;
  expect(await world.look()).toEqual(["stuck:gen:active critical"]);
  world.engine.away = false;
  expect(await world.look()).toEqual(["stuck:gen:active warning"]);
  await world.expectStatus(name, "active");
});

test("an engine that is away for three looks is an alert, also after a restart of the watch", async () => {
  const world = await makeWatched();
  await world.submit(generation("gen", 1));
  await world.pass();
  world.engine.away = true;
  expect(await world.look()).toEqual([]);
  await world.look();
  expect(await world.look()).toEqual(["engine:local critical"]);
  const next = makeWatch(world.ports, {
    intervalSec: 60,
    engineAfterLooks: 3,
    moreErrorsThan: 3,
    lowDiskMb: 0,
    disks: [],
  });
  await next.lookOnce();
  expect(await world.store.alerts.open()).toHaveLength(1);
  world.engine.away = false;
  await next.lookOnce();
  expect(await world.store.alerts.open()).toEqual([]);
});

test("an engine nobody needs is not asked", async () => {
  const world = await makeWatched();
  let pings = 0;
  world.engine.ping = async () => {
    pings += 1;
    return { ok: false, text: "", warnings: [] };
  };
  for (let look = 0; look < 4; look += 1) expect(await world.look()).toEqual([]);
  expect(pings).toBe(0);
});

test("a disk that is nearly full is an alert", async () => {
  const world = await makeWatched(1e12);
  expect(await world.look()).toEqual(["disk:spool critical"]);
});

test("a running server watches, tells a program, and stops", async () => {
  const dir = tempDir("watched");
  const program = join(dir, "tell");
  writeFileSync(program, `#!/bin/sh\ncat >>${dir}/told\n`);
  chmodSync(program, 0o755);
  const dataDir = join(dir, "data");
  const { config } = loadConfig({
    environment: {},
    flags: {
      data_dir: dataDir,
      "listen.port": 0,
      "log.level": "silent",
      "alerts.interval_sec": 0.2,
      "alerts.low_disk_mb": 1e12,
      "alerts.sinks": [{ name: "program", kind: "command", argv: [program] }],
    },
  });
  const server = await startServer(config);
  onTestFinished(async () => void (await stopLocalEngine(dataDir)));
  try {
    const told = () => (existsSync(`${dir}/told`) ? readFileSync(`${dir}/told`, "utf8") : "");
    await eventually("both disks are told", () => told().split("\n").length > 2, { deadlineSec: 30 });
    const keys = told()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).key);
    expect(keys.sort()).toEqual(["disk:spool", "disk:storage"]);
  } finally {
    await server.close();
  }
});
