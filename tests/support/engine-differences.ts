import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { NodeTally, UnitTally } from "../../src/core/dag.ts";
import { parseRescue } from "../../src/engines/format/rescue.ts";
import { parseStatusFile } from "../../src/engines/format/status-file.ts";
import { isUnit, NOT_WRITTEN } from "../../src/engines/observe/run-view.ts";
import type { GeneratedDag } from "./engine-generator.ts";
import {
  again,
  type EngineSeat,
  executions,
  layRun,
  letGo,
  newestRescue,
  submit,
  type TestRun,
  untilTrue,
  Watcher,
} from "./engine-runs.ts";

/** Everything about one submission that must not depend on the engine. */
export interface Outcome {
  readonly verdict: string;
  readonly nodes: NodeTally;
  readonly units: UnitTally;
  readonly unitsDone: readonly string[];
  readonly unitsFailed: readonly string[];
  readonly rescue: number | null;
  readonly exitcode: unknown;
  readonly dagStatus: unknown;
  /** unit/node → state and retries. */
  readonly states: Readonly<Record<string, string>>;
  /** Newest rescue file per DAG: what is done, and the retries it grants. */
  readonly rescues: Readonly<
    Record<string, { done: readonly string[]; retries: Readonly<Record<string, number>> } | null>
  >;
  readonly executions: Readonly<Record<string, number>>;
}

const MAX_SUBMISSIONS = 3;

/** Runs every DAG to its end, stop and rescues included: all of them side by side. */
export async function runAll(
  seat: EngineSeat,
  dags: readonly GeneratedDag[],
): Promise<ReadonlyMap<string, readonly Outcome[]>> {
  const watch = new Watcher(seat.engine);
  const results = await Promise.all(dags.map(async (dag) => [dag.name, await runOne(seat, watch, dag)] as const));
  return new Map(results);
}

async function runOne(seat: EngineSeat, watch: Watcher, dag: GeneratedDag): Promise<Outcome[]> {
  const laid = await layRun(seat.root, dag.files, dag.nodes);
  const outcomes: Outcome[] = [];
  for (let round = 0; round < MAX_SUBMISSIONS; round++) {
    const run = await submit(seat.engine, round === 0 ? laid : again(laid));
    if (dag.stops && round === 0) {
      await untilOnlyWaiting(run, dag);
      await seat.engine.stop(run);
    }
    await watch.ended(run, 150);
    await untilTrue("it is gone", async () => (await seat.engine.find(run)).kind === "absent", 90);
    const view = await watch.ended(run);
    outcomes.push(await outcomeOf(seat, run, view));
    if (view.verdict === "success") break;
    if (dag.stops && round === 0) await letGo(run);
  }
  return outcomes;
}

/**
 * Every node has come to where it stays without `go`: it ended for good, waits for one that does, or is a job that waits
 * for `go` and has begun. How long that takes does not matter: it is read off the status files, not off a clock.
 */
async function untilOnlyWaiting(run: TestRun, dag: GeneratedDag): Promise<void> {
  await untilTrue(
    "only jobs that wait for go are left",
    async () => {
      const ran = await executions(run);
      const stays = async (unit: string | null): Promise<Stay> => {
        const [folder, file] = unit === null ? [".", "workflow.dag"] : [unit, "group.dag"];
        const text = await readFile(path.join(run.submitDir, folder, `${file}.status`), "utf8").catch(() => "");
        const { nodes, complete } = parseStatusFile(text);
        if (!complete || nodes.length === 0) return "moves";
        const states = await Promise.all(
          nodes.map(({ name, state }): Stay | Promise<Stay> => {
            if (["done", "failed", "waiting", "futile"].includes(state)) return "over";
            if (state !== "queued") return "moves";
            // A unit is in the queue for as long as something in it waits; then its end is on the way.
            if (isUnit(name)) return stays(name).then((inside) => (inside === "waits" ? "waits" : "moves"));
            const key = unit === null ? name : `${unit}.${name}`;
            const isWaiting = dag.files[path.join(folder, file)]?.includes(`key="${key}" codes="wait"`) === true;
            return isWaiting && `job.${key}` in ran ? "waits" : "moves";
          }),
        );
        return states.includes("moves") ? "moves" : states.includes("waits") ? "waits" : "over";
      };
      return (await stays(null)) !== "moves";
    },
    120,
  );
}
type Stay = "moves" | "waits" | "over";

async function outcomeOf(
  seat: EngineSeat,
  run: TestRun,
  view: Awaited<ReturnType<Watcher["ended"]>>,
): Promise<Outcome> {
  const metrics = JSON.parse(
    await readFile(path.join(run.submitDir, "workflow.dag.metrics"), "utf8").catch(() => "{}"),
  );
  const states: Record<string, string> = {};
  for (const node of await seat.engine.nodes(run)) {
    // Whether a node that cannot run any more is called futile depends on how its ancestor failed (23.9.6: not after an
    // UNLESS-EXIT code): it has not run, and that is what must agree.
    const state = node.state === "futile" ? "waiting" : node.state;
    states[`${node.unit ?? ""}/${node.node}`] =
      node.detail === NOT_WRITTEN ? state : `${state} after ${node.retries} retries`;
  }
  const units = (await readdir(run.submitDir)).filter((name) => /^mg_\d+$/.test(name));
  const rescues: Record<string, Outcome["rescues"][string]> = {};
  for (const dir of [".", ...units]) {
    const name = await newestRescue(path.join(run.submitDir, dir));
    if (name === null) continue;
    const rescue = parseRescue(await readFile(path.join(run.submitDir, dir, name), "utf8"));
    rescues[`${dir}/${name}`] = { done: [...rescue.done].sort(), retries: sorted(Object.fromEntries(rescue.retries)) };
  }
  return {
    verdict: view.verdict,
    nodes: view.nodes,
    units: view.units,
    unitsDone: [...view.unitsDone].sort(),
    unitsFailed: [...view.unitsFailed].sort(),
    rescue: view.rescue,
    exitcode: metrics.exitcode,
    dagStatus: metrics.DagStatus,
    states: sorted(states),
    rescues,
    executions: sorted(await executions(run)),
  };
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** What `right` leaves open (the retries of a node whose end was not written down) is left out of `left` too. */
export function asFarAsKnown(left: readonly Outcome[] = [], right: readonly Outcome[] = []): readonly Outcome[] {
  return left.map((outcome, round) => {
    const known = right[round]?.states ?? {};
    const states = Object.entries(outcome.states).map(([name, state]): [string, string] => {
      return [name, known[name]?.includes(" after ") === false ? state.split(" ")[0]! : state];
    });
    return { ...outcome, states: Object.fromEntries(states) };
  });
}
