import { expect, it } from "vitest";
import { DagmanEngine } from "../../src/engines/dagman/dagman-engine.ts";
import { engineContract } from "../support/engine-contract.ts";
import { graphContract } from "../support/engine-contract-graph.ts";
import { poolSeat } from "../support/engine-pool.ts";
import { poolStatus } from "../support/pool-server.ts";

engineContract("dagman", () => poolSeat("contract"));
graphContract("dagman", () => poolSeat("contract-graph"));

it("names the sites of the pool with what they offer", async () => {
  const pool = poolStatus();
  const engine = new DagmanEngine({ commandPrefix: pool.prefix });
  expect(await engine.sites()).toEqual(pool.sites);
});

it("an engine that cannot be reached is no empty queue", async () => {
  const pool = poolStatus();
  const nowhere = [
    "env",
    "_CONDOR_SCHEDD_ADDRESS_FILE=/nowhere",
    "_CONDOR_SCHEDD_DAEMON_AD_FILE=/nowhere",
    "_CONDOR_SCHEDD_HOST=nowhere",
  ];
  const engine = new DagmanEngine({ commandPrefix: [...pool.prefix, ...nowhere] });
  const run = { dagId: "d" as never, submitDir: "/tmp", batchName: "wms2-d", engineId: "1", priority: 0 };
  await expect(engine.observe([run])).rejects.toMatchObject({ code: "engine-unreachable" });
  expect(await engine.find(run)).toMatchObject({ kind: "unknown" });
  expect(await engine.ping()).toMatchObject({ ok: false });
});
