import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOW } from "../../../tests/support/api-samples.ts";
import { afterKeys, seen, topFacts } from "../../../tests/support/top-samples.ts";
import { colored, plain } from "../terminal.ts";
import { shown } from "../view/own-sequences.ts";
import { visibleLength } from "../view/text.ts";
import { frame, wholeFrame } from "./frame.ts";
import { next } from "./next.ts";
import { changedLines } from "./screen.ts";
import type { TopState } from "./state.ts";

const URL = "http://127.0.0.1:8420";
/** To a row, no colour, its text, clear to the end. */
const LINE = /.\[(\d+)H.\[0m.\[2K([a-c ]*)/g;
const look = { now: NOW, width: 80, paint: plain };
const golden = (name: string, lines: readonly string[]) =>
  expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`../../../tests/golden/cli/top-${name}.txt`);

const withPreview = (state: TopState): TopState => {
  if (state.over?.kind !== "preview") throw new Error("no preview");
  const { wish } = state.over;
  const items = wish.names.map((request_name, at) => ({
    request_name,
    outcome: at === 0 ? ("would" as const) : ("refused" as const),
    status: "held" as const,
    message: at === 0 ? "release: …" : "it is completed, and that is final",
    version: 7,
    effect: null,
    warnings: [],
    problems: [],
  }));
  return next(state, { kind: "previewed", wish, items }).state;
};
const gone = (state: TopState) => next(state, { kind: "trouble", message: "no answer from the server" }).state;

test.each<[string, TopState]>([
  ["requests", seen(80, 24)],
  ["wide", seen(160, 16)],
  ["filter", afterKeys(["/", ..."taus"])],
  ["causes", afterKeys(["2"])],
  ["cause", afterKeys(["2", "enter"])],
  ["alerts", afterKeys(["3"])],
  ["queue", afterKeys(["4"])],
  ["help", afterKeys(["?"])],
  ["preview", afterKeys([..."disk is back"], withPreview(afterKeys([" ", " ", "r"])))],
  ["priority", afterKeys(["p", "2", "0"])],
  ["gone", gone(seen(80, 24, topFacts({ at: NOW.getTime() - 75_000 })))],
  [
    "empty",
    seen(
      80,
      24,
      topFacts({ rows: [], counts: {}, inNeed: 0, causes: [], alerts: [], openAlerts: { open: 0, critical: 0 } }),
    ),
  ],
])("%s", (name, state) => golden(name, frame(state, URL, look)));

test("without a terminal: everything, once", () =>
  golden("text", wholeFrame(seen(80, 24), URL, { ...look, width: 120 })));

describe("laws", () => {
  const keys = fc.array(fc.constantFrom(..."jk/12345 ?hrsufpXeqa", "enter", "escape", "tab", "end", "backspace"));
  const sizes = fc.record({ width: fc.integer({ min: 20, max: 300 }), height: fc.integer({ min: 8, max: 80 }) });

  test("a frame has the screen's height and is nowhere wider, whatever was pressed", () => {
    fc.assert(
      fc.property(keys, sizes, fc.boolean(), (pressed, { width, height }, isColored) => {
        const state = afterKeys(pressed, seen(width, height));
        const lines = frame(state, URL, { ...look, paint: isColored ? colored : plain });
        expect(lines).toHaveLength(height);
        for (const line of lines) expect(visibleLength(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("only changed lines are written, and they make the screen what it should be", () => {
    const text = fc.array(fc.stringMatching(/^[a-c ]{0,3}$/), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const written = shown(changedLines(before, after));
        const screen = [...before];
        const lines = [...written.matchAll(LINE)];
        for (const [, row, line] of lines) screen[Number(row) - 1] = line ?? "";
        expect(screen).toEqual(after);
        expect(lines).toHaveLength(after.filter((line, at) => line !== before[at]).length);
      }),
    );
  });

  test("text of others steers nothing", () => {
    const facts = topFacts();
    const [first, ...rest] = facts.rows;
    const bad = { ...first!, reason: "a\u001b[2Jb\nc\td" };
    const lines = frame(seen(80, 24, { ...facts, rows: [bad, ...rest] }), URL, look);
    expect(lines).toHaveLength(24);
    const written = shown(changedLines([], lines));
    expect(written).not.toContain("\u001b[2J");
    expect(written).not.toContain("\n");
  });
});
