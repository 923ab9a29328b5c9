import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RESCUE, RESCUE_RETRY } from "../../../tests/support/engine-samples.ts";
import { highestRescue, parseRescue, rescueName } from "./rescue.ts";

describe("rescue files", () => {
  it("reads what is done, what failed and what may be tried again", () => {
    const rescue = parseRescue(RESCUE);
    expect([...rescue.done]).toEqual(["v", "l", "s"]);
    expect(rescue).toMatchObject({ failed: ["h"], problems: [], complete: true });
    const retried = parseRescue(RESCUE_RETRY.replaceAll("\n", "\r\n"));
    expect(retried).toMatchObject({ failed: [], complete: true });
    expect([...retried.retries]).toEqual([["a", 2]]);
  });
  it("a file cut within its lines is not complete", () => {
    const first = RESCUE.indexOf("DONE v");
    const last = RESCUE.indexOf("DONE s");
    fc.assert(
      fc.property(fc.integer({ min: first, max: last }), (at) => {
        expect(parseRescue(RESCUE.slice(0, at)).complete).toBe(false);
      }),
    );
  });
  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary-ascii" }), (text) => void parseRescue(text)));
  });
  it("the highest number wins; others' files and retired ones do not count", () => {
    const names = [
      "workflow.dag.rescue001",
      "workflow.dag.rescue012",
      "workflow.dag.rescue013.old",
      "group.dag.rescue020",
    ];
    expect(highestRescue(names, "workflow.dag")).toBe(12);
    expect(highestRescue(["workflow.dag"], "workflow.dag")).toBeNull();
    expect(rescueName("workflow.dag", 12)).toBe("workflow.dag.rescue012");
  });
});
