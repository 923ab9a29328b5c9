import fc from "fast-check";
import { expect, test } from "vitest";
import type { AttemptView } from "../../operations/attempts.ts";
import { inLanes } from "./gantt.ts";

const second = (time: number): number => Math.floor(time / 1000) * 1000;

test("there are at most as many lanes as places, whatever the jobs took, though times are whole seconds", () => {
  const pieces = fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 5, max: 4000 })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 4 }), (places) => {
      const bars = places.flatMap((jobs) => {
        let time = 0;
        return jobs.map(([pause, took]) => {
          const from = time + pause;
          time = from + took;
          const to = Math.max(second(time), second(from) + took);
          return { attempt: { host: "here" } as AttemptView, from: second(from), to, ended: second(time) };
        });
      });
      expect(inLanes(bars).length).toBeLessThanOrEqual(places.length);
    }),
    { numRuns: 500 },
  );
});
