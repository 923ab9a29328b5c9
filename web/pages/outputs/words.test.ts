import { expect, test } from "vitest";
import type { BlockView, OutputSumsView } from "../../../src/operations/blocks.ts";
import { blocksSentence, unitsText } from "./words.ts";

const block = (status: BlockView["status"], day: number): BlockView =>
  ({
    status,
    files: 2,
    bytes: 3e9,
    created_at: `2026-11-0${day}T00:00:00Z`,
    units: { owed: 1, registered: 2, replicated: 0, withdrawn: 0 },
  }) as BlockView;

const sums = (by_status: OutputSumsView["by_status"], owed_since: string | null): OutputSumsView => {
  const blocks = Object.values(by_status).reduce((sum, number) => sum + number, 0);
  return { blocks, files: 2 * blocks, bytes: 3e9 * blocks, by_status, owed_since };
};

test.each([
  [sums({}, null), "waiting", /No block yet/],
  [sums({ done: 1 }, null), "done", /2 files \(3\.0 GB\) in 1 block, all registered in the catalog and closed/],
  [sums({ done: 1, open: 2 }, "2026-11-02T00:00:00Z"), "running", /2 blocks open/],
  [sums({ open: 1, failed: 1 }, "2026-11-03T00:00:00Z"), "failed", /1 block failed and wait/],
  [sums({ withdrawn: 1 }, null), "waiting", /1 block withdrawn/],
])("of blocks %#", (of, tone, text) => {
  expect(blocksSentence(of)).toMatchObject({ tone, text: expect.stringMatching(text), since: of.owed_since });
});

test("its units by what became of their files", () => {
  expect(unitsText(block("open", 1))).toBe("1 waiting, 2 registered");
});
