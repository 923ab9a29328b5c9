import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Site } from "../../core/dag.ts";
import type { SiteName } from "../../core/names.ts";
import { decideSiteSync } from "./decide-sync.ts";
import { readStatuses, type Statuses } from "./read-statuses.ts";

const site = (name: string, change: Partial<Site> = {}): Site => ({
  name: name as SiteName,
  status: "enabled",
  statusFrom: null,
  rses: [name],
  isActive: true,
  cores: null,
  memoryMb: null,
  drainUntil: null,
  note: null,
  updatedAt: new Date(0),
  ...change,
});
const listed = (name: string, ...rses: string[]) => ({ name: name as SiteName, rses });
const words = (known: readonly Site[], list: ReturnType<typeof listed>[], statuses: Statuses | null = null) => {
  const decision = decideSiteSync(known, list, statuses);
  return decision.kind === "refused" ? decision.reason : decision.changes.map(({ name, what }) => `${name}: ${what}`);
};
const many = (count: number) => Array.from({ length: count }, (_, at) => `T2_XX_${at}`);

describe("what CRIC and the status source change", () => {
  const said = new Map([["T2_XX_0", "draining" as const]]);

  it.each<[string, readonly Site[], ReturnType<typeof listed>[], Statuses | null, string | string[]]>([
    ["a new site", [], [listed("A", "R2", "R1")], null, ["A: new, enabled, reads R1, R2"]],
    ["a new site without storage", [], [listed("A")], null, ["A: new, enabled, has no storage"]],
    ["a new site the source does not know", [], [listed("A", "R")], said, ["A: new, draining, reads R"]],
    ["nothing", [site("A")], [listed("A", "A")], null, []],
    ["other storage", [site("A")], [listed("A", "A", "B")], null, ["A: reads A, B"]],
    ["one the engine knew first", [site("A", { rses: null })], [listed("A", "R")], null, ["A: reads R"]],
    ["one that only the engine knows", [site("A", { rses: null }), site("B")], [listed("B", "B")], null, []],
    ["one that comes back", [site("A", { isActive: false })], [listed("A", "A")], null, ["A: is listed again"]],
    ["a drain from outside", [site("T2_XX_0")], [listed("T2_XX_0", "T2_XX_0")], said, ["T2_XX_0: enabled → draining"]],
    [
      "an operator's word, which stays",
      [site("T2_XX_0", { status: "disabled", statusFrom: "operator" })],
      [listed("T2_XX_0", "T2_XX_0")],
      said,
      [],
    ],
    [
      "one that vanished",
      many(10).map((name) => site(name)),
      many(9).map((name) => listed(name, name)),
      null,
      ["T2_XX_9: is not listed any more: inactive"],
    ],
    ["an empty answer", [site("A")], [], null, "the catalog lists no site at all"],
    [
      "a shrunken answer",
      many(10).map((name) => site(name)),
      many(6).map((name) => listed(name, name)),
      null,
      "of the 10 sites that the catalog listed before, it lists only 6 now",
    ],
    [
      "an answer without storage",
      many(10).map((name) => site(name)),
      many(10).map((name) => listed(name)),
      null,
      "10 sites had storage before, only 0 have it now",
    ],
  ])("%s", (_story, known, list, statuses, expected) => {
    expect(words(known, list, statuses)).toEqual(expected);
  });

  it("changes nothing the second time, and never an operator's status", () => {
    const status = fc.constantFrom<Site["status"]>("enabled", "draining", "disabled");
    const known = fc.record({
      name: fc.constantFrom("A", "B", "C", "D"),
      status,
      statusFrom: fc.constantFrom<Site["statusFrom"]>("operator", "source", null),
      rses: fc.constantFrom(null, [], ["R1"], ["R1", "R2"]),
      isActive: fc.boolean(),
    });
    const list = fc.uniqueArray(
      fc.record({ name: fc.constantFrom("A", "B", "C", "E"), rses: fc.constantFrom([], ["R1"], ["R2", "R1", "R1"]) }),
      { selector: ({ name }) => name },
    );
    const statuses = fc.option(
      fc.uniqueArray(fc.tuple(fc.constantFrom("A", "B", "E"), status), { selector: ([name]) => name }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(known, { selector: ({ name }) => name }), list, statuses, (old, now, said) => {
        const before = old.map(({ name, ...rest }) => site(name, rest));
        const sites = now.map(({ name, rses }) => listed(name, ...rses));
        const source = said && new Map(said);
        const decision = decideSiteSync(before, sites, source);
        if (decision.kind === "refused") return;
        const after = new Map(before.map((one) => [one.name, one]));
        for (const { what: _, ...change } of decision.changes)
          after.set(change.name, { ...site(change.name), ...after.get(change.name), ...change });
        const again = decideSiteSync([...after.values()], sites, source);
        // A list that was just believed is half of what is known now only where that much vanished at once.
        if (again.kind === "changes") expect(again.changes).toEqual([]);
        for (const one of before)
          if (one.statusFrom === "operator") expect(after.get(one.name)?.status).toBe(one.status);
      }),
    );
  });
});

test.each([
  [
    "of site support",
    '{"csvdata":[{"VOName":"A","Status":"drain"},{"VOName":"B","Status":"unknown"}]}',
    { A: "draining" },
  ],
  [
    "of usable sites",
    '[{"name":"A","value":"usable"},{"name":"B","value":"not_usable"}]',
    { A: "enabled", B: "draining" },
  ],
  [
    "of monitoring, one a line, the newest counts",
    '{"timestamp":2,"data":{"name":"A","prod_status":"disabled"}}\n{"timestamp":1,"data":{"name":"A","prod_status":"enabled"}}\n{"timestamp":1,"data":{"name":"B","prod_status":"test"}}\n',
    { A: "disabled", B: "draining" },
  ],
  ["that is empty", "[]", {}],
])("a status document %s", (_story, text, expected) => {
  const read = readStatuses(text);
  expect(read.ok && Object.fromEntries(read.value)).toEqual(expected);
});

test.each([["<html>"], ['[{"site":"A"}]'], ["7"]])("%s is no status document", (text) => {
  expect(readStatuses(text)).toMatchObject({ ok: false });
});
