import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { randomFrom } from "../../src/core/base/random.ts";
import { startPostgres } from "../../tests/support/postgres.ts";
import { defaultSeed } from "../emulate/index.ts";
import { inOwnDirectory, RESTED } from "./measure.ts";

const SITES = ["T1_US_Example", "T2_CH_Example"];
/** Enough work for a hundred kills. */
const REQUESTS = 20;
const UNITS = 20;
const MAIN = join(process.cwd(), "dist/src/cli/main.js");
const END_SEC = 600;

/**
 * A campaign: two servers on one PostgreSQL and the emulated services, each killed (-9) at random moments while requests come from
 * ReqMgr2, run and are registered. Afterwards everything must be there once: files, blocks, rules.
 */
export const run = ({ kills, seed }: { kills: number; seed: number }) =>
  inOwnDirectory(
    "kills",
    async (dir) => {
      const postgres = await startPostgres();
      const emulator = new Emulator(dir, await freePort());
      await emulator.start();
      const ports = [await freePort(), await freePort()];
      const servers = ports.map((port, index) => new Server(dir, index, port, postgres.url, emulator));
      try {
        for (const server of servers) server.start();
        const random = randomFrom(seed);
        const killed = { server: 0, services: 0, afterTheLastRequest: 0 };
        for (let at = 0; at < kills; at += 1) {
          await sleep(100 + random() * 2400);
          const victim = random() < 0.25 ? emulator : servers[random() < 0.5 ? 0 : 1]!;
          killed[victim === emulator ? "services" : "server"] += 1;
          if (isOver(await statusesAt(ports))) killed.afterTheLastRequest += 1;
          await victim.kill();
          await victim.start();
        }
        const began = Date.now();
        const statuses = await untilOver(ports);
        return {
          kills: killed,
          seed,
          secondsToEnd: Math.round((Date.now() - began) / 1000),
          statuses,
          ...(await laws(emulator)),
        };
      } finally {
        for (const one of [...servers, emulator]) await one.kill();
        await postgres.remove();
      }
    },
    RESTED,
  );

abstract class Victim {
  #child: ChildProcess | null = null;
  protected abstract argv(): readonly string[];
  protected abstract readonly log: string;
  protected readonly environment: Readonly<Record<string, string>> = {};

  async start(): Promise<void> {
    const env = { ...process.env, ...this.environment };
    this.#child = spawn("sh", ["-c", 'log=$1; shift; exec "$@" >>"$log" 2>&1', "sh", this.log, ...this.argv()], {
      env,
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}

class Emulator extends Victim {
  readonly dir: string;
  readonly port: number;
  protected readonly log: string;

  constructor(dir: string, port: number) {
    super();
    this.dir = join(dir, "emulate");
    this.port = port;
    this.log = join(dir, "emulate.log");
    const { requests = {}, ...rest } = defaultSeed(SITES);
    const [chain] = Object.values(requests) as Record<string, unknown>[];
    const many = Array.from({ length: REQUESTS }, (_, index) => {
      const step = { ...(chain?.Step1 as object), RequestNumEvents: UNITS * 200 };
      const named = { ProcessingString: `campaign_${index}`, Step1: step };
      return [`campaign_${index}_260715_101010_${index}`, { ...chain, ...named }];
    });
    writeFileSync(join(dir, "seed.yaml"), stringify({ ...rest, requests: Object.fromEntries(many) }));
  }

  protected argv(): readonly string[] {
    const seed = join(this.dir, "../seed.yaml");
    return [process.execPath, MAIN, "emulate", "--dir", this.dir, "--port", String(this.port), "--seed", seed];
  }

  override async start(): Promise<void> {
    await super.start();
    for (let tries = 0; tries < 100; tries += 1) {
      if (await this.ask("calls").catch(() => null)) return;
      await sleep(100);
    }
    throw new Error("the emulators do not start");
  }

  async ask(what: string): Promise<Record<string, Record<string, Record<string, unknown>>>> {
    const file = (name: string) => readFileSync(join(this.dir, "certificates", name));
    const options = { port: this.port, host: "127.0.0.1", path: `/_emulate/${what}`, ca: file("ca.pem") };
    return new Promise((done, failed) => {
      const call = request({ ...options, cert: file("proxy.pem"), key: file("proxy.pem") }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        done(JSON.parse(Buffer.concat(chunks).toString()));
      });
      call.on("error", failed).end();
    });
  }
}

class Server extends Victim {
  protected readonly log: string;
  protected override readonly environment: Readonly<Record<string, string>>;
  readonly #argv: readonly string[];

  constructor(dir: string, index: number, port: number, database: string, emulator: Emulator) {
    super();
    this.log = join(dir, `server-${index}.log`);
    this.environment = { WMS2_DATABASE_URL: database };
    // One spool and one engine for both, as two servers on one submit host have.
    mkdirSync(join(dir, "data"), { recursive: true });
    const own = {
      "lifecycle.interval_sec": 0.3,
      "lifecycle.lease_sec": 2,
      "lifecycle.resubmit_grace_sec": 0,
      "outputs.tape_rses": `${SITES[0]}_Tape`,
      "outputs.backoff_sec": [1],
      "catalog.cms.peace_sec": 1,
      "reqmgr2.poll_sec": 1,
      "reqmgr2.write_back": true,
      "sites.sync_minutes": 0,
    };
    const settings = Object.entries(own).flatMap(([key, value]) => ["--set", `${key}=${JSON.stringify(value)}`]);
    const config = join(emulator.dir, "wms2.yaml");
    const where = ["--config", config, "--data-dir", join(dir, "data"), "--port", String(port)];
    this.#argv = [process.execPath, MAIN, "serve", ...where, ...settings];
  }

  protected argv = (): readonly string[] => this.#argv;
}

/** Asked of whichever server answers; empty: none does. */
async function statusesAt(ports: readonly number[]): Promise<readonly string[]> {
  for (const port of ports) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/requests?limit=100`).catch(() => null);
    const page = (await answer?.json().catch(() => null)) as { items?: { status: string }[] } | null | undefined;
    if (page?.items) return page.items.map(({ status }) => status);
  }
  return [];
}

const isOver = (statuses: readonly string[]): boolean =>
  statuses.length === REQUESTS && statuses.every((status) => status === "completed" || status === "held");

/** How the requests ended. */
async function untilOver(ports: readonly number[]): Promise<Record<string, number>> {
  for (const end = Date.now() + END_SEC * 1000; ; await sleep(500)) {
    const statuses = await statusesAt(ports);
    if (isOver(statuses) || Date.now() > end)
      return Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((s) => s === one).length]));
  }
}

/** Each number that is not 0 is a broken law, but for the first three. */
async function laws(emulator: Emulator) {
  const state = await emulator.ask("state");
  const of = (table: string) => Object.values(state[table] ?? {});
  const ours = of("dbs.files").filter(({ row }) =>
    String((row as Record<string, unknown>).dataset).includes("campaign"),
  );
  const lfns = new Set(ours.map(({ row }) => (row as Record<string, unknown>).logical_file_name));
  const blocks = of("dbs.blocks").filter(({ block_name: name }) => String(name).includes("campaign"));
  const rules = of("rucio.rules");
  const keys = new Set(rules.map(({ name, rse_expression: rse }) => `${name} ${rse}`));
  return {
    files: lfns.size,
    blocks: blocks.length,
    rules: rules.length,
    filesMissing: REQUESTS * UNITS - lfns.size,
    filesTwice: ours.length - lfns.size,
    filesInvalid: ours.filter(({ row }) => (row as Record<string, unknown>).is_file_valid !== 1).length,
    blocksOpen: blocks.filter(({ open_for_writing: open }) => open !== 0).length,
    rulesTwice: rules.length - keys.size,
    rulesMissing: 2 * blocks.length - keys.size,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
