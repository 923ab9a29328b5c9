import { expect, test } from "vitest";
import { type OpenMatter, type ShiftReport, shiftReportText, shiftSentence } from "./shift-report.ts";

const at = (text: string): Date => new Date(`2026-11-15T${text}:00.000Z`);
const group = (kind: string, what: string, subjects: string[], more: Partial<ShiftReport["groups"][number]> = {}) => ({
  ...{ kind, what, actor: null, text: "", texts: 1, count: subjects.length, lastAt: at("10:00") },
  ...{ subjects, subjectsTotal: subjects.length, ...more },
});
const matter = (kind: OpenMatter["kind"], code: string, more: Partial<OpenMatter> = {}): OpenMatter => ({
  ...{ kind, code, count: 1, since: at("10:06"), text: "why", subjects: ["taus"], actor: null, command: "wms2 list" },
  ...more,
});
const REPORT: ShiftReport = {
  ...{ host: "here", since: at("04:00"), at: at("12:00"), sentence: "All is well.", entries: 0 },
  ...{ open: [], groups: [], more: [] },
};

test("the report as text: what is open first, then what happened, by kind; what is beyond it is counted", () => {
  const many = ["a", "b", "c", "d", "e", "f"];
  const open = [
    matter("held", "units-failed", { count: 3300, subjects: many, command: "wms2 list --filter hold=units-failed" }),
    matter("alert", "warning: disk", { subjects: ["spool"], text: "2 GB free", actor: "ada" }),
    matter("site", "north", { text: "draining" }),
  ];
  const groups = [
    group("action", "ban", ["south"], { actor: "ada", text: "its storage\nis down" }),
    group("transition", "held", many, { text: "units-failed: 3 of 8", texts: 9, subjectsTotal: 3300, count: 3400 }),
    group("transition", "completed", ["muons"]),
  ];
  const more = [{ kind: "transition", lines: 12, count: 40, command: "wms2 feed --since 8h --kind transition" }];
  expect(shiftReportText({ ...REPORT, open, groups, more, entries: 3442 })).toBe(
    `SHIFT REPORT of here: 2026-11-15 04:00 to 2026-11-15 12:00 UTC (8 h)
All is well.

OPEN NOW
  held   units-failed (3,300): a, b, c, d, e and 3,295 others, since 2026-11-15 10:06: why; all: wms2 list --filter hold=units-failed
  alert  warning: disk: spool, since 2026-11-15 10:06: 2 GB free (ada takes care of it)
  site   north, since 2026-11-15 10:06: draining

WHAT WAS DONE
  10:00  ban  south: by ada: its storage is down

REQUESTS
  10:00  held (3,300)  a, b, c, d, e and 3,295 others, 3,400 ×: for example: units-failed: 3 of 8
  10:00  completed  muons
  and 12 other lines (40 in all): wms2 feed --since 8h --kind transition
`,
  );
});

test("a quiet night says so; one longer than a day says the day", () => {
  expect(shiftReportText(REPORT)).toMatch(/OPEN NOW\n {2}nothing needs a person\n\nNothing happened\.\n$/);
  const since = new Date("2026-11-13T00:00:00Z");
  const text = shiftReportText({ ...REPORT, since, entries: 1, groups: [group("transition", "completed", ["a"])] });
  expect(text).toContain("\n  11-15 10:00  completed  a\n");
});

const total = (kind: string, what: string, subjects: number, count = subjects) => ({ kind, what, count, subjects });
test.each([
  [[], [], "Nothing waits for a person. In this time: nothing."],
  [
    [matter("held", "x", { count: 3300 }), matter("wait", "y"), matter("site", "s"), matter("cause", "exit 1")],
    [],
    "3,301 requests wait for a person, 1 other matter is open. In this time: nothing.",
  ],
  [
    [matter("held", "x")],
    [total("transition", "completed", 2), total("transition", "held", 1), total("action", "ban", 1, 2)],
    "1 request waits for a person. In this time: 2 completed, 1 was held, 2 actions.",
  ],
])("in one sentence: %o %o", (open, totals, text) => {
  expect(shiftSentence(open, totals)).toBe(text);
});
