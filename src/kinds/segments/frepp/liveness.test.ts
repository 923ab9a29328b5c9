import fc from "fast-check";
import { expect, test } from "vitest";
import { decideLiveness, type Heard, hear, readJobs } from "./liveness.ts";

const NOW = new Date("2026-11-16T12:00:00Z");
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1000);
const said = (text: string): Heard => hear({ text });
const SILENT = hear({ text: null, reason: "it ended with 1: Unable to contact slurm controller" });
const ask = (queue: Heard, accounting: Heard | null, missedAt: Date | null = null) =>
  decideLiveness({ id: "4711", knownAt: ago(3600), queue, accounting, missedAt, now: NOW }).kind;

test.each([
  ["case 16: it is in the queue", said("4711 RUNNING 2026-11-16T10:00:00Z\n"), null, null, "running"],
  ["it waits there, with others", said("12 PENDING\n4711 PENDING\n"), said(""), null, "queued"],
  ["a task of an array", said("4711_3|RUNNING|2026-11-16T10:00:00Z"), null, null, "running"],
  [
    "case 17: queue and accounting answer",
    said("12 RUNNING\n"),
    said("4711|NODE_FAIL|2026-11-16T10:00:00Z\n"),
    null,
    "gone",
  ],
  ["accounting has forgotten it", said(""), said(""), null, "gone"],
  ["it ended, and the queue still shows it", said("4711 COMPLETED"), said("4711 COMPLETED"), null, "gone"],
  ["case 18: the queue cannot be asked", SILENT, said("4711|FAILED"), ago(999), "unknown"],
  ["accounting cannot be asked", said(""), SILENT, ago(999), "unknown"],
  ["accounting says it runs", said(""), said("4711|RUNNING"), null, "unknown"],
  ["no accounting: one answer is not enough", said(""), null, null, "unknown"],
  ["… nor a second within a minute", said(""), null, ago(59), "unknown"],
  ["… a second after a minute is", said(""), null, ago(60), "gone"],
  [
    "an answer that is no list",
    said("slurm_load_jobs error: Invalid job id specified\n"),
    said(""),
    ago(99),
    "unknown",
  ],
  [
    "the number was used again",
    said("4711 RUNNING 2026-11-16T11:30:00Z"),
    said("4711|RUNNING|2026-11-16T11:30:00Z"),
    null,
    "gone",
  ],
] as const)("%s", (_, queue, accounting, missedAt, kind) => expect(ask(queue, accounting, missedAt)).toBe(kind));

test("who is seen again begins anew", () => {
  const facts = { id: "7", knownAt: ago(99), accounting: null, missedAt: ago(50), now: NOW };
  expect(decideLiveness({ ...facts, queue: said("7 RUNNING") }).missedAt).toBeNull();
  expect(decideLiveness({ ...facts, queue: said("") }).missedAt).toEqual(ago(50));
});

test("law: whatever a command prints is a list of jobs or nothing; gone only if it was one", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (queue, accounting) => {
      const kind = ask(said(queue), said(accounting));
      if (readJobs(queue) === null || readJobs(accounting) === null) expect(kind).not.toBe("gone");
    }),
  );
});

test("thousands of jobs are found in an answer that is read once", () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => String(at));
  const queue = said(ids.map((id) => `${id} RUNNING\n`).join(""));
  const began = performance.now();
  const facts = { knownAt: ago(99), accounting: null, missedAt: null, now: NOW, queue };
  expect(ids.filter((id) => decideLiveness({ ...facts, id }).kind === "running")).toHaveLength(20_000);
  expect(performance.now() - began).toBeLessThan(5000);
});
