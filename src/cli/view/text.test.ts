import { expect, test } from "vitest";
import { colored, plain } from "../terminal.ts";
import { bar, thinBar } from "./bar.ts";
import { own, shown } from "./own-sequences.ts";
import { bytes, cut, duration, shortAge, thousands, typed, visibleLength, wrap } from "./text.ts";

test.each([
  [0, "0.0 s"],
  [8.42, "8.4 s"],
  [59.4, "59 s"],
  [65, "1 min 05 s"],
  [3600, "1 h"],
  [12_000, "3 h 20 min"],
  [100 * 3600, "4 d 4 h"],
  [-3, "0.0 s"],
])("%d seconds are %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test.each([
  [999, "999 B"],
  [1234, "1.2 kB"],
  [99_960, "100 kB"],
  [999_999, "1.0 MB"],
  [25e9, "25 GB"],
])("%d bytes are %s", (number, text) => expect(bytes(number)).toBe(text));

test("ages, numbers and lines", () => {
  expect([5, 65, 7200, 200_000].map(shortAge)).toEqual(["5s", "1m", "2h", "2d"]);
  expect([1, 1234, "9007199254740993"].map(thousands)).toEqual(["1", "1,234", "9,007,199,254,740,993"]);
  expect(cut("abcdef", 4)).toBe("abc…");
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap(`${colored.red("one")} two three`, 7)).toEqual([`${colored.red("one")} two`, "three"]);
  const text = `${colored.green("green")} and ${colored.red("red")}`;
  expect(visibleLength(cut(text, 8))).toBe(8);
  expect(shown(cut(text, 8)).endsWith("\u001b[0m")).toBe(true);
});

test("a terminal gets our own colours and sequences, and nobody else's", () => {
  const mine = colored.red(`mine ${colored.green("within")} on`) + own("?25", "l");
  const red = "\u001b[31m";
  expect(shown(mine)).toBe(`${red}mine \u001b[32mwithin\u001b[39m${red} on\u001b[39m\u001b[?25l`);
  expect(shown(`${colored.bold("a\u001b[31mb\u001b]0;t\u0007")}\u001b[2J\u001b[1;31m`)).toBe("\u001b[1mab\u001b[22m");
  expect(shown("\u001b[31;12345m\u001b[31;m")).toBe("");
});

const parts = [0, 1, 3, 10, 99, 100];
test("a bar is always as wide as asked, shows every part, and is full only at the end", () => {
  for (const done of parts) {
    for (const failed of parts) {
      for (const running of parts) {
        const total = Math.max(100, done + failed + running);
        const text = bar({ total, done, failed, running }, 12, plain);
        expect([...text].length).toBe(12);
        if (failed) expect(text).toContain("▒");
        if (running) expect(text).toContain("▓");
        if (done < total) expect(text).not.toBe("█".repeat(12));
      }
    }
  }
  expect(bar({ total: 5, done: 5, failed: 0, running: 0 }, 4, plain)).toBe("████");
  for (const share of [0, 0.01, 0.33, 0.5, 0.99, 1]) expect([...thinBar(share, 10, plain)].length).toBe(10);
});

test.each([
  ["sweep.yaml", "sweep.yaml"],
  ["my sweep.yaml", "'my sweep.yaml'"],
  ["it's", "'it'\\''s'"],
  ["", "''"],
  ["{lr}", "'{lr}'"],
])("%s is typed as %s", (word, text) => {
  expect(typed(word)).toBe(text);
});
