import type { Look } from "../terminal.ts";
import { padEnd, wrap } from "./text.ts";

/** One thing the doctor looked at. */
export interface Check {
  readonly what: string;
  readonly result: "ok" | "warn" | "fail";
  readonly message: string;
  /** How to fix it; "" when nothing is wrong. */
  readonly fix: string;
}

export const ok = (what: string, message: string): Check => ({ what, result: "ok", message, fix: "" });
export const warn = (what: string, message: string, fix: string): Check => ({ what, result: "warn", message, fix });
export const fail = (what: string, message: string, fix: string): Check => ({ what, result: "fail", message, fix });

const WHAT = 10;

export function checkLines(checks: readonly Check[], { width, paint }: Look): string {
  const signs = { ok: paint.green("OK  "), warn: paint.yellow("WARN"), fail: paint.red("FAIL") };
  const room = Math.max(30, width - WHAT - 7);
  const indent = " ".repeat(WHAT + 6);
  return checks
    .flatMap(({ what, result, message, fix }) => {
      const [first = "", ...rest] = wrap(message, room);
      const advice = fix ? wrap(`fix: ${fix}`, room) : [];
      return [
        `${signs[result]} ${padEnd(what, WHAT)} ${first}`,
        ...[...rest, ...advice.map((line) => paint.cyan(line))].map((line) => indent + line),
      ];
    })
    .join("\n");
}
