import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  checkPlan,
  generateSpec,
  inputFile,
  planRound,
  processSpec,
  sampleFacts,
} from "../../tests/support/sample-facts.ts";
import type { SiteName } from "../core/names.ts";
import type { DagPlan } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import { type GenerateWork, SPLIT_ALGORITHMS, type SplitAlgorithm } from "../core/work.ts";
import type { RunLumis } from "../core/workflow.ts";
import type { Counters, PlanFacts, PlanFile } from "../planning/facts.ts";
import { compileMask, selectLumis } from "./process/mask.ts";

vi.setConfig({ testTimeout: 60_000 });
const RUNS = { numRuns: 1000 };
const SITES = ["T2_XX_Alpha", "T2_XX_Beta", "T2_XX_Gamma"] as SiteName[];

const lumiList = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 6 });
const runLumis: fc.Arbitrary<RunLumis> = fc.record({ run: fc.integer({ min: 1, max: 4 }), lumis: lumiList });
const files: fc.Arbitrary<PlanFile[]> = fc
  .uniqueArray(
    fc.record({
      lfn: fc.integer({ min: 0, max: 60 }),
      events: fc.option(fc.integer({ min: 0, max: 900 }), { freq: 8 }),
      lumis: fc.uniqueArray(runLumis, { maxLength: 3, selector: ({ run }) => run }),
      sites: fc.subarray(SITES),
      state: fc.constantFrom("fresh" as const, "fresh" as const, "attempted" as const),
      sizeBytes: fc.integer({ min: 0, max: 3_000_000_000 }),
    }),
    { minLength: 1, maxLength: 20, selector: ({ lfn }) => lfn },
  )
  .map((all) => all.map(({ lfn, ...rest }) => ({ ...inputFile(`/store/f${lfn}`), ...rest })));

const range = fc
  .tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 4 }))
  .map(([first, more]) => [first, first + more] as const);
const mask = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ runs: [], lumis: null }) },
  {
    weight: 1,
    arbitrary: fc.record({
      runs: fc.subarray([1, 2, 3, 4]),
      lumis: fc.option(fc.dictionary(fc.constantFrom("1", "2", "3", "4"), fc.array(range, { maxLength: 3 }))),
    }),
  },
);
const lumiRules = fc.record({ splitOnRun: fc.boolean(), haltOnFileBoundaries: fc.boolean() });
const unit = fc.record({
  jobsPerUnit: fc.option(fc.integer({ min: 1, max: 5 })),
  targetMergedBytes: fc.constant(4e9),
  blockTargetBytes: fc.constantFrom(1e10, 1e12),
  maxUnitsPerBlock: fc.integer({ min: 1, max: 4 }),
});
const processFacts = (algorithm: SplitAlgorithm): fc.Arbitrary<PlanFacts> =>
  fc
    .record({
      files,
      mask,
      lumiRules,
      unit,
      adaptive: fc.boolean(),
      perJob: fc.integer({ min: 1, max: 300 }),
      few: fc.integer({ min: 1, max: 6 }),
    })
    .map(({ files, mask, lumiRules, unit, adaptive, perJob, few }) => {
      const split = { algorithm, filesPerJob: few, eventsPerJob: perJob, lumisPerJob: few, ...lumiRules };
      const input = { from: "list" as const, path: "/data/files.json", mask };
      return sampleFacts(processSpec({ split, unit, adaptive, input }), { files, usableSites: SITES });
    });

const generation: fc.Arbitrary<RequestSpec<GenerateWork>> = fc
  .record({
    total: fc.bigInt({ min: 1n, max: 5000n }),
    first: fc.constantFrom(1n, 77n, 2n ** 32n - 5n, 2n ** 53n - 3n),
    eventsPerJob: fc.integer({ min: 20, max: 700 }),
    eventsPerLumi: fc.integer({ min: 1, max: 900 }),
    unit,
  })
  .map(({ total, first, eventsPerJob, eventsPerLumi, unit }) =>
    generateSpec({
      unit,
      adaptive: true,
      split: { algorithm: "EventBased", filesPerJob: 1, lumisPerJob: 1, eventsPerJob },
      generation: {
        totalEvents: total,
        firstEvent: first,
        firstLumi: 1,
        eventsPerLumi,
        filterEfficiency: 1,
        topUp: false,
      },
    }),
  );

/** A lumi that is in two files is read in both: the jobs together expect all events of their files, but for rounding. */
function expectAllCounted(plan: DagPlan, { spec, files }: PlanFacts): void {
  const nodes = [...plan.units].flatMap((unit) => unit.nodes);
  const read = new Set(nodes.flatMap(({ inputs }) => inputs.map(({ lfn }) => lfn)));
  const inputs = files.filter(({ lfn }) => read.has(lfn));
  if (!compileMask(spec.work.input!.mask).all || inputs.some(({ events }) => events === null)) return;
  const missing = inputs.reduce((sum, { events }) => sum + events!, 0) - Number(plan.summary.events);
  expect(Math.abs(missing)).toBeLessThanOrEqual(nodes.length / 2);
}

const plain = (plan: DagPlan) => ({ ...plan, units: [...plan.units] });

describe.each(SPLIT_ALGORITHMS)("%s", (algorithm) => {
  it("puts every wanted part of the input into exactly one job, where its data is", () => {
    fc.assert(
      fc.property(processFacts(algorithm), (facts) => {
        const outcome = planRound(facts);
        if (outcome.kind !== "planned") return;
        expect(checkPlan(outcome.plan, facts)).toEqual([]);
        const planned = readsOf(outcome.plan);
        const limited = facts.spec.adaptive;
        for (const file of facts.files) {
          const wanted = wantedOf(file, facts);
          const read = planned.get(file.lfn);
          if (read === undefined && (limited || wanted === null)) continue;
          expect(read?.toSorted(), file.lfn).toEqual(wanted?.toSorted());
        }
        for (const { lfn } of outcome.unplanned) expect(planned.has(lfn), lfn).toBe(false);
        expectAllCounted(outcome.plan, facts);
      }),
      RUNS,
    );
  });

  it("plans the same twice, whatever the order of the files", () => {
    fc.assert(
      fc.property(processFacts(algorithm), fc.infiniteStream(fc.nat(100)), (facts, random) => {
        const first = planRound(facts);
        const shuffled = [...facts.files].map((file) => ({ file, at: random.next().value as number }));
        const second = planRound({ ...facts, files: shuffled.sort((a, b) => a.at - b.at).map(({ file }) => file) });
        expect(second.kind).toBe(first.kind);
        if (first.kind !== "planned" || second.kind !== "planned") return;
        expect(plain(second.plan)).toEqual(plain(first.plan));
        expect([...first.plan.units]).toEqual([...first.plan.units]);
      }),
      RUNS,
    );
  });

  it("a sequence of rounds covers the whole and uses no number twice", () => {
    fc.assert(
      fc.property(processFacts(algorithm), fc.integer({ min: 1, max: 3 }), (facts, roundUnits) => {
        const policy = { ...facts.policy, roundZeroUnits: roundUnits, maxUnitsPerRound: roundUnits };
        const whole = planRound({ ...facts, spec: { ...facts.spec, adaptive: false } });
        let remaining: readonly PlanFile[] = facts.files;
        let next: Counters = facts.next;
        const lfns: string[] = [];
        for (let round = 0; ; round++) {
          const outcome = planRound({ ...facts, policy, round, files: remaining, next });
          if (outcome.kind !== "planned") break;
          expect(checkPlan(outcome.plan, { ...facts, policy, files: remaining, next })).toEqual([]);
          const { summary } = outcome.plan;
          expect(summary.next.unit).toBeGreaterThan(next.unit);
          expect(summary.next.block).toBeGreaterThan(next.block);
          const planned = readsOf(outcome.plan);
          lfns.push(...planned.keys());
          remaining = remaining.filter(({ lfn }) => !planned.has(lfn));
          next = summary.next;
          expect(round).toBeLessThan(50);
        }
        if (whole.kind === "planned") expect(lfns.toSorted()).toEqual([...readsOf(whole.plan).keys()].toSorted());
      }),
      RUNS,
    );
  });
});

describe("generation", () => {
  it("no event or lumi number is used twice in any sequence of rounds, and the last event is reached", () => {
    fc.assert(
      fc.property(generation, fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 8 }), (spec, limits) => {
        const { firstEvent, totalEvents } = spec.work;
        let next: Counters = { unit: 0, node: 0, block: 0, firstEvent, firstLumi: 1n };
        let lumi = 0n;
        for (let round = 0; ; round++) {
          const policy = { ...sampleFacts(spec).policy, maxUnitsPerRound: limits[round] ?? null };
          const facts = sampleFacts(spec, { round, next, policy });
          const outcome = planRound(facts);
          if (outcome.kind === "nothing-left") break;
          if (outcome.kind === "refused") throw new Error(outcome.refusal.message);
          expect(checkPlan(outcome.plan, facts)).toEqual([]);
          let event = next.firstEvent;
          for (const { nodes } of outcome.plan.units) {
            for (const node of nodes) {
              expect(node.firstEvent).toBe(event);
              expect(node.firstLumi! > lumi).toBe(true);
              event = node.lastEvent! + 1n;
              lumi = node.lastLumi!;
            }
          }
          expect(outcome.plan.summary.next.firstEvent).toBe(event);
          next = outcome.plan.summary.next;
        }
        expect(next.firstEvent).toBe(firstEvent + totalEvents);
      }),
      RUNS,
    );
  });
});

/** What each file is read for: "all", event ranges, or lumis. */
function readsOf(plan: DagPlan): Map<string, string[]> {
  const reads = new Map<string, string[]>();
  for (const { nodes } of plan.units) {
    for (const node of nodes) {
      for (const file of node.inputs) {
        const list = reads.get(file.lfn) ?? [];
        reads.set(file.lfn, list);
        if (node.runLumis) {
          for (const { run, lumis } of file.lumis) {
            const ranges = node.runLumis[run] ?? [];
            list.push(
              ...lumis
                .filter((lumi) => ranges.some(([a, b]) => a <= lumi && lumi <= b))
                .map((lumi) => `${run}:${lumi}`),
            );
          }
        } else if (node.firstEvent === null) list.push("all");
        else if (node.lastEvent === null) list.push("0 to the end");
        else for (let event = node.firstEvent; event <= node.lastEvent; event++) list.push(`${event}`);
      }
    }
  }
  return reads;
}

/** The same list, from the request alone; null: nothing of the file is wanted. */
function wantedOf(file: PlanFile, { spec }: PlanFacts): string[] | null {
  const { algorithm } = spec.work.split!;
  const compiled = compileMask(spec.work.input!.mask);
  const wanted = selectLumis(file, compiled).flatMap(({ run, lumis }) => lumis.map((lumi) => `${run}:${lumi}`));
  const byLumi = algorithm === "LumiBased" || algorithm === "EventAwareLumiBased";
  if ((byLumi || !compiled.all) && wanted.length === 0) return null;
  if (byLumi || (!compiled.all && algorithm === "FileBased")) return wanted;
  if (algorithm === "FileBased") return ["all"];
  if (!file.events) return ["0 to the end"];
  return Array.from({ length: file.events }, (_, event) => `${event}`);
}
