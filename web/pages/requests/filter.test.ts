import { expect, test } from "vitest";
import { cliFilter, cliList, isLike, readFilter, requestsHref } from "./filter.ts";

const url = (text: string) => {
  const params = new URLSearchParams(text);
  return { get: (key: string) => params.get(key) ?? undefined, all: (key: string) => params.getAll(key) };
};

test("the address, the bulk filter and the CLI line say the same", () => {
  const filter = readFilter(url("status=held&status=queued&text=two+words&code=8021&site=T2_DE_South"));
  expect(filter).toEqual({ status: ["held", "queued"], text: "two words", code: 8021, site: "T2_DE_South" });
  expect(cliFilter(filter)).toBe("--filter status=held status=queued text='two words' site=T2_DE_South code=8021");
  expect(readFilter(url(requestsHref(filter).split("?")[1]!))).toEqual(filter);
});

test("what nobody knows is left out", () => {
  expect(readFilter(url("status=nonsense&code=x&page=3"))).toEqual({});
  expect(cliList({})).toBe("wms2 list");
});

test.each([
  ["MUONS", true],
  [" anna ", true],
  ["units failed", true],
  ["taus", false],
])("while somebody types %j, the row of muons is shown: %s", (text, isShown) => {
  const row = { request_name: "muons-2026", requestor: "anna", campaign: "Run2026A", reason: "8 of 14 units failed" };
  expect(isLike(row, text)).toBe(isShown);
});
