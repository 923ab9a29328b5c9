import { expect, test } from "vitest";
import { filterOf, suggestForCause } from "./suggest-cause.ts";

type CommonCause = Parameters<typeof suggestForCause>[0];
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

test.each<[string, Partial<CommonCause>, string, object | null, string | null]>([
  ["nothing failed for good", { failures: 0, retrying: 4 }, "wait", null, null],
  ["a code that no rule knows", { unclassified: 3 }, "classify", null, "wms2 groups muons"],
  [
    "proof against a file, whatever else it is",
    { file: "/data/a b.csv", category: "infrastructure", site: "north" },
    "exclude",
    { action: "release", excluded_files: ["/data/a b.csv"] },
    "wms2 release --filter status=held code=8028 site=north file='/data/a b.csv' --exclude '/data/a b.csv' --reason TEXT",
  ],
  [
    "the place's fault",
    { category: "infrastructure", site: "north" },
    "ban",
    { action: "release", site_bans: ["north"] },
    'wms2 sites ban north --reason "6 failures with 8028"',
  ],
  ["out of memory", { cause: "oom" }, "recover", null, "wms2 recover NAME (2 requests) --dry-run"],
  ["out of time, one request", { cause: "walltime", requests: 1 }, "recover", null, "wms2 recover muons --dry-run"],
  ["for good", { category: "permanent" }, "restart", null, "wms2 restart NAME (2 requests) --from FILE --reason TEXT"],
  ["else", {}, "rescue", { action: "rescue" }, "wms2 rescue --filter status=held code=8028 --reason TEXT"],
])("%s", (_name, over, action, body, command) => {
  expect(suggestForCause(cause(over))).toMatchObject({ action, body, command });
});

test("while nobody is held there is nothing to decide for many, and the filter does not ask for it", () => {
  const running = cause({ held: 0, category: "infrastructure", site: "north" });
  expect(suggestForCause(running).body).toBeNull();
  expect(filterOf(running)).toEqual({ code: 8028, site: "north" });
  expect(filterOf(cause())).toEqual({ status: ["held"], code: 8028 });
});
