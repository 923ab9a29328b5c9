import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeLocalEngine } from "../../src/engines/local/local-engine.ts";
import { asFarAsKnown, type Outcome, runAll } from "../support/engine-differences.ts";
import { everyPosition, generateDag, generateGraph } from "../support/engine-generator.ts";
import { poolSeat } from "../support/engine-pool.ts";
import type { EngineSeat } from "../support/engine-runs.ts";
import { removeData } from "../support/remove-data.ts";

/**
 * The same generated DAGs through DAGMan and through the local engine: DAGMan is right by definition.
 * WMS2_DIFFERENTIAL_SEEDS=FROM-TO runs others than the usual ones.
 */
const [from, to] = (process.env.WMS2_DIFFERENTIAL_SEEDS ?? "0-31").split("-").map(Number) as [number, number];
const GRAPHS = [12, 150, 2000];
const dags = [
  everyPosition(),
  ...Array.from({ length: to - from + 1 }, (_, i) => generateDag(from + i)),
  ...GRAPHS.map((size, i) => generateGraph(from + i, size)),
];

async function localSeat(): Promise<EngineSeat> {
  const root = await mkdtemp(path.join(tmpdir(), "wms2-differential-"));
  const engine = makeLocalEngine({
    dir: path.join(root, "engine"),
    sites: [{ name: "here", cores: 64, memoryMb: 65536 }],
  });
  return { engine, root, close: () => engine.close().then(() => removeData(root)) };
}

describe("generated DAGs end the same in both engines", () => {
  let seats: EngineSeat[] = [];
  let condor: ReadonlyMap<string, readonly Outcome[]>;
  let local: ReadonlyMap<string, readonly Outcome[]>;
  beforeAll(async () => {
    seats = [await poolSeat("differential"), await localSeat()];
    [condor, local] = (await Promise.all(seats.map((seat) => runAll(seat, dags)))) as [typeof condor, typeof local];
  }, 240_000);
  afterAll(async () => void (await Promise.all(seats.map((seat) => seat.close()))));

  it.each(dags.map((dag) => [dag.name]))("%s", (name) =>
    expect(asFarAsKnown(local.get(name), condor.get(name))).toEqual(condor.get(name)),
  );
});
