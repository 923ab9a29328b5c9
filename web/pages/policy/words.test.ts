import { expect, test } from "vitest";
import { cliExplain, readAsked, replaySentence } from "./words.ts";

const asked = (query: string) => {
  const params = new URLSearchParams(query);
  return readAsked((key) => params.get(key) ?? undefined);
};

test.each([
  ["", null],
  ["code=abc", null],
  ["code=8021", { code: 8021, attempt: 1 }],
  ["code=-9&attempt=3&site=T2&stderr=+no+seat+", { code: -9, attempt: 3, site: "T2", stderr: "no seat" }],
  ["code=1&attempt=0&request=", { code: 1, attempt: 1 }],
])("%j asks %j", (query, question) => expect(asked(query)).toEqual(question));

test.each([
  ["code=8021&site=T2_DE", "wms2 policy explain --site T2_DE 8021"],
  ["code=-9&attempt=2&stderr=no+seat", "wms2 policy explain --attempt 2 --stderr 'no seat' -- -9"],
])("%j in a terminal", (query, line) => expect(cliExplain(asked(query)!)).toBe(line));

test.each([
  ["retry", "a", "retry", "a", /The same would be decided now: retry, by the same rule/],
  ["retry", "a", "retry", "b", /by another rule: b/],
  ["retry", "a", "stop", "a", /otherwise now: stop, not retry/],
])("%s by %s, now %s by %s", (then, rule, now, by, text) =>
  expect(replaySentence({ decision: then, rule }, { decision: now, rule: by })).toMatch(text),
);
