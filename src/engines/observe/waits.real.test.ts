import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deferralsIn } from "../format/deferrals.ts";
import { FileCache } from "./files.ts";
import { type OpenNodes, openNodes, readWaits, readWant } from "./waits.ts";

const NOW = Date.parse("2026-11-16T06:00:00Z");
const line = (node: string, more: object): string => `${JSON.stringify({ event: "attempt", node, ...more })}\n`;
const retry = (node: string, notBefore: string, reason = "exit 8021") =>
  line(node, { decision: "retry", notBefore, reason });

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "waits-"));
  await mkdir(join(dir, "mg_000000"));
});
afterEach(() => rm(dir, { recursive: true }));
const open = (over: Partial<OpenNodes>): OpenNodes => ({ ...openNodes([]), ...over });
const look = (over: Partial<OpenNodes>, units = { ready: 0, queued: 1 }) =>
  readWaits(new FileCache(), dir, [{ unit: "mg_000000", open: open(over) }], units, NOW);

test("the last word on a node counts, and a retry now ends the wait", () => {
  const ledger = [
    retry("a", "2026-11-16T06:10:00Z"),
    retry("b", "2026-11-16T06:10:00Z"),
    line("b", { decision: "done" }),
    retry("c", "2026-11-16T06:10:00Z"),
    `${JSON.stringify({ event: "retry-now", nodes: ["c"], by: "ann" })}\n`,
    '{"event":"attempt","node":"d","decision":"retry","notBef',
  ];
  expect([...deferralsIn(ledger.join("")).keys()]).toEqual(["a"]);
});

test("failed nodes that cool off are counted with the next time and its reason; those whose time has come when no other is left", async () => {
  const ledger = [
    retry("proc_000000", "2026-11-16T06:15:00Z"),
    retry("proc_000001", "2026-11-16T06:05:00Z", "exit 134 in step GEN"),
    retry("proc_000002", "2026-11-16T05:59:00Z"),
  ];
  await writeFile(join(dir, "mg_000000/ledger.jsonl"), ledger.join(""));
  const { deferred } = await look({ pre: ["proc_000000", "proc_000001", "proc_000002"] });
  expect(deferred).toEqual({
    nodes: 2,
    nextAt: new Date("2026-11-16T06:05:00Z"),
    lastAt: new Date("2026-11-16T06:15:00Z"),
    reason: "exit 134 in step GEN",
    example: "mg_000000/proc_000001",
  });
  expect((await look({})).deferred).toBeNull();
  // Until the engine asks again, they wait as well.
  const due = { nodes: 1, nextAt: new Date("2026-11-16T05:59:00Z"), example: "mg_000000/proc_000002" };
  expect((await look({ pre: ["proc_000002"] })).deferred).toMatchObject(due);
});

test("what keeps POST from its work is told, with the node", async () => {
  await writeFile(join(dir, "mg_000000/merge.trouble"), "cannot append to ledger.jsonl\n");
  expect((await look({ post: ["proc_000003", "merge"] })).checking).toEqual({
    ...{ nodes: 2, trouble: "cannot append to ledger.jsonl", example: "mg_000000/merge" },
  });
  expect((await look({ post: ["proc_000003"] })).checking?.trouble).toBeNull();
});

test("categories at their limit are named with it and with how many wait, units too", async () => {
  await writeFile(join(dir, "workflow.dag"), "SUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\nMAXJOBS units 2\n");
  await writeFile(join(dir, "mg_000000/group.dag"), "MAXJOBS processing 2\nMAXJOBS merge 100\nMAXJOBS cleanup 50\n");
  const nodes = ["queued", "queued", "ready", "ready", "ready"].map((state, at) => ({
    ...{ name: `proc_00000${at}`, state: state as "ready", detail: "", retries: 0, held: 0 },
  }));
  const { limited } = await look(openNodes(nodes), { ready: 7, queued: 2 });
  expect(limited).toEqual([
    { category: "units", limit: 2, waiting: 7 },
    { category: "processing", limit: 2, waiting: 3 },
  ]);
  expect((await look(openNodes(nodes.slice(1)), { ready: 7, queued: 1 })).limited, "room in both").toEqual([]);
});

test("what an idle node asks for: its plan, its unit's site, its own raised memory", async () => {
  const resources = {
    processing: { cores: 4, memoryMb: 2000, wallMinutes: 480 },
    merge: { cores: 1, memoryMb: 1000, wallMinutes: 60 },
  };
  await writeFile(join(dir, "plan.json"), JSON.stringify({ resources }));
  await writeFile(join(dir, "mg_000000/group.inc"), 'My.DESIRED_Sites = "T2_A,T2_B"\nproc_000001_memory = 3000\n');
  const want = (idle: string) => readWant(dir, { unit: "mg_000000", open: open({ idle }) });
  expect(await want("proc_000001")).toEqual({
    cpus: 4,
    memoryMb: 3000,
    desiredSites: ["T2_A", "T2_B"],
    bannedSites: [],
  });
  expect(await want("landing")).toMatchObject({ cpus: 4, memoryMb: 2000 });
  expect(await want("merge")).toMatchObject({ cpus: 1, memoryMb: 1000 });
});
