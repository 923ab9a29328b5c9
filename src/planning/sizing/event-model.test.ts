import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SIZING_LIMITS, sampleJobs } from "../../../tests/support/sample-metrics.ts";
import type { Metrics } from "../../core/metrics.ts";
import { decideGrowth } from "./event-model.ts";
import { joinMetrics, summariseJobs } from "./metrics.ts";
import { memoryBeyondLimit, type SizingFacts, sizeJobs } from "./size.ts";
import { memoryOfStep } from "./step-memory.ts";

interface Jobs {
  readonly events: number;
  readonly count: number;
  readonly threads?: number;
}
/** Jobs of these lengths, of which each takes so much; `at` counts the jobs of a length. */
const measured = (lengths: readonly Jobs[], tookMb: (events: number, at: number, threads: number) => number): Metrics =>
  joinMetrics(
    lengths.map(({ events, count, threads = 1 }) =>
      summariseJobs(
        sampleJobs(count, (at) => ({ events, threads, memoryMb: tookMb(events, at, threads), wallSec: events })),
      ),
    ),
  )!;
const growth = (metrics: Metrics) => decideGrowth(metrics.steps.select!.memoryMbByThreads);
const memoryFor = (metrics: Metrics, events: number, threads = 1) =>
  memoryOfStep("select", metrics.steps.select!, threads, events)!;
/** The same for the same job, between -1 and 1. */
const noise = (at: number) => Math.sin(at * 12.9898);

describe("what memory does with events", () => {
  const line = (events: number, at: number) => (20 + 4 * events) * (1 + 0.1 * noise(at));
  const flat = (_events: number, at: number) => 1000 * (1 + 0.1 * noise(at));
  const many = [
    { events: 100, count: 20 },
    { events: 200, count: 40 },
  ];
  test.each<[string, Metrics, string]>([
    ["jobs of two lengths show it", measured(many, line), "grows"],
    ["or show that it does nothing", measured(many, flat), "flat"],
    ["jobs of one length do not tell", measured([{ events: 100, count: 50 }], line), "unknown"],
    [
      "nor does a single job of another length",
      measured(
        [
          { events: 100, count: 50 },
          { events: 900, count: 1 },
        ],
        line,
      ),
      "unknown",
    ],
    [
      "jobs that differ more by themselves do not tell",
      measured(
        [
          { events: 100, count: 5 },
          { events: 120, count: 5 },
        ],
        (e, at) => (500 + e) * (1 + 0.5 * noise(at)),
      ),
      "flat",
    ],
    [
      "one wild job in each length changes nothing",
      measured(many, (e, at) => flat(e, at) * (at === 3 ? 5 : 1)),
      "flat",
    ],
    [
      "more threads are not more events",
      measured(
        [
          { events: 100, count: 10, threads: 4 },
          { events: 50, count: 10, threads: 2 },
        ],
        (_, _at, threads) => threads * 500,
      ),
      "unknown",
    ],
  ])("%s", (_story, metrics, kind) => expect(growth(metrics).kind).toBe(kind));

  test("nothing is known of rows from before events were kept, and their most still counts", () => {
    const old = measured([{ events: 100, count: 10 }], () => 3000);
    const { byEvents: _, ...sample } = old.steps.select!.memoryMbByThreads[1]!;
    const stored = { ...old, steps: { select: { ...old.steps.select!, memoryMbByThreads: { 1: sample } } } };
    expect(growth(stored)).toEqual({ kind: "unknown", why: "the events of jobs are not known" });
    const joined = joinMetrics([stored, measured(many, line)])!;
    expect(growth(joined).kind).toBe("grows");
    expect(memoryFor(joined, 150).value).toBeGreaterThanOrEqual(3000);
    expect(memoryFor(stored, 200).why).toBe("measured 3000 MB median over 10 jobs (select, by framework) × 1.2");
  });

  test("the sentence says on how many jobs of how many events it stands, and when that is little", () => {
    expect(
      memoryFor(
        measured(many, (events) => 20 + 4 * events),
        400,
      ).why,
    ).toBe(
      "expected 1620 MB median over 60 jobs of 100 to 200 events (select, by framework, by 4.00 MB more an event for 400 events) × 1.2",
    );
    const few = measured([{ events: 100, count: 4 }], () => 1000);
    expect(memoryFor(few, 100).why).toContain(
      "over 4 jobs of 100 events (select, by framework) × 1.2; of so few jobs: up to one in 5 may",
    );
    const tail = measured([{ events: 100, count: 40 }], (_, at) => 1000 * 1.04 ** at);
    expect(memoryFor(tail, 100).why).toMatch(
      /; they took 2\d+ to 4\d+ MB, so that single jobs may need more and are tried again$/,
    );
    const alone = measured([{ events: 100, count: 40 }], (_, at) => (at === 7 ? 6000 : 1000));
    expect(memoryFor(alone, 100).why).toContain("; up to 6000 MB were seen, too rarely to ask for");
  });
});

const lengths = fc
  .uniqueArray(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 5 })
  .chain((powers) =>
    fc.tuple(
      ...powers.map((power) =>
        fc.record({ events: fc.constant(100 * 2 ** power), count: fc.integer({ min: 3, max: 40 }) }),
      ),
    ),
  );

test("law: a line is found again, whatever the lengths, and asked for with its margin", () => {
  fc.assert(
    fc.property(
      lengths,
      fc.integer({ min: 10, max: 3000 }),
      fc.double({ min: 0.5, max: 20, noNaN: true }),
      (own, baseMb, perEvent) => {
        const metrics = measured(own, (events) => baseMb + perEvent * events);
        const found = growth(metrics);
        // A slope within what jobs may differ by anyway is none.
        if (found.kind !== "grows") return;
        expect(found.mbPerEvent).toBeCloseTo(perEvent, 6);
        const longest = Math.max(...own.map(({ events }) => events));
        const need = baseMb + perEvent * longest * 2;
        const asked = memoryFor(metrics, longest * 2).value;
        expect(asked).toBeGreaterThanOrEqual(need * 1.04);
        expect(asked).toBeLessThanOrEqual(need * 1.21);
      },
    ),
  );
});

test("law: more events never ask for less, and never less than jobs took that were no longer and did not stand alone", () => {
  const anyMb = fc.array(fc.double({ min: 500, max: 800, noNaN: true }), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(
      lengths,
      anyMb,
      fc.double({ min: 0, max: 5, noNaN: true }),
      fc.integer({ min: 50, max: 60_000 }),
      (own, base, perEvent, events) => {
        const took = (length: number, at: number) => base[at]! + perEvent * length;
        const metrics = measured(own, took);
        const here = memoryFor(metrics, events).value;
        expect(memoryFor(metrics, events * 1.5).value).toBeGreaterThanOrEqual(here * 0.999);
        if (growth(metrics).kind !== "grows") return;
        const shorter = own
          .filter((one) => one.events <= events)
          .flatMap((one) => Array.from({ length: one.count }, (_, at) => took(one.events, at)));
        const all = own.reduce((sum, { count }) => sum + count, 0);
        if (all < 10) expect(here).toBeGreaterThanOrEqual(Math.max(0, ...shorter));
      },
    ),
  );
});

test("law: however jobs are joined, what they say of memory and events is the same", () => {
  fc.assert(
    fc.property(lengths, (own) => {
      const took = (events: number) => 300 + 2 * events;
      const [forth, back] = [measured(own, took), measured([...own].reverse(), took)];
      expect(growth(forth)).toEqual(growth(back));
      expect(memoryFor(forth, 700).value).toBeCloseTo(memoryFor(back, 700).value, 6);
    }),
  );
});

describe("rounds of jobs whose memory grows with their events", () => {
  const ASKED = { cores: 1, memoryMb: 2500, wallMinutes: 480, diskMb: 2000, eventsPerJob: 20 };
  /** Round after round, as it is planned: what each asked for, its events, and what it needed. */
  function play(tookMb: (events: number, at: number) => number, limits = SIZING_LIMITS, rounds = 8) {
    let before: SizingFacts["before"] = null;
    let metrics: Metrics | null = null;
    const seen: { events: number; askedMb: number; neededMb: number; why: string }[] = [];
    for (let round = 0; round < rounds; round++) {
      const events: number = (before ?? ASKED).eventsPerJob!;
      const jobs = sampleJobs(20, (at) => ({
        events,
        memoryMb: tookMb(events, at),
        wallSec: events * 10,
        cpuSec: events * 9,
      }));
      const neededMb = Math.max(...jobs.map(({ memoryMb }) => memoryMb!));
      metrics = joinMetrics([metrics, summariseJobs(jobs)]);
      if (before) seen.push({ events, askedMb: before.memoryMb, neededMb, why: seen.at(-1)?.why ?? "" });
      const facts = { asked: ASKED, before, metrics, killedAtMb: null, saidMb: null, isRoundOver: true };
      const sizes = sizeJobs(facts, limits);
      before = { ...ASKED, memoryMb: sizes.memoryMb.value, eventsPerJob: sizes.eventsPerJob!.value, isMeasured: true };
      if (seen.at(-1)) seen.at(-1)!.why = sizes.eventsPerJob!.why;
    }
    return seen;
  }
  const WIDE = { ...SIZING_LIMITS, leastMemoryPerCoreMb: 1, maxMemoryPerCoreMb: 50_000 };

  test.each([0, 0.05, 0.15])(
    "20 MB and 4 MB an event, jobs that differ by %d: no round is short, and jobs still grow to their length",
    (share) => {
      const rounds = play((events, at) => (20 + 4 * events) * (1 + share * noise(at)), WIDE);
      for (const { askedMb, neededMb } of rounds.slice(1)) expect(askedMb).toBeGreaterThanOrEqual(neededMb);
      // The first longer round is all that jobs of one length let nobody know: it is short by less than a tenth.
      expect(rounds[0]!.askedMb).toBeGreaterThanOrEqual(rounds[0]!.neededMb * 0.9);
      expect(rounds.at(-1)!.events).toBeGreaterThan(1000);
      expect(rounds.at(-1)!.askedMb).toBeLessThanOrEqual(rounds.at(-1)!.neededMb * 1.3);
    },
  );

  test("no more events than fit into the most that may be asked for, and it says so", () => {
    const rounds = play((events) => 20 + 4 * events, { ...WIDE, maxMemoryPerCoreMb: 3000 });
    for (const { askedMb, neededMb } of rounds.slice(1)) expect(askedMb).toBeGreaterThanOrEqual(neededMb);
    const { events, why } = rounds.at(-1)!;
    expect(events).toBeGreaterThan(600);
    expect(20 + 4 * events).toBeLessThanOrEqual(3000);
    expect(why).toContain(`only ${events} fit into 3000 MB, as memory grows with them`);
  });

  test("jobs too long for the ceiling are cut shorter instead of held", () => {
    const metrics = measured(
      [
        { events: 400, count: 10 },
        { events: 800, count: 10 },
      ],
      (events) => 20 + 4 * events,
    );
    const before = { ...ASKED, eventsPerJob: 800, memoryMb: 3000, isMeasured: true };
    const facts = {
      asked: { ...ASKED, eventsPerJob: 800 },
      before,
      metrics,
      killedAtMb: null,
      saidMb: null,
      isRoundOver: true,
    };
    expect(memoryBeyondLimit(facts, SIZING_LIMITS)).toBeNull();
    expect(sizeJobs(facts, SIZING_LIMITS).eventsPerJob!.value).toBeLessThan(700);
  });

  test("shorter jobs ask for less again, by the line", () => {
    const metrics = measured(
      [
        { events: 400, count: 20 },
        { events: 800, count: 20 },
      ],
      (events) => 20 + 2 * events,
    );
    const slow = { ...metrics, wallSecPerEvent: { jobs: 40, max: 72, values: [72] } };
    const before = { ...ASKED, eventsPerJob: 800, memoryMb: 1950, isMeasured: true };
    const sizes = sizeJobs(
      { asked: ASKED, before, metrics: slow, killedAtMb: null, saidMb: null, isRoundOver: true },
      SIZING_LIMITS,
    );
    expect([sizes.eventsPerJob!.value, sizes.memoryMb.value]).toEqual([400, 984]);
  });

  test("killed with the most there is, and nothing is known: half as many events, once", () => {
    const facts = {
      asked: { ...ASKED, eventsPerJob: 800 },
      before: null,
      metrics: null,
      killedAtMb: 3000,
      killedEvents: 800,
      saidMb: null,
      isRoundOver: true,
    };
    const events = sizeJobs(facts, SIZING_LIMITS).eventsPerJob!;
    expect(events).toEqual({
      value: 400,
      why: "jobs of 800 events were killed with 3000 MB, the most there is: half as many, for memory may grow with them",
    });
    const before = { ...ASKED, eventsPerJob: 400, isMeasured: false };
    expect(sizeJobs({ ...facts, before }, SIZING_LIMITS).eventsPerJob!.value).toBe(400);
    expect(sizeJobs({ ...facts, killedAtMb: 2000 }, SIZING_LIMITS).eventsPerJob!.value).toBe(800);
  });
});
