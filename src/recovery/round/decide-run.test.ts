import { expect, it } from "vitest";
import type { RequestName } from "../../core/names.ts";
import { isTerminal, REQUEST_STATUSES } from "../../core/request-status.ts";
import { decideRun } from "./decide-run.ts";

const name = "sweep" as RequestName;
const latest = (status: (typeof REQUEST_STATUSES)[number], isSame = true, noNextVersion: string | null = null) => ({
  name,
  status,
  isSame,
  noNextVersion,
  otherFolder: null,
});

it.each([
  ["no such request", null, null, "submit"],
  ["it runs", latest("active"), null, "join"],
  ["it waits to be admitted", latest("queued"), null, "join"],
  ["it runs, and the file was changed", latest("active", false), null, "refuse"],
  ["it is a draft", latest("new"), null, "submit-draft"],
  ["it is held", latest("held"), null, "release"],
  ["it is held, and the file was changed", latest("held", false), null, "restart"],
  ["it was stopped", latest("resubmitting"), null, "resume"],
  ["it is done and all of it holds", latest("completed"), 0, "nothing"],
  ["it is done and an input changed", latest("completed"), 3, "next-version"],
  ["it is done, of a kind that always begins again", latest("completed"), null, "next-version"],
  ["it is done and the file was changed in a word that runs nothing", latest("completed", false), 0, "nothing"],
  ["it was given up", latest("aborted"), 0, "next-version"],
  ["versions have run out", latest("failed", true, "version 21 would be past the limit"), 5, "refuse"],
] as const)("%s", (_, facts, toRun, expected) =>
  expect(decideRun({ latest: facts, toRun, stale: 0 }).kind).toBe(expected),
);

it("does not go on with what a finished job made and is there no more, or was made of something else", () => {
  expect(decideRun({ latest: latest("held"), toRun: 3, stale: 1 })).toEqual({
    kind: "restart",
    name,
    reason: "sweep is held, and a job that finished no longer holds: the next version goes on",
  });
  const last = latest("held", true, "version 21 would be past the limit");
  expect(decideRun({ latest: last, toRun: 3, stale: 2 }).kind).toBe("release");
});

it("in another folder it is another request, whatever became of the first", () => {
  for (const status of REQUEST_STATUSES)
    expect(decideRun({ latest: { ...latest(status), otherFolder: "/data/a" }, toRun: 0, stale: 0 })).toEqual({
      kind: "refuse",
      reason: "sweep runs in /data/a, and this one elsewhere: it is not a version of it",
      hint: "give it a name of its own (--name), or run it there",
    });
});

it("knows what to do in every state, and never begins a second run beside one that is open", () => {
  for (const status of REQUEST_STATUSES)
    for (const isSame of [true, false]) {
      const { kind, reason } = decideRun({ latest: latest(status, isSame), toRun: 1, stale: 1 });
      expect(reason).not.toBe("");
      if (!isTerminal(status)) expect(["submit", "next-version"]).not.toContain(kind);
    }
});
