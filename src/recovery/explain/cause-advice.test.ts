import { expect, test } from "vitest";
import type { SuspectSite } from "./advise.ts";
import { causeAdvice, filterOf } from "./cause-advice.ts";

type CommonCause = Parameters<typeof causeAdvice>[0];
const cause = (over: Partial<CommonCause> = {}): CommonCause => ({
  exitCode: 8028,
  rule: null,
  cause: null,
  category: "transient",
  site: null,
  file: null,
  failures: 6,
  retrying: 0,
  unclassified: 0,
  requests: 2,
  held: 2,
  names: ["muons", "taus"],
  ...over,
});
const NORTH: SuspectSite = {
  name: "north",
  here: { failed: 6, ran: 6 },
  elsewhere: { failed: 2, ran: 1167 },
  isBanned: false,
};
const told = (over: Partial<CommonCause>, site: SuspectSite | null = null, nextVersionKeeps = false) =>
  causeAdvice(cause(over), { site, mostMemoryMb: null, nextVersionKeeps });

const AWAY = { category: "infrastructure", site: "north" };
test.each<[string, Partial<CommonCause>, string, object | null, string | null]>([
  ["nothing failed for good", { failures: 0, retrying: 4 }, "wait", null, null],
  ["a code that no rule knows", { unclassified: 3 }, "classify", null, "wms2 groups muons"],
  [
    "proof against a file, whatever else it is",
    { file: "/data/a b.csv", ...AWAY },
    "release",
    { action: "release", excluded_files: ["/data/a b.csv"] },
    "wms2 release --filter status=held code=8028 site=north file='/data/a b.csv' --exclude '/data/a b.csv' --reason TEXT",
  ],
  [
    "the place's by its kind, but no worse than others",
    AWAY,
    "rescue",
    { action: "rescue" },
    "wms2 rescue --filter status=held code=8028 site=north --reason TEXT",
  ],
  ["out of memory", { cause: "oom" }, "recover", null, "wms2 recover muons taus --dry-run"],
  [
    "out of time, one request",
    { cause: "walltime", requests: 1, names: ["muons"] },
    "recover",
    null,
    "wms2 recover muons --dry-run",
  ],
  ["for good", { category: "permanent" }, "release", null, "wms2 release muons --from FILE --reason TEXT"],
  ["else", {}, "rescue", { action: "rescue" }, "wms2 rescue --filter status=held code=8028 --reason TEXT"],
])("%s", (_name, over, action, body, command) => {
  expect(told(over)).toMatchObject({ action, body, command, everybodyCommand: null });
});

test("a site that stands out is left out by these requests, or by everybody, as the person chooses", () => {
  expect(told(AWAY, NORTH)).toEqual({
    action: "release",
    reason: "the site is the likely cause: 6 of 6 (100 %) failed at north, elsewhere 2 of 1,167 (0.2 %): leave it out",
    body: { action: "release", site_bans: ["north"] },
    command: "wms2 release --filter status=held code=8028 site=north --ban north --reason TEXT",
    everybodyCommand: "wms2 sites ban north --reason TEXT",
  });
  expect(told(AWAY, { ...NORTH, isBanned: true })).toMatchObject({
    reason: "most were at north, which is banned: a release goes on elsewhere",
    body: { action: "release" },
    command: "wms2 release --filter status=held code=8028 site=north --reason TEXT",
    everybodyCommand: null,
  });
  expect(told({ ...AWAY, category: "permanent" }, NORTH)).toMatchObject({ everybodyCommand: null });
});

test("of a graph the next version takes what was corrected", () => {
  expect(told({ category: "permanent", requests: 1, names: ["sweep"] }, null, true).command).toBe(
    "wms2 restart sweep --from FILE --reason TEXT",
  );
});

test("while nobody is held there is nothing to decide for many, and the filter does not ask for it", () => {
  const running = { held: 0, ...AWAY };
  expect(told(running, NORTH)).toMatchObject({
    body: null,
    command: null,
    everybodyCommand: "wms2 sites ban north --reason TEXT",
  });
  expect(filterOf(cause(running))).toEqual({ code: 8028, site: "north" });
  expect(filterOf(cause())).toEqual({ status: ["held"], code: 8028 });
});
