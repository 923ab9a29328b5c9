import { expect, test } from "vitest";
import { REQMGR2_RULES, readNames, readRequest, readUpdate } from "./answers.ts";
import * as questions from "./questions.ts";

const BASE = "https://host/reqmgr2/data";

test("filters are joined: one status, one team, any of the campaigns", () => {
  const filter = { status: "assigned", team: "production", campaigns: ["A", "B&C"] };
  expect(questions.namesLike(BASE, filter).url).toBe(
    `${BASE}/request?status=assigned&team=production&campaign=A&campaign=B%26C&detail=false`,
  );
  expect(questions.namesLike(BASE, { status: "assigned", team: null, campaigns: null }).url).toBe(
    `${BASE}/request?status=assigned&detail=false`,
  );
});

test("a name is one part of the path, whatever is in it", () => {
  expect(questions.requestByName(BASE, "a/../b?c").url).toBe(`${BASE}/request/a%2F..%2Fb%3Fc`);
});

test("a request is found by its name; no result is none", () => {
  expect(readRequest({ result: [{ one: { RequestStatus: "new" } }] }, "one")).toEqual({ RequestStatus: "new" });
  expect(readRequest({ result: [] }, "one")).toBeNull();
  expect(readRequest({ result: [{ other: {} }] }, "one")).toBeNull();
  expect(() => readRequest({ error: 1 }, "one")).toThrow(/no result/);
});

test("names come as names, or as documents that carry them", () => {
  expect(readNames({ result: ["a", "b"] })).toEqual(["a", "b"]);
  expect(readNames({ result: [{ a: {}, b: {} }] })).toEqual(["a", "b"]);
  expect(readNames({ result: [] })).toEqual([]);
});

test("an update behind 200 may still be an error", () => {
  const answer = (text: string) => ({ status: 200, headers: {}, text });
  expect(readUpdate(answer('{"result":[{"one":"OK"}]}'), "one")).toBeNull();
  expect(readUpdate(answer('{"result":[{"one":"ERROR"}]}'), "one")).toMatchObject({ code: "ERROR" });
});

test("a status is set once: whoever is not sure looks first", () => {
  expect(questions.newStatus(BASE, "one", "acquired")).toMatchObject({ method: "PUT", repeatable: false });
});

test("what it refuses stands in the headers", () => {
  const headers = { "x-rest-status": "1101", "x-error-detail": "InvalidStateTransition: new to completed" };
  expect(REQMGR2_RULES.refusal({ status: 400, headers, text: "" })).toEqual({
    kind: "refused",
    code: "1101",
    message: "InvalidStateTransition: new to completed",
    fix: expect.stringContaining("another status"),
  });
});
