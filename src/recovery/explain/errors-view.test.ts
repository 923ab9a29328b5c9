import { expect, test } from "vitest";
import { AWAY, attemptLine, DATA, failedLine, failing, PERMANENT } from "../../../tests/support/rounds.ts";
import type { RequestStatus } from "../../core/request-status.ts";
import { EMPTY_ROUND, meaningOf, tallyRound, type UnitAttempts } from "../round/tally.ts";
import { describeErrors } from "./describe-errors.ts";
import { errorsView, tailsWanted } from "./errors-view.ts";

const unit = (index: number) => `mg_${String(index).padStart(6, "0")}`;
const done = (index: number, site: string): UnitAttempts => ({
  unit: unit(index),
  state: "done",
  lines: Array.from({ length: 4 }, (_, at) => attemptLine({ node: `proc_${at}`, site })),
});
const NOWHERE = {
  unitWord: "unit",
  excluded: [],
  damaged: [],
  possibleSites: null,
  bannedSites: [],
  tails: new Map<string, string>(),
};

const small = tallyRound([
  failing(unit(0), AWAY("T2_XX_Beta"), { ...AWAY("T2_XX_Beta"), host: "worker7" }),
  failing(unit(1), { ...DATA("/store/data/a.root"), site: "T2_XX_Alpha", at: "2025-12-31T23:00:00.000Z" }),
  failing(unit(2), { ...AWAY("T2_XX_Beta"), host: "worker7" }, { ...AWAY("T2_XX_Beta"), host: "worker8" }),
  ...[3, 4, 5, 6, 7, 8].map((index) => done(index, "T2_XX_Alpha")),
  { unit: unit(9), state: "done", lines: [failedLine({ decision: "retry" }), attemptLine({ cluster: 3 })] },
]);

test("ten units, golden", () => {
  expect(tailsWanted(small).map(({ unit, node }) => `${unit}/${node}`)).toEqual([
    "mg_000000/proc_000000",
    "mg_000001/proc_000000",
  ]);
  const tails = new Map([
    ["mg_000000/proc_000000", "begin\n\nopening /store/data/b.root\nerror: \u001b[31mno route to host\u001b[0m\n"],
  ]);
  const view = errorsView(small, { ...NOWHERE, tails, unitsTotal: 10, unitsDone: 7 });
  expect(describeErrors(view, 100)).toEqual(GOLDEN_SMALL);
});

test("ten thousand failures, golden: as long as ten", () => {
  const units = Array.from({ length: 2500 }, (_, at) =>
    failing(
      unit(at),
      { ...PERMANENT, site: `T2_XX_S${at % 12}`, host: `w${at % 400}` },
      { site: `T2_XX_S${at % 12}`, host: `w${at % 401}`, exitCode: 60000 + (at % 9), rule: null },
      { ...PERMANENT, site: `T2_XX_S${at % 12}` },
      { cause: "signal", exitCode: 139, rule: null, category: "permanent", files: [`/store/f${at % 30}`] },
    ),
  );
  const view = errorsView(tallyRound(units), { ...NOWHERE, unitsTotal: 20_000, unitsDone: 17_500 });
  expect(view.nodesFailed).toBe(10_000);
  const lines = describeErrors(view, 100);
  expect(lines).toEqual(GOLDEN_BIG);
  expect(JSON.stringify(view).length).toBeLessThan(20_000);
});

test("failed attempts that wait for their next try are failures, golden", () => {
  const cooling = { decision: "retry", retry: 0, maxRetries: 3, notBefore: "2026-01-01T00:15:00Z" } as const;
  const lines = [0, 1, 2, 3].map((at) => failedLine({ ...cooling, node: `proc_00000${at}`, cluster: at + 1 }));
  const tally = tallyRound([{ unit: unit(0), state: "open", lines }]);
  const view = errorsView(tally, { ...NOWHERE, unitsTotal: 1, unitsDone: 0 });
  expect(view).toMatchObject({ nodesRetrying: 4, nodesFailed: 0, suggestion: { action: "wait" } });
  expect(describeErrors(view, 100)).toMatchInlineSnapshot(`
    [
      "4 jobs failed and will be tried again; 0 of 1 unit done",
      "first      2026-01-01T00:00:00.000Z mg_000000/proc_000000 at T2_XX_Alpha: copying the output to",
      "           storage failed",
      "next try   2026-01-01T00:15:00Z",
      "",
      "tried again",
      "      4  60307        transient      mg_000000/proc_000000  copying the output to storage failed",
      "sites",
      "      4  T2_XX_Alpha          of 4 nodes that ran there",
      "",
      "suggested: wait: 4 failed jobs are retried automatically",
    ]
  `);
});

test("files that are left out are told, with whose word it was", () => {
  const excluded = [{ file: "/store/data/a.root", reason: "by ann: the disk is broken" }];
  const view = errorsView(EMPTY_ROUND, { ...NOWHERE, excluded, unitsTotal: 3, unitsDone: 3 });
  expect(describeErrors(view, 80)).toContain("         /store/data/a.root  by ann: the disk is broken");
});

test("nothing failed", () => {
  const view = errorsView(EMPTY_ROUND, { ...NOWHERE, unitsTotal: 3, unitsDone: 3 });
  expect(describeErrors(view, 80)).toEqual([
    "no failures; 3 of 3 units done",
    "",
    "",
    "suggested: nothing: nothing has failed",
  ]);
});

test("of a graph it speaks of jobs, by the names a person gave them, and never of units and nodes", () => {
  const job = (index: number) => `job_00000${index}`;
  const tally = tallyRound([
    failing(job(0), { ...AWAY("here"), node: job(0) }),
    failing(job(1), { ...AWAY("here"), node: job(1) }),
    { unit: job(2), state: "done", lines: [failedLine({ decision: "retry" }), attemptLine({ cluster: 3 })] },
  ]);
  const facts = { ...NOWHERE, unitWord: "job", unitsTotal: 6, unitsDone: 1, blocked: [{ by: job(0), units: 3 }] };
  const lines = describeErrors(errorsView(tally, { ...facts, nameOf: (unit) => `fit ${unit.at(-1)}` }), 200);
  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "2 of 6 jobs failed (33 %); 1 job failed at first and then succeeded
    category   infrastructure 2
    first      2026-01-01T00:00:00.000Z fit 0 at here: copying the output to storage failed

    failures
          2  8020         infrastructure fit 0  an input file could not be opened
    blocked
          3  wait for fit 0, which failed
    sites
          2  here                 of 2 jobs that ran there

    suggested: rescue: the failures may be temporary: run what failed again"
  `);
  expect(lines.join("\n")).not.toMatch(/\bunits?\b|\bnodes?\b|job_0/);
});

test("what to try first", () => {
  const suggest = (units: UnitAttempts[], over = {}) =>
    errorsView(tallyRound(units), { ...NOWHERE, unitsTotal: 10, unitsDone: 5, ...over }).suggestion;
  const atBeta = [failing(unit(0), AWAY("B"), AWAY("B"), AWAY("B")), done(1, "A")];
  expect(suggest(atBeta)).toMatchObject({ action: "release", modifications: { site_bans: ["B"] } });
  expect(suggest(atBeta, { possibleSites: ["B"] })).toMatchObject({ action: "rescue" });
  expect(suggest([failing(unit(0), AWAY("B"), AWAY("B"))])).toMatchObject({ action: "rescue" });
  expect(suggest([failing(unit(0), DATA("/f"))])).toMatchObject({ modifications: { excluded_files: ["/f"] } });
  expect(suggest([failing(unit(0), PERMANENT)])).toMatchObject({ action: "release", modifications: {} });
  expect(suggest([failing(unit(0), PERMANENT)], { nextVersionKeeps: true })).toMatchObject({ action: "restart" });
  const request = { name: "muons", status: "held", maxMemoryMb: 6000 };
  expect(suggest([failing(unit(0), { ...PERMANENT, cause: "oom" })], { request })).toMatchObject({
    action: "release",
    modifications: { memory_mb: 6000 },
  });
  expect(suggest([failing(unit(0), { decision: "unclassified" })])).toMatchObject({ action: "classify" });
  expect(suggest([failing(unit(0))])).toMatchObject({ action: "rescue" });
  expect(suggest([failing(unit(0), {})])).toMatchObject({ action: "rescue" });
});

test("codes have the meaning of the built-in table", () => {
  expect(meaningOf(8021, null, "exit")).toBe("an input file was opened, but reading it failed");
  expect(meaningOf(8012, null, "exit")).toMatch(/a product, a dictionary/);
  expect(meaningOf(137, null, "signal")).toMatch(/SIGKILL/);
  expect(meaningOf(8001, "cvmfs-broken", "exit")).toMatch(/CVMFS/);
  expect(meaningOf(-1002, null, "evicted")).toMatch(/taken away/);
  expect(meaningOf(4711, "my-handler#1", "exit")).toBeNull();
});

const GOLDEN_SMALL: readonly string[] = [
  "3 of 10 units failed (30 %), 5 nodes; 1 node failed at first and then succeeded",
  "category   infrastructure 4 · data 1",
  "first      2025-12-31T23:00:00.000Z mg_000001/proc_000000 at T2_XX_Alpha: no more retries:",
  "           /store/data/a.root failed at two sites",
  "common     4 of 5 at T2_XX_Beta; 1 bad input file, by proof",
  "",
  "failures",
  "      4  8020         infrastructure mg_000000/proc_000000  an input file could not be opened",
  "      1  8021         data           mg_000001/proc_000000  an input file was opened, but reading i…",
  "sites",
  "      4  T2_XX_Beta           of 4 nodes that ran there; the site is the likely cause",
  "      1  T2_XX_Alpha          of 26 nodes that ran there",
  "files",
  "      1  bad       /store/data/a.root (T2_XX_Alpha)",
  "",
  "log of mg_000000/proc_000000 (8020)",
  "  | begin",
  "  | opening /store/data/b.root",
  "  | error: no route to host",
  "",
  "suggested: release with site_bans: the site is the likely cause: 4 of 4 (100 %) failed at",
  "           T2_XX_Beta, elsewhere 0 of 26 (0 %): leave it out",
  "  for all: wms2 sites ban T2_XX_Beta --reason TEXT",
];
const GOLDEN_BIG: readonly string[] = [
  "2500 of 20000 units failed (13 %), 10000 nodes",
  "category   permanent 7500 · transient 2500",
  "first      2026-01-01T00:00:00.000Z mg_000000/proc_000000 at T2_XX_S0: copying the output to storage",
  "           failed",
  "",
  "failures (and 6 more)",
  "   5000  8001         permanent      mg_000000/proc_000000  the framework raised an exception witho…",
  "   2500  SIGSEGV      permanent      mg_000000/proc_000003  the program crashed (SIGABRT, SIGSEGV, …",
  "    278  60000        transient      mg_000000/proc_000001  copying the output to storage failed",
  "    278  60001        transient      mg_000001/proc_000001  copying the output to storage failed",
  "    278  60002        transient      mg_000002/proc_000001  copying the output to storage failed",
  "sites (and 8 more)",
  "   2500  T2_XX_Alpha          of 2500 nodes that ran there",
  "    627  T2_XX_S0             of 627 nodes that ran there",
  "    627  T2_XX_S1             of 627 nodes that ran there",
  "    627  T2_XX_S2             of 627 nodes that ran there",
  "    627  T2_XX_S3             of 627 nodes that ran there",
  "files (and 25 more)",
  "     84  suspected /store/f0 (T2_XX_Alpha)",
  "     84  suspected /store/f1 (T2_XX_Alpha)",
  "     84  suspected /store/f2 (T2_XX_Alpha)",
  "     84  suspected /store/f3 (T2_XX_Alpha)",
  "     84  suspected /store/f4 (T2_XX_Alpha)",
  "",
  "suggested: release: a retry changes nothing: correct the cause and go on with the corrected file;",
  "           what is done stays",
];

test("the advice is a command that can be typed, where the state allows it", () => {
  const view = (status: RequestStatus, ...units: UnitAttempts[]) =>
    errorsView(tallyRound(units), {
      ...NOWHERE,
      unitsTotal: 10,
      unitsDone: 5,
      request: { name: "muons", status, maxMemoryMb: 6000 },
    });
  const wrong = failing(unit(0), PERMANENT);
  expect(view("held", wrong).suggestion.command).toBe("wms2 release muons --from FILE --reason TEXT");
  expect(view("failed", wrong).suggestion.command).toBe("wms2 restart muons --from FILE --reason TEXT");
  expect(view("active", wrong).suggestion.command).toBeNull();
  const hungry = failing(unit(0), { cause: "oom", exitCode: 50660, rule: "memory", category: "permanent" });
  expect(view("held", hungry).suggestion.command).toContain('wms2 release muons --memory "6000 MB" --reason');
  const bad = failing(unit(0), DATA("/store/it's here.root"));
  expect(view("held", bad).suggestion.command).toContain("--exclude '/store/it'\\''s here.root'");
  const lines = describeErrors(view("held", wrong), 60);
  expect(lines.at(-1)).toBe("     type: wms2 release muons --from FILE --reason TEXT");
});
