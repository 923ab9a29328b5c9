import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MOVES } from "../../../../lab/emulate/reqmgr2/moves.ts";
import { REQUEST_STATUSES, type RequestStatus } from "../../../core/request-status.ts";
import { decideWriteBack } from "./decide-write-back.ts";

/** The statuses ReqMgr2 goes through until we have nothing more to tell, and how it ends. */
function told(ours: RequestStatus, from: string): string {
  let theirs = from;
  const road = [from];
  for (;;) {
    const decision = decideWriteBack(ours, theirs);
    if (decision.kind !== "move") return [...road, decision.kind === "illegal" ? "illegal" : "."].join(" ");
    expect(MOVES[theirs]).toContain(decision.to);
    expect(decision.to).not.toBe(theirs);
    theirs = decision.to;
    road.push(theirs);
  }
}

describe("what ReqMgr2 is told", () => {
  test.each<[RequestStatus, string, string]>([
    ["submitted", "assigned", "assigned ."],
    ["queued", "assigned", "assigned staging staged acquired ."],
    ["queued", "running-open", "running-open ."],
    ["active", "acquired", "acquired running-open ."],
    ["active", "assigned", "assigned staging staged acquired running-open ."],
    ["held", "acquired", "acquired ."],
    ["completed", "acquired", "acquired running-open running-closed completed ."],
    ["completed", "force-complete", "force-complete completed ."],
    ["completed", "announced", "announced ."],
    ["aborted", "running-open", "running-open aborted ."],
    ["aborted", "aborted-archived", "aborted-archived ."],
    ["failed", "assigned", "assigned staging staged failed ."],
    ["failed", "running-open", "running-open illegal"],
    ["active", "aborted", "aborted illegal"],
    ["active", "completed", "completed illegal"],
    ["active", "force-complete", "force-complete illegal"],
    ["completed", "rejected", "rejected illegal"],
    ["aborted", "completed", "completed illegal"],
    ["active", "", " illegal"],
  ])("%s here, %s there", (ours, theirs, expected) => expect(told(ours, theirs)).toBe(expected));

  test("law: from wherever it is, only legal moves, and they end", () => {
    const anyStatus = fc.constantFrom(...REQUEST_STATUSES);
    const any = fc.constantFrom(...Object.keys(MOVES));
    fc.assert(fc.property(anyStatus, any, (ours, theirs) => told(ours, theirs).length > 0));
  });
});
