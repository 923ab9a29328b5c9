import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { monthOf } from "../../../core/calendar.ts";
import type { FoundFile } from "../../../core/frepp.ts";
import type { NodeId, NodeRow, NodeState, Product, SegmentsWork } from "../../../core/segments.ts";
import { segmentNodes } from "../nodes.ts";
import { decideExport } from "./export-state.ts";
import { decideImport, type ImportFacts, toVerify } from "./import-state.ts";
import { readStateName, readWord, stateUnits, wordText } from "./state-file.ts";

const product = (years: number, fromYears: number | null): Product => ({
  name: `ts-${years}y`,
  family: "ts",
  frequency: "monthly",
  lengthMonths: years * 12,
  fromMonths: fromYears && fromYears * 12,
  tail: "skip",
  argv: ["make"],
  outputs: [],
  resources: { cores: 1, memoryMb: 100, wallMinutes: 10, diskMb: 10 } as Product["resources"],
});
const products = [product(5, null), product(10, 5), product(20, 10)];
const components = [
  { name: "atmos", start: monthOf(1), products },
  { name: "ocean.z", start: monthOf(1, 7), products: [product(1, null), product(5, 1)] },
];
const work = { components, start: monthOf(1), segmentMonths: 12, end: null, history: { path: "x", transfer: null } };
const nodes = segmentNodes(work as unknown as SegmentsWork, monthOf(21));
const units = stateUnits(components, nodes);
const NOW = new Date("2026-11-16T12:00:00Z");
const minutes = (count: number): Date => new Date(NOW.getTime() + count * 60_000);

const file = (name: string, text: string, changedAt = minutes(-60)): FoundFile => ({ name, text, changedAt });
const sums = (ids: readonly NodeId[]) => new Map(ids.map((id) => [id, { madeSum: id, madeOfSum: null }]));
const facts = (files: readonly FoundFile[], more: Partial<ImportFacts> = {}): ImportFacts => ({
  units,
  components: new Set(components.map(({ name }) => name)),
  files,
  rows: new Map(),
  verified: new Map(),
  repair: false,
  theirs: false,
  executions: 2,
  now: NOW,
  ...more,
});
const merged = (rows: ReadonlyMap<NodeId, NodeRow>, changed: readonly NodeRow[]): ReadonlyMap<NodeId, NodeRow> =>
  new Map([...rows, ...changed.map((row) => [row.id, { ...row, version: row.version + 1 }] as const)]);
const states = (rows: readonly NodeRow[]): Readonly<Record<string, NodeState>> =>
  Object.fromEntries(rows.map(({ id, state }) => [id, state]));
const [T5, T10] = ["atmos/ts-5y/0006-0010", "atmos/ts-10y/0001-0010"];

describe("state files", () => {
  test.each([
    ["atmos.0005", { component: "atmos", year: 5 }],
    ["ocean.z.12345", { component: "ocean.z", year: 12345 }],
    ["atmos.00005", null],
    ["atmos.5", null],
    [".0005", null],
    ["README", null],
  ])("%s", (name, expected) => expect(readStateName(name)).toEqual(expected));

  test("stand for all that ends in a year of their component", () => {
    expect([...units.get("atmos.0010")!.nodes.map(({ id }) => id)]).toEqual([T5, T10]);
    expect(units.has("atmos.0001")).toBe(false);
    // A year that begins in July has the name of the year it begins in.
    expect(units.get("ocean.z.0001")!.nodes.map(({ id }) => id)).toEqual(["ocean.z/ts-1y/000107-000206"]);
    expect(units.get("ocean.z.0005")!.nodes).toHaveLength(2);
  });

  test.each([
    ["OK\n", { [T5]: "done", [T10]: "done" }],
    ["ERROR\n", { [T5]: "done", [T10]: "failed" }],
    ["FATAL\nsee log", { [T5]: "held", [T10]: "held" }],
    ["HISTORYDATAERROR", { [T5]: "input-missing", [T10]: "input-missing" }],
    ["INTERACTIVE", { [T5]: "partial", [T10]: "partial" }],
    ["INT-4f2a", { [T5]: "partial", [T10]: "partial" }],
    [" 1234567 \n", { [T5]: "elsewhere", [T10]: "elsewhere" }],
    ["", { [T5]: "done", [T10]: "held" }],
    ["whatever", { [T5]: "done", [T10]: "held" }],
  ] as const)("%j is brought in, with the outputs of the 5-year series verified", (text, expected) => {
    const { rows } = decideImport(facts([file("atmos.0010", text)], { verified: sums([T5]) }));
    expect(states(rows)).toEqual(expected);
  });

  test("only where it decides are outputs looked at", () => {
    const files = ["OK", "ERROR", "", "77", "FATAL"].map((text, at) => file(`ocean.z.${1000 + at}`, text));
    expect(toVerify({ files: [...files, file("atmos.0005", "ERROR"), file("atmos.0010", "OK")], units })).toEqual(
      units.get("atmos.0005")!.nodes,
    );
  });

  test("case 14: an empty file whose outputs are good is done", () => {
    const verified = sums(["atmos/ts-5y/0001-0005"]);
    const { rows } = decideImport(facts([file("atmos.0005", "")], { verified }));
    expect(states(rows)).toEqual({ "atmos/ts-5y/0001-0005": "done" });
  });

  test("case 15: an empty file without outputs is held and says why, --repair plans it again", () => {
    const first = decideImport(facts([file("atmos.0005", "")]));
    expect(first.rows).toMatchObject([{ state: "held", reason: "empty state file" }]);
    const rows = merged(new Map(), first.rows);
    expect(decideImport(facts([file("atmos.0005", "")], { rows })).rows).toEqual([]);
    const repaired = decideImport(facts([file("atmos.0005", "")], { rows, repair: true }));
    expect(repaired.rows).toMatchObject([{ state: "missing", reason: "empty state file: planned again" }]);
  });

  test("of a component without anything due that year, and of others, are told and left", () => {
    const { lines, rows } = decideImport(facts([file("atmos.0003", "OK"), file("ice.0005", "OK")]));
    expect(rows).toEqual([]);
    expect(lines.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
      "nothing-due: no product of it ends in that year",
      "unknown: the request has no component ice",
    ]);
  });
});

describe("two who write the same thing", () => {
  const failed = decideImport(facts([file("atmos.0005", "ERROR")])).rows;
  const rows = merged(new Map(), failed);
  const actionOf = (text: string, at: Date, more: Partial<ImportFacts> = {}) =>
    decideImport(facts([file("atmos.0005", text, at)], { rows, ...more })).lines[0]!.action;

  test.each([
    ["a newer file that says something else is a conflict", "OK", minutes(1), {}, "conflict"],
    ["… which --theirs decides", "OK", minutes(1), { theirs: true }, "take"],
    ["an older one is not believed", "OK", minutes(-1), { theirs: true }, "keep"],
    ["one that says the same is no news", "ERROR", minutes(1), {}, "same"],
  ] as const)("%s", (_, text, at, more, action) => expect(actionOf(text, at, more)).toBe(action));

  test("what runs here is never taken from under it", () => {
    const running = merged(
      new Map(),
      failed.map((row): NodeRow => ({ ...row, state: "submitted" })),
    );
    expect(actionOf("OK", minutes(1), { rows: running, theirs: true })).toBe("keep");
  });

  test("what frepp had, frepp may end", () => {
    const elsewhere = decideImport(facts([file("atmos.0005", "4711")])).rows;
    expect(actionOf("OK", minutes(1), { rows: merged(new Map(), elsewhere) })).toBe("take");
  });

  test.each([
    ["a file that is newer is not overwritten", minutes(1), false, "conflict"],
    ["… but by --ours", minutes(1), true, "write"],
    ["an older one is", minutes(-1), false, "write"],
  ] as const)("export: %s", (_, at, ours, action) => {
    const done = merged(
      new Map(),
      failed.map((row): NodeRow => ({ ...row, state: "done" })),
    );
    const plan = decideExport({ ...facts([file("atmos.0005", "ERROR", at)], { rows: done }), ours });
    expect(plan.lines[0]!.action).toBe(action);
    expect(plan.changes).toEqual(action === "write" ? [{ name: "atmos.0005", seen: "ERROR", text: "OK\n" }] : []);
  });
});

/** Worst first, as one file says it for two products. */
const ORDER: readonly (readonly [NodeState, string | null])[] = [
  ["held", "FATAL"],
  ["failed", "ERROR"],
  ["lost", "ERROR"],
  ["input-missing", "HISTORYDATAERROR"],
  ["partial", "INTERACTIVE"],
  ["unknown", ""],
  ["submitted", ""],
  ["elsewhere", "99"],
  ["missing", null],
  ["done", "OK"],
];
test("law: a file says what is worst among all it stands for; OK only if everything is done", () => {
  for (const [a, [state, word]] of ORDER.entries())
    for (const [other] of ORDER.slice(a)) {
      const [row] = decideImport(facts([file("atmos.0005", "OK")])).rows;
      const job = (of: NodeState) => (of === "elsewhere" ? "99" : null);
      const rows = new Map([
        [T5, { ...row!, state, job: job(state) }],
        [T10, { ...row!, state: other, job: job(other) }],
      ]);
      const { changes } = decideExport({ ...facts([], { rows }), ours: false });
      expect(changes.map(({ text }) => text?.trim() ?? null)).toEqual(word === null ? [] : [word]);
    }
});

const words = fc.constantFrom("OK", "ERROR", "FATAL", "HISTORYDATAERROR", "INTERACTIVE", "INT-8c", "", "123", "9");
const directory = fc
  .uniqueArray(fc.constantFrom(...units.keys(), "atmos.0003", "ice.0005"), { maxLength: 20 })
  .chain((names) =>
    fc
      .tuple(...names.map(() => fc.tuple(fc.oneof(words, fc.string()), fc.integer({ min: -99, max: 0 }))))
      .map((texts) => texts.map(([text, at], index) => file(names[index]!, text, minutes(at)))),
  );
const verifiedNodes = fc.subarray(nodes.map(({ id }) => id)).map(sums);

test("law: export after import gives the same directory, but for what outputs prove to be done", () => {
  fc.assert(
    fc.property(directory, verifiedNodes, (files, verified) => {
      const rows = merged(new Map(), decideImport(facts(files, { verified })).rows);
      const provenDone = (name: string, text: string) =>
        ["error", "empty", "other"].includes(readWord(text).kind) &&
        units.get(name)?.nodes.every(({ id }) => verified.has(id));
      const proven = files.filter(({ name, text }) => provenDone(name, text)).map(({ name }) => name);
      const { changes } = decideExport({ ...facts(files, { rows }), ours: false });
      expect(changes.map(({ name, text }) => [name, text]).sort()).toEqual(proven.map((name) => [name, "OK\n"]).sort());
      // Into an empty one, too: only what frepp cannot have written comes out empty.
      const elsewhere = decideExport({ ...facts([], { rows }), ours: false }).changes;
      const known = files.filter(({ name }) => units.has(name));
      expect(new Map(elsewhere.map(({ name, text }) => [name, text!.trim()]))).toEqual(
        new Map(
          known.map(({ name, text }) => {
            const word = readWord(text);
            return [name, proven.includes(name) ? "OK" : word.kind === "other" ? "" : wordText(word)];
          }),
        ),
      );
    }),
  );
});

test("law: a second import changes nothing, repaired or not", () => {
  fc.assert(
    fc.property(directory, verifiedNodes, fc.boolean(), (files, verified, repair) => {
      const rows = merged(new Map(), decideImport(facts(files, { verified, repair })).rows);
      expect(decideImport(facts(files, { verified, repair, rows })).rows).toEqual([]);
    }),
  );
});
