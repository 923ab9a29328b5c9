import { describe, expect, it } from "vitest";
import { generateSpec } from "../../../tests/support/sample-facts.ts";
import { splitEvents } from "./plan-events.ts";

// As WMCore splits.
describe("generation", () => {
  const jobs = (first: bigint, total: bigint, perJob: number, perLumi = perJob, firstLumi = 1n) =>
    [
      ...splitEvents(
        { split: { ...generateSpec().work.split, eventsPerJob: perJob }, eventsPerLumi: perLumi },
        { firstEvent: first, firstLumi },
        first + total - 1n,
      ),
    ].map((piece) => `${piece.firstEvent}–${piece.lastEvent}/${piece.firstLumi}–${piece.lastLumi}`);

  it.each([
    [1000n, 300, 100, ["1–300/1–3", "301–600/4–6", "601–900/7–9", "901–1000/10–10"]],
    [1000n, 300, 200, ["1–300/1–2", "301–600/3–4", "601–900/5–6", "901–1000/7–7"]],
    [150n, 100, 10, ["1–100/1–10", "101–150/11–15"]],
    [150n, 111, 10, ["1–111/1–12", "112–150/13–16"]],
  ])("%d events, %d per job, %d per lumi", (total, perJob, perLumi, expected) =>
    expect(jobs(1n, total, perJob, perLumi)).toEqual(expected),
  );

  it("begins at any event and lumi", () => {
    expect(jobs(1n, 100n, 99, 99, 345n)).toEqual(["1–99/345–345", "100–100/346–346"]);
    expect(jobs(201n, 600n, 300)).toEqual(["201–500/1–1", "501–800/2–2"]);
  });

  // The reference begins again at 1 past 2^32 − 1. Ours goes on: an event number is used once (ADR 10).
  const big = 2 ** 32;
  it.each([
    [1n, 2n ** 32n, big - 1, [`1–${big - 1}/1–1`, `${big}–${big}/2–2`]],
    [1n, 2n ** 32n - 1n, big, [`1–${big - 1}/1–1`]],
    [2n ** 32n - 1n, 2n, 3, [`${big - 1}–${big}/1–1`]],
    [2n ** 32n, 50n, 30, [`${big}–${big + 29}/1–1`, `${big + 30}–${big + 49}/2–2`]],
    [4294967146n, 300n, 100, ["4294967146–4294967245/1–1", "4294967246–4294967345/2–2", "4294967346–4294967445/3–3"]],
    [2n ** 63n, 2n, 1, ["9223372036854775808–9223372036854775808/1–1", "9223372036854775809–9223372036854775809/2–2"]],
  ])("does not wrap: from %d, %d events, %d per job", (first, total, perJob, expected) =>
    expect(jobs(first, total, perJob)).toEqual(expected),
  );
});
