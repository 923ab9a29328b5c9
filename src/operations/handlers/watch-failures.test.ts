import { expect, test } from "vitest";
import { NOW, sampleDag, sampleRequest, sampleSpec, sampleWorkflow } from "../../../tests/support/api-samples.ts";
import type { RequestName } from "../../core/names.ts";
import type { Ports } from "../../loop/ports.ts";
import type { FailureLook } from "../../store/port.ts";
import { stampOf, watchFailures } from "./watch-failures.ts";

const attempt = `${JSON.stringify({ event: "attempt", at: "2026-11-15T11:10:00Z", node: "proc_000001", cluster: 1, decision: "stop", exitCode: 8028, category: "infrastructure", site: "north", reason: "r" })}\n`;
const dag = sampleDag();

/** Requests that run; of each, what the last look was at. `unreadable`: whose ledgers cannot be read. */
function desk(looks: Readonly<Record<string, [stamp: string, at: string] | null>>, unreadable = "") {
  const kept: [string, FailureLook][] = [];
  const warned: string[] = [];
  const names = Object.keys(looks) as RequestName[];
  const store = {
    requests: { open: async () => names.map((name) => sampleRequest({ spec: sampleSpec({ name }) })) },
    workflows: {
      forRequests: async () =>
        new Map(names.map((name) => [name, { ...sampleWorkflow(), id: name, currentDagId: name }])),
    },
    dags: { getMany: async () => new Map(names.map((name) => [name, { ...dag, submitDir: name }])) },
    nodeActions: { ofWorkflow: async () => [] },
    units: { finishedNames: async () => new Set() },
    desk: {
      lastLooks: async () =>
        new Map(
          Object.entries(looks).flatMap(([name, look]) =>
            look ? [[name, { stamp: look[0], lookedAt: new Date(`2026-11-15T${look[1]}:00Z`) }] as const] : [],
          ),
        ),
      keepLook: async (name: string, look: FailureLook) => void kept.push([name, look]),
    },
  };
  const spool = {
    async *ledgers(dir: string) {
      if (dir === unreadable) throw new Error("EACCES");
      yield { unit: "mg_000001", text: attempt };
    },
  };
  const log = { warn: (_event: string, { request }: { request: string }) => void warned.push(request) };
  return { ports: { store, spool, clock: { now: () => NOW }, log } as unknown as Ports, kept, warned };
}

test("only runs in which a job has ended since are read, the longest unseen first", async () => {
  const same = stampOf(dag);
  const { ports, kept } = desk({ seen: [same, "11:00"], late: ["old", "11:30"], early: ["old", "11:10"], never: null });
  expect(await watchFailures(ports)).toBe("done");
  expect(kept.map(([name]) => name)).toEqual(["never", "early", "late"]);
  expect(kept[0]![1]).toMatchObject({
    stamp: same,
    rows: [{ exitCode: 8028, site: "north", failures: 1 }],
    hours: [{ site: "north", failed: 1, blamed: 1, hour: new Date("2026-11-15T11:00:00Z") }],
  });
});

test("one whose ledgers cannot be read is told of, and the others are read", async () => {
  const { ports, kept, warned } = desk({ closed: null, open: null }, "closed");
  await watchFailures(ports);
  expect([warned, kept.map(([name]) => name)]).toEqual([["closed"], ["open"]]);
});

test("what was just read is left alone for a while", async () => {
  const { ports, kept } = desk({ a: null, b: null });
  await watchFailures(ports, new Map([["a" as RequestName, performance.now() + 60_000]]));
  expect(kept.map(([name]) => name)).toEqual(["b"]);
});

test("a stamp changes when a job ends, however it does, and not while jobs only run", () => {
  const nodes = dag.nodes;
  const others = [{ done: nodes.done + 1 }, { failed: nodes.failed + 1 }, { held: nodes.held + 1 }];
  for (const change of others) expect(stampOf({ ...dag, nodes: { ...nodes, ...change } })).not.toBe(stampOf(dag));
  expect(stampOf({ ...dag, nodes: { ...nodes, queued: nodes.queued + 1 } })).toBe(stampOf(dag));
});
