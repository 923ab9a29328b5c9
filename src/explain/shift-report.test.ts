import { expect, test } from "vitest";
import { groupHappened, type ShiftReport, shiftReportText } from "./shift-report.ts";

const at = (text: string): Date => new Date(`2026-11-15T${text}:00.000Z`);
const move = (time: string, subject: string, what: string, text = "", actor = "wms2") => ({
  at: at(time),
  kind: "transition" as string,
  subject,
  what,
  actor,
  text,
});
const done = (time: string, subject: string, what: string, text: string) => ({
  ...move(time, subject, what, text, "ada"),
  kind: "action",
});

test("what went as usual is counted, whatever its reason; what did not keeps its reason", () => {
  const groups = groupHappened([
    move("10:00", "a", "active → completed", "8 of 8 units"),
    move("10:05", "b", "active → completed", "3 of 3 units"),
    move("10:05", "c", "active → partial", "the run ended"),
    move("10:06", "c", "partial → held", "units-failed: 3 of 8"),
    move("10:07", "d", "active → held", "no-site: none is left"),
  ]);
  expect(groups.map(({ what, text, subjects }) => [what, text, subjects.join()])).toEqual([
    ["held", "units-failed: 3 of 8", "c"],
    ["held", "no-site: none is left", "d"],
    ["completed", "", "a,b"],
  ]);
});

test("one decision about many is one line, with its first and last moment", () => {
  const [group, ...rest] = groupHappened([
    done("11:00", "a", "release", "the site is out"),
    done("11:01", "b", "release", "the site is out"),
    done("11:02", "a", "release", "the site is out"),
  ]);
  expect(rest).toEqual([]);
  expect(group).toMatchObject({ count: 3, subjects: ["a", "b"], firstAt: at("11:00"), lastAt: at("11:02") });
});

test("a held request is said once: its alert adds nothing, others do; alone, it stays", () => {
  const alert = (text: string) => ({ ...move("10:07", "taus", "warning", text), kind: "alert", actor: null });
  const alerts = [alert("held (units-failed): 3 of 8"), alert("waits since 09:00")];
  const both = groupHappened([move("10:06", "taus", "partial → held", "units-failed: 3 of 8"), ...alerts]);
  expect(both.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "alert waits since 09:00",
    "transition units-failed: 3 of 8",
  ]);
  expect(groupHappened(alerts)).toHaveLength(2);
});

test("a ban by hand is said once, one of the program stays", () => {
  const ban = (time: string, subject: string, actor: string | null) => ({
    ...done(time, subject, "banned", "its storage is down"),
    kind: "ban",
    actor,
  });
  const groups = groupHappened([
    done("11:00", "south", "ban", "its storage is down"),
    ban("11:00", "south", "ada"),
    ban("11:30", "north", null),
  ]);
  expect(groups.map(({ kind, subjects }) => [kind, ...subjects])).toEqual([
    ["action", "south"],
    ["ban", "north"],
  ]);
});

const REPORT: ShiftReport = {
  host: "here",
  since: at("04:00"),
  at: at("12:00"),
  entries: 0,
  cutAt: null,
  open: [],
  groups: [],
};

test("the report as text: what is open first, then what happened, by kind", () => {
  const entries = [
    move("10:00", "muons", "active → completed", "8 of 8 units"),
    move("10:06", "taus", "active → held", "units-failed: 3 of 8\nfailed"),
    done("11:00", "south", "ban", "its storage is down"),
  ];
  const open = [
    { kind: "held" as const, subject: "taus", since: at("10:06"), text: "units-failed: 3 of 8", actor: null },
    { kind: "alert" as const, subject: "spool", since: at("09:00"), text: "warning: 2 GB free", actor: "ada" },
  ];
  expect(shiftReportText({ ...REPORT, open, entries: 3, groups: groupHappened(entries) })).toBe(
    `SHIFT REPORT of here: 2026-11-15 04:00 to 2026-11-15 12:00 UTC (8 h)

OPEN NOW (2)
  held   taus, since 2026-11-15 10:06: units-failed: 3 of 8
  alert  spool, since 2026-11-15 09:00: warning: 2 GB free (ada takes care of it)

WHAT WAS DONE (1)
  11:00  ban  south: by ada: its storage is down

REQUESTS (2)
  10:06  held  taus: by wms2: units-failed: 3 of 8 failed
  10:00  completed  muons
`,
  );
});

test("a quiet night says so; one that is cut says where; one longer than a day says the day", () => {
  expect(shiftReportText(REPORT)).toMatch(/OPEN NOW \(0\)\n {2}nothing needs a person\n\nNothing happened\.\n$/);
  const groups = groupHappened([move("10:00", "a", "active → completed")]);
  const since = new Date("2026-11-13T00:00:00Z");
  const text = shiftReportText({ ...REPORT, since, entries: 5000, cutAt: at("11:00"), groups });
  expect(text).toContain("\n  11-15 10:00  completed  a\n");
  expect(text).toContain("Cut at 2026-11-15 11:00, after 5000 entries: ask again with a later since.");
});
