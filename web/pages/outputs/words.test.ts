import { expect, test } from "vitest";
import type { BlockView } from "../../../src/operations/blocks.ts";
import { blocksSentence, unitsText, waitingSince } from "./words.ts";

const block = (status: BlockView["status"], day: number): BlockView =>
  ({
    status,
    files: 2,
    bytes: 3e9,
    created_at: `2026-11-0${day}T00:00:00Z`,
    units: { owed: 1, registered: 2, replicated: 0, withdrawn: 0 },
  }) as BlockView;

test.each([
  [[], "waiting", /No block yet/, null],
  [[block("done", 1)], "done", /2 files \(3\.0 GB\) in 1 block, all registered in the catalog and closed/, null],
  [[block("done", 1), block("open", 3), block("open", 2)], "running", /2 blocks open/, 2],
  [[block("open", 3), block("failed", 4)], "failed", /1 block failed and wait/, 3],
  [[block("withdrawn", 3)], "waiting", /1 block withdrawn/, null],
] as const)("of blocks %#", (blocks, tone, text, day) => {
  const said = blocksSentence(blocks);
  expect(said).toMatchObject({ tone, text: expect.stringMatching(text) });
  expect(said.since).toBe(day === null ? null : `2026-11-0${day}T00:00:00Z`);
});

test("its units by what became of their files, and since when something waits", () => {
  expect(unitsText(block("open", 1))).toBe("1 waiting, 2 registered");
  expect([waitingSince(block("open", 1)), waitingSince(block("done", 1))]).toEqual(["2026-11-01T00:00:00Z", null]);
  const waits = { ...block("open", 1), units: { owed: 0, registered: 3, replicated: 0, withdrawn: 0 } };
  expect([waitingSince({ ...waits, has_all_units: true }), waitingSince(waits)]).toEqual([
    "2026-11-01T00:00:00Z",
    null,
  ]);
});
