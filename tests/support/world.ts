import { join } from "node:path";
import { expect } from "vitest";
import { makeLocalCatalog } from "../../src/catalogs/local-catalog.ts";
import type { RequestCatalog } from "../../src/catalogs/port.ts";
import type { RequestName } from "../../src/core/names.ts";
import type { RequestStatus } from "../../src/core/request-status.ts";
import { DEFAULT_INTAKE_RULES } from "../../src/core/submission.ts";
import type { Kinds } from "../../src/kinds/kind.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { makeLoop } from "../../src/loop/loop.ts";
import type { LoopPolicy, Ports } from "../../src/loop/ports.ts";
import { makeCommands } from "../../src/operations/handlers/commands.ts";
import { policyText } from "../../src/recovery/policy-text.ts";
import { makeSpool } from "../../src/submit-dir/disk/spool.ts";
import { renderDag } from "../../src/submit-dir/render/render-dag.ts";
import { ScriptedEngine } from "./scripted-engine.ts";
import { freshStore } from "./store-embedded.ts";
import { tempDir } from "./temp-dir.ts";

export const POLICY: LoopPolicy = {
  concurrency: 4,
  intervalSec: 60,
  leaseSec: 30,
  stuckSec: 120,
  sliceSec: 60,
  workLimitSec: 600,
  resubmitGraceSec: 10,
  maxErrors: 3,
  diskPatienceSec: 60,
  roundZeroUnits: 1,
  probeJobs: 0,
  minSampledJobs: 5,
  overcommitMax: 1,
  maxNodesPerRound: 1_000_000,
  maxNodesPerRequest: 10_000_000,
  maxDiskMb: 10_000_000,
  leastMemoryPerCoreMb: 2000,
  maxMemoryPerCoreMb: 3000,
  outputs: { backoffSec: [60, 300, 1800, 7200, 14_400, 28_800], giveUpAfterSec: 3 * 86_400, maxRefusals: 3 },
  bans: { minFailures: 3, failureRatio: 0.5, durationDays: 5, promotionThreshold: 3 },
  maxWallMinutes: 47 * 60,
  versionLimit: 5,
};

const RENDERING = {
  statusIntervalSec: 1,
  scanIntervalSec: 1,
  holdRemovalSec: 5,
  lostJobSec: 300,
  maxJobsSubmitted: 100,
  deferPollSec: 1,
  avoidHostSec: 600,
};
const RECOVERY = {
  installation: null,
  cooloffBaseSec: 0,
  firstRetryAtOnce: false,
  avoidHostSec: 600,
  maxExecutions: 10,
  abortAfterAlike: 3,
  maxMemoryPerCoreMb: 3000,
  maxMemoryMb: null,
  maxWallMinutes: 2820,
};

/** A generation request of `units` work units, two jobs each. */
export const generation = (name: string, units: number, over: Record<string, unknown> = {}): string =>
  JSON.stringify({
    name,
    kind: "generate",
    events: units * 20,
    split: { by: "events", events_per_job: 10 },
    unit: { jobs: 2 },
    steps: [{ name: "gen", run: ["/bin/true"] }],
    outputs: [{ name: "gen", file: "gen.out" }],
    ...over,
  });

/**
 * A whole WMS2 with a real store, real submit directories and the real loop, but an engine that does what the
 * story says and a clock that the story moves.
 */
export async function makeWorld(kinds: Kinds = KINDS, requests: RequestCatalog | null = null) {
  const dir = tempDir("world");
  const storageDir = join(dir, "storage");
  const store = await freshStore();
  const engine = new ScriptedEngine();
  let now = new Date("2026-01-01T00:00:00Z");
  let id = 0;
  const moves: string[] = [];
  const ports: Ports = {
    store,
    engine,
    catalog: { ...makeLocalCatalog(storageDir), requests },
    kinds,
    spool: makeSpool({
      spoolDir: join(dir, "spool"),
      storageDir,
      owner: null,
      render: (plan, storage) => renderDag(plan, { ...RENDERING, ...storage }),
      policyText: (spec, rules) => policyText(RECOVERY, spec, rules),
      factsText: () => "",
    }),
    clock: { now: () => now },
    ids: {
      next: () => {
        id += 1;
        return `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`;
      },
    },
    log: { info() {}, warn() {}, error() {} },
    metrics: { observePass() {}, countDecision() {}, observeEngineCall() {} },
    events: { emit: (type, detail) => type === "request.moved" && moves.push(`${detail.from} → ${detail.to}`) },
  };
  let nudges = 0;
  const commands = makeCommands(ports, POLICY, { ...DEFAULT_INTAKE_RULES, requestor: "ann" }, () => {
    nudges += 1;
  });
  let loop = makeLoop(ports, POLICY, "server-1");

  const world = {
    dir,
    storageDir,
    store,
    engine,
    ports,
    commands,
    moves,
    nudges: () => nudges,
    loop: () => loop,
    now: () => now,
    wait(seconds: number) {
      now = new Date(now.getTime() + seconds * 1000);
    },
    pass: () => loop.passOnce(),
    /** The server dies and another one starts and waits its grace: nothing is kept but the store and the disk. */
    async restart(owner = "server-2") {
      loop = makeLoop(ports, POLICY, owner);
      world.wait(POLICY.leaseSec + 1);
      await loop.passOnce();
      world.wait(POLICY.resubmitGraceSec + 1);
    },
    async submit(text: string): Promise<RequestName> {
      const answer = await commands.submit({ text, format: "json" }, "ann");
      if (!answer.ok) throw new Error(JSON.stringify(answer.error));
      return answer.value.request?.spec.name as RequestName;
    },
    async request(name: RequestName) {
      const record = await store.requests.get(name);
      if (!record) throw new Error(`no request ${name}`);
      return record;
    },
    async expectStatus(name: RequestName, status: RequestStatus) {
      const { status: is, hold, error, waiting } = await world.request(name);
      expect({ is, hold: is === status ? null : hold, error: is === status ? null : error, waiting }).toMatchObject({
        is: status,
      });
      if (is === "held") expect(hold?.evidence, "a hold has evidence").not.toEqual({});
    },
    async workflow(name: RequestName) {
      const workflow = await store.workflows.forRequest(name);
      if (!workflow) throw new Error(`no workflow of ${name}`);
      return workflow;
    },
  };
  return world;
}
