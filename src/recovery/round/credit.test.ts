import { describe, expect, test } from "vitest";
import { DATA, failing, filesOfUnits } from "../../../tests/support/rounds.ts";
import { creditRound } from "./credit.ts";
import type { RoundFile } from "./sort-files.ts";
import { tallyRound } from "./tally.ts";

const file = (lfn: string, ...units: string[]): RoundFile => ({ lfn, path: lfn, units });

describe("files", () => {
  const tally = tallyRound([failing("mg_1", DATA("/bad")), failing("mg_3", {})]);
  const facts = {
    finishedUnits: new Set(["mg_0", "mg_2"]),
    tally,
    filesOf: filesOfUnits([
      file("/done", "mg_0"),
      file("/split", "mg_0", "mg_2"),
      file("/bad", "mg_1"),
      file("/beside", "mg_1"),
      file("/tried", "mg_3"),
      file("/torn", "mg_2", "mg_3"),
      file("/never", "mg_4"),
      file("/cut", "mg_2", "mg_4"),
    ]),
  };
  test("each file of an unfinished unit ends in one state; files nobody has looked at stay as they are", () => {
    expect(creditRound(facts)).toMatchObject({
      exclude: [{ lfn: "/bad", evidence: { units: ["mg_1"] } }],
      attempted: ["/beside", "/tried"],
      torn: ["/torn", "/cut"],
    });
  });
  test("a unit that finished in a rescue is credited, whatever was said of it before", () => {
    const credit = creditRound({ ...facts, finishedUnits: new Set(["mg_0", "mg_1", "mg_2", "mg_3", "mg_4"]) });
    expect([credit.exclude, credit.attempted, credit.torn]).toEqual([[], [], []]);
  });
});
