import { expect, test } from "vitest";
import { sentenceOf } from "./sentence.ts";

type Request = Parameters<typeof sentenceOf>[0];
const request = (over: Partial<Request>): Request => ({
  status: "active",
  status_meaning: "",
  hold: null,
  waiting: null,
  wish: null,
  error: null,
  superseded_by_request: null,
  status_transitions: [],
  ...over,
});
const at = "2026-11-16T02:10:00.000Z";
const workflow = {
  round: 1,
  work_units: { total: 400, done: 120, running: 30, failed: 2, expected: 400 },
  eta: { at, earliest: at, latest: at, overdue: false, text: "in 5 to 9 min" },
};
const waiting = (code: "running" | "slots" | "products-held", reason: string) => ({
  code,
  reason,
  since: at,
  until: null,
  who: "time" as const,
  details: [],
});

test.each<[string, Request, Parameters<typeof sentenceOf>[1], ReturnType<typeof sentenceOf>]>([
  [
    "one that runs says how far it is and when its round is done",
    request({ waiting: waiting("running", "30 jobs running") }),
    workflow,
    {
      is: "It runs round 1: 120 of 400 work units done, 2 failed",
      because: null,
      next: "when the round has ended, the next one is planned or the outputs are registered",
      when: "this round: in 5 to 9 min",
    },
  ],
  [
    "one whose outputs were withdrawn does not call them registered",
    request({ status: "completed", status_meaning: "all work done, and its outputs withdrawn" }),
    null,
    { is: "It is completed: all work done, and its outputs withdrawn", because: null, next: null, when: null },
  ],
  [
    "one whose products are held waits for a person, not for a slot",
    request({ status: "queued", waiting: { ...waiting("products-held", "1 held"), who: "operator" as const } }),
    null,
    { is: "It has nothing to run now", because: "1 held", next: "it waits for a person", when: null },
  ],
  [
    "one whose jobs are idle says why",
    request({ waiting: waiting("slots", "others have the room") }),
    null,
    { is: "It runs", because: "others have the room", next: expect.any(String) as never, when: null },
  ],
  [
    "a held one says whom it waits for, and what that person may do",
    request({
      status: "held",
      hold: { code: "no-site", message: "no site is left", details: [], evidence: {}, actions: ["release", "abort"] },
    }),
    null,
    { is: "It is held", because: "no site is left", next: "it waits for a site: release, abort", when: null },
  ],
  [
    "what somebody asked for comes next",
    request({ status: "held", wish: { kind: "release", actor: "anna", reason: "fixed", at } }),
    null,
    {
      is: "It is held",
      because: null,
      next: "anna asked to release it: the scheduler does it at its next pass",
      when: null,
    },
  ],
  [
    "one that is over says the reason of its last move",
    request({
      status: "aborted",
      status_transitions: [{ from: "active", to: "aborted", reason: "wrong input", actor: "anna", at }],
    }),
    null,
    { is: "It was cancelled", because: "wrong input", next: null, when: null },
  ],
])("%s", (_, from, status, expected) => {
  expect(sentenceOf(from, status)).toEqual(expected);
});
