import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { attempt, ended, events, NOW } from "../../tests/support/attempts.ts";
import { builtinRows } from "./builtin-policy.ts";
import { decideAttempt } from "./decide.ts";
import { NO_HISTORY } from "./ledger-record.ts";
import { readOutcome } from "./outcome.ts";
import { builtinPolicy, ruleOn } from "./policy.ts";

const policy = builtinPolicy();

function summary(code: number, stderrTail = "", cmsCodes = true): string {
  const given = ended(code, { stderrTail });
  const failure = readOutcome(given, { cmsCodes, shortCodes: true });
  if (failure.kind !== "failed") return "success";
  const { says } = ruleOn(failure, given, policy);
  const words = [
    says.category,
    says.action === "retry" ? `R${says.maxRetries ?? ""}` : says.action,
    ...(says.action === "retry" && says.delay === "fixed" ? ["900"] : []),
    ...(says.action === "retry" && says.delay === "long" ? ["3600"] : []),
    ...(says.changeSite ? ["site"] : []),
    ...(says.memoryFactor ? [`mem${says.memoryFactor}`] : []),
    ...(says.wallFactor ? [`time${says.wallFactor}`] : []),
  ];
  return words.join(" ");
}

// Each row of docs/exit-codes.md, in its order: codes → category and action.
test.each<[readonly number[], string]>([
  [[7000, 7001, 7002], "permanent stop"],
  [[8001, 65], "permanent stop"],
  [[8002, 8003, 8005, 66, 67], "permanent R1"],
  [[8004, 68], "transient R mem1.3"],
  [[8006, 8007, 8008, 8009, 8010, 8011, 8012, 8013, 8014], "permanent stop"],
  [[8015, 8016], "data R1 900 site"],
  [[8017, 8018], "permanent R1"],
  [[8019, 8023, 8026, 8027, 8029, 8501], "permanent stop"],
  [[8020, 8021, 8028, 84, 85, 92], "infrastructure R 900 site"],
  [[8022, 86], "transient R 900 site"],
  [[8034], "data stop"],
  [[8030, 8031], "transient R mem1.3"],
  [[8032], "transient R time1.3"],
  [[8033, 8035], "infrastructure R 900 site"],
  [[8036, 8901], "transient R 900"],
  [[9000], "infrastructure R"],
  [[1, 2, 15, 30], "infrastructure R 900"],
  [[9], "infrastructure R 900 mem1.3"],
  [[4], "infrastructure R 900 site"],
  [[5, 6, 7, 8, 11], "permanent R1"],
  [[24], "transient R time1.3"],
  [[25], "permanent stop"],
  [
    [50, 10034, 64, 71, 72, 74, 81, 50513, 10031, 10032, 11003, 11004, 11005, 10042, 10043, 50117],
    "infrastructure R 900 site",
  ],
  [[70, 73, 11001, 11002, 50110, 50111, 50113], "permanent stop"],
  [[126, 127], "permanent R1"],
  [[10040, 56], "infrastructure R 900"],
  [[50115, 195], "transient R 900 mem1.3"],
  [[50116], "transient R 900"],
  [[50660, 50661, 228, 229], "transient R mem1.5"],
  [[50662, 50663, 230, 231], "permanent stop"],
  [[50664, 232], "transient R time1.3"],
  [[50665, 233, 60317, 157, 71102], "infrastructure stop"],
  [[50666, 50669, 234, 237], "infrastructure R 900"],
  [[60302, 60450, 60451], "permanent R1"],
  [[60307, 147, 60311, 151, 60321, 60324], "infrastructure R 900"],
  [[60312, 60313, 60404, 60405, 60407, 60408, 60409], "infrastructure R"],
  [[60315, 60318, 60319, 60401], "permanent R1"],
  [[60322, 60323], "permanent stop"],
  [[60403, 243], "infrastructure R 900 time1.3"],
  [[70318, 70319, 70452, 71101, 71104, 71105], "permanent stop"],
  [[71103], "infrastructure R 3600"],
  [[71300], "transient R"],
  [[71301, 71302, 71303], "infrastructure R site"],
  [[71304], "transient R time1.3"],
  [[71305, 71306, 71307], "infrastructure R"],
  [[80000, 80001, 90000, 128], "transient R 900"],
  [[89999, 99305], "permanent stop"],
  [[99109, 99304, 99400, 99401], "infrastructure R 900"],
  [[99303, 99996, 99997, 99998, 99999], "transient R 900"],
  [[129, 143], "infrastructure R 900"],
  [[132], "infrastructure R 900 site"],
  [[134, 135, 136, 139], "permanent R1"],
  [[137], "infrastructure R 900 mem1.3"],
  [[152], "transient R time1.3"],
  [[153], "permanent stop"],
  [[42, 43, 44, 4711, 12345], "transient R1"],
])("%j: %s", (codes, expected) => {
  for (const code of codes) expect([code, summary(code)]).toEqual([code, expected]);
});

test.each<[readonly number[], string]>([
  [[1, 3, 4, 9, 15, 42, 50, 63, 81, 85, 125, 195, 243], "permanent R2"],
  [[2, 70, 72, 73], "permanent R1"],
  [[64, 65, 66, 67, 68, 77, 78, 126, 127], "permanent stop"],
  [[69, 71, 74, 75, 76], "transient R"],
  [[137], "infrastructure R 900 mem1.3"],
  [[139], "permanent R1"],
  [[143], "infrastructure R 900"],
  [[8021], "infrastructure R 900 site"],
  [[50660], "transient R mem1.5"],
])("of an ordinary program, %j: %s", (codes, expected) => {
  for (const code of codes) expect([code, summary(code, "", false)]).toEqual([code, expected]);
});

test("the log can change the row", () => {
  expect(summary(8001, "/cvmfs/cms.cern.ch/lib.so: file too short, cvmfs truncated")).toBe("infrastructure R 900 site");
  expect(summary(60321, "error: all pools are full")).toBe("infrastructure stop");
  expect(summary(134, "Illegal instruction (core dumped)")).toBe("infrastructure R 900 site");
});

test.each<[number, number, string, string]>([
  [6, 2, "hold-executable", "permanent"],
  [12, 28, "hold-output", "infrastructure"],
  [13, 2, "hold-input-missing", "permanent"],
  [13, 110, "hold-input", "infrastructure"],
  [1, 0, "held", "infrastructure"],
  [34, 0, "too-much-memory", "transient"],
  [47, 0, "too-much-time", "transient"],
])("hold %i/%i is for row %s", (code, subcode, row, category) => {
  const given = attempt({ dagReturn: -1002, report: null, events: events({ held: { code, subcode, reason: "x" } }) });
  expect(decideAttempt(given, NO_HISTORY, policy, NOW)).toMatchObject({ row: { id: row }, category });
});

test("ids are unique and every row says what it is for and what to do", () => {
  const rows = builtinRows();
  expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  for (const row of rows) expect([row.id, row.meaning, row.category, row.action]).not.toContain(undefined);
});

test("no code is in two rows of equal rank", () => {
  const seen = new Map<string, string>();
  for (const row of builtinRows()) {
    if (row.match.stderr !== undefined) continue;
    for (const code of row.match.codes ?? []) {
      for (const speech of row.match.speech ? [row.match.speech] : ["cms", "ordinary"]) {
        const key = `${code} ${speech}`;
        expect([key, seen.get(key)]).toEqual([key, undefined]);
        seen.set(key, row.id);
      }
    }
  }
});

test("docs/exit-codes.md shows the ordinary meanings as the table has them", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/exit-codes.md"), "utf8");
  for (const { match, meaning, id } of builtinRows()) {
    if (match.speech !== "ordinary") continue;
    const codes = match.codes?.join(" ") ?? "any other";
    expect(page, id).toContain(`| ${codes} | ${meaning} |`);
  }
});
