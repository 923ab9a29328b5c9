import type { Look } from "../terminal.ts";
import { padEnd, wrap } from "./text.ts";

/** One thing the doctor looked at. */
export interface Check {
  readonly what: string;
  readonly result: "ok" | "warn" | "fail";
  readonly words: string;
  /** How to mend it; "" when nothing is wrong. */
  readonly mend: string;
}

export const ok = (what: string, words: string): Check => ({ what, result: "ok", words, mend: "" });
export const warn = (what: string, words: string, mend: string): Check => ({ what, result: "warn", words, mend });
export const fail = (what: string, words: string, mend: string): Check => ({ what, result: "fail", words, mend });

const WHAT = 10;

export function checkLines(checks: readonly Check[], { width, paint }: Look): string {
  const signs = { ok: paint.green("OK  "), warn: paint.yellow("WARN"), fail: paint.red("FAIL") };
  const room = Math.max(30, width - WHAT - 7);
  const indent = " ".repeat(WHAT + 6);
  return checks
    .flatMap(({ what, result, words, mend }) => {
      const [first = "", ...rest] = wrap(words, room);
      const advice = mend ? wrap(`mend: ${mend}`, room) : [];
      return [
        `${signs[result]} ${padEnd(what, WHAT)} ${first}`,
        ...[...rest, ...advice.map((line) => paint.cyan(line))].map((line) => indent + line),
      ];
    })
    .join("\n");
}
