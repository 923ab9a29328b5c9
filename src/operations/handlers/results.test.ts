import { expect, test } from "vitest";
import { DAG_ID, sampleDag, sampleRequest, sampleSpec, sampleWorkflow } from "../../../tests/support/api-samples.ts";
import type { Dag } from "../../core/dag.ts";
import type { RequestName } from "../../core/names.ts";
import { KINDS } from "../../kinds/table.ts";
import type { Ports } from "../../loop/ports.ts";
import { NO_RECORD } from "../../recovery/ledger-record.ts";
import { unitFolder } from "../../submit-dir/names.ts";
import { gatherResults, stateOf } from "./results.ts";

const over = { status: "partial" as const, nodes: { ...sampleDag().nodes, failed: 1 } };
const stopped = { status: "stopped" as const, nodes: { ...sampleDag().nodes, failed: 0 } };
const runs = sampleDag({ status: "running" });
const said = (decision: "done" | "retry" | "stop" | "unclassified") => ({ ...NO_RECORD, decision });
const live = (state: "waiting" | "queued" | "post" | "futile", more: { held?: boolean; idle?: boolean } = {}) => ({
  state,
  held: false,
  idle: false,
  retries: 0,
  ...more,
});

test.each([
  ["its last attempt succeeded", runs, said("done"), false, null, "done"],
  ["nobody will try it again", runs, said("stop"), false, live("queued"), "failed"],
  ["no rule knows its failure", over, said("unclassified"), false, null, "failed"],
  ["it waits for its next try", runs, said("retry"), false, live("waiting"), "retrying"],
  ["it is at its next try", runs, said("retry"), false, live("queued"), "running"],
  ["the run ended before its next try", over, said("retry"), false, null, "failed"],
  ["a person gave it a new budget", runs, said("stop"), true, live("queued", { idle: true }), "waiting"],
  ["the engine holds it", runs, null, false, live("queued", { held: true }), "held"],
  ["it has no place yet", runs, null, false, live("queued", { idle: true }), "waiting"],
  ["it is being checked", runs, null, false, live("post"), "running"],
  ["one before it failed", runs, null, false, live("futile"), "blocked"],
  ["the run ended without it, with failures", over, null, false, null, "blocked"],
  ["the run was stopped before it", stopped, null, false, null, "waiting"],
] as const)("%s", (_, dag, last, isFresh, view, state) => {
  expect(stateOf(dag, last, isFresh, view)).toBe(state);
});

/** A graph of 2,500 jobs in three parts, of which each hundredth failed; what is read is noted. */
function ports(jobs: number, isGraph = true) {
  const read: string[] = [];
  const dag: Dag = sampleDag({ ...over, roleCounts: { job: jobs } });
  const units = Array.from({ length: jobs }, (_, index) => `job_${String(index).padStart(6, "0")}`);
  const folders = [...new Set(units.map(unitFolder))];
  const work = { kind: "graph", directory: "/x", parameters: {}, jobs: [], hooks: [] } as never;
  const request = sampleRequest(isGraph ? { spec: sampleSpec({ work }) } : {});
  const made = {
    kinds: KINDS,
    store: {
      requests: { get: async () => request },
      workflows: { forRequest: async () => sampleWorkflow({ currentDagId: DAG_ID, nextUnit: jobs + 7 }) },
      dags: { get: async () => dag },
      units: { finishedNames: async () => new Set(units.filter((unit) => Number(unit.slice(4)) % 100 !== 99)) },
    },
    spool: {
      isComplete: async () => true,
      folders: async () => folders,
      async manifest(_: string, folder: string) {
        read.push(folder);
        const own = units.filter((unit) => unitFolder(unit) === folder);
        return `{\n"nodes":{\n${own.map((unit) => `"${unit}":{"name":"job ${Number(unit.slice(4))}"}`).join(",\n")}\n}\n}\n`;
      },
      async *ledgers(_: string, wanted: readonly string[]) {
        for (const unit of wanted) {
          const decision = Number(unit.slice(4)) % 100 === 99 ? "stop" : "done";
          yield {
            unit,
            text: `${JSON.stringify({ event: "attempt", node: unit, cluster: 5, decision, wallSec: 2 })}\n`,
          };
        }
      },
    },
  };
  return { ports: made as unknown as Ports, read };
}
const NAME = "muons-2026" as RequestName;

test("pages hold every job once, in order, and read only the parts they show", async () => {
  const { ports: world, read } = ports(2500);
  const names: (string | null)[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages === 0 || cursor !== null; pages++) {
    read.length = 0;
    const page = await gatherResults(world, NAME, { limit: 700, onlyFailed: false, ...(cursor && { cursor }) });
    expect(page!.items.length).toBeLessThanOrEqual(700);
    expect(read.length).toBeLessThanOrEqual(2);
    names.push(...page!.items.map(({ job }) => job));
    cursor = page!.nextCursor;
  }
  expect(names).toEqual(Array.from({ length: 2500 }, (_, index) => `job ${index}`));
});

test("only failed ones; what an earlier version did is counted, and has no row", async () => {
  const page = await gatherResults(ports(2500).ports, NAME, { limit: 1000, onlyFailed: true });
  expect(page).toMatchObject({ credited: 7, nextCursor: null, isLive: false, isGone: false });
  expect(page!.items).toHaveLength(25);
  expect(page!.items[0]).toMatchObject({ job: "job 99", state: "failed", attempts: 1 });
});

test("by state and by a part of the name, whatever the case", async () => {
  const found = async (filter: object) =>
    (await gatherResults(ports(300).ports, NAME, { limit: 1000, onlyFailed: false, ...filter }))!.items.map(
      ({ job }) => job,
    );
  expect(await found({ states: ["failed"] })).toEqual(["job 99", "job 199", "job 299"]);
  expect(await found({ states: ["done", "failed"], text: "JOB 19" })).toHaveLength(11);
  expect(await found({ states: ["failed"], text: "1" })).toEqual(["job 199"]);
});

test("what is far behind is on the first page, however many do not match before it", async () => {
  const page = await gatherResults(ports(25_000).ports, NAME, { limit: 10, onlyFailed: false, text: "job 24999" });
  expect(page).toMatchObject({ items: [{ job: "job 24999", state: "failed" }], nextCursor: null });
});

test("a job that the ledger alone calls done is not done", async () => {
  const { ports: world } = ports(10);
  const none = {
    ...world,
    store: { ...world.store, units: { finishedNames: async () => new Set() } },
  } as unknown as Ports;
  const page = await gatherResults(none, NAME, { limit: 10, onlyFailed: false });
  expect(page!.items.map(({ state }) => state)).toEqual(Array(10).fill("waiting"));
});

test("a kind that begins anew each time credits nothing", async () => {
  expect(await gatherResults(ports(10, false).ports, NAME, { limit: 10, onlyFailed: true })).toMatchObject({
    credited: 0,
  });
});
