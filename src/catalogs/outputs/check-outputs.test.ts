import { expect, test } from "vitest";
import type { SiteName } from "../../core/names.ts";
import { checkOutputs, type OutputFacts } from "./check-outputs.ts";
import { type MergeOutput, parseMergeOutput } from "./merge-output.ts";
import { readPlannedUnit } from "./planned-unit.ts";

const MANIFEST = `{
"unit":"mg_000000",
"block":0,
"outputs":[{"name":"hits","file":"h.csv","merge":"concat","keep":true,"dataset":"/D","lfn":"/l/hits","path":"/s/hits"},
{"name":"logs","file":"x.log","merge":"none","keep":true,"dataset":"/L","lfn":"/l/logs","path":"/s/logs"},
{"name":"junk","file":"j","merge":"concat","keep":false,"dataset":"/J","lfn":"/l/j","path":"/s/j"}],
"nodes":{
"proc_000000":{"inputs":[{"lfn":"/a"},{"lfn":"/b"}],"firstEvent":null,"lastEvent":null},
"proc_000001":{"inputs":[{"lfn":"/b"}],"firstEvent":null,"lastEvent":null}
}
}`;
const planned = readPlannedUnit(MANIFEST);
const facts = { ...planned, site: "T2_XX_Alpha", sizes: new Map() } as OutputFacts;

const file = (output: string, dataset: string, ending: string, parents: readonly string[]) => ({
  ...{ output, dataset, lfn: `/l/${output}${ending}`, path: `/s/${output}${ending}` },
  ...{ sizeBytes: 1, checksum: "cksum:1", events: 1, parents },
});
const made = (all = ["/a", "/b"], first = ["/a", "/b"], second = ["/b"]): MergeOutput => ({
  site: "T2_XX_Alpha" as SiteName,
  block: 0,
  events: 1n,
  outputs: [
    file("hits", "/D", "", all),
    file("logs", "/L", "/proc_000000.x.log", first),
    file("logs", "/L", "/proc_000001.x.log", second),
  ],
});

test("what was planned is believed, from the inputs it was planned for", () => {
  expect(checkOutputs(made(), facts)).toBeNull();
  expect(checkOutputs(made(["/b", "/a"]), facts)).toBeNull();
});

test.each([
  ["an unknown file", made(["/a", "/x"]), /2 parents of \/l\/hits, which are not its 2 planned inputs/],
  ["one too few", made(["/a"]), /1 parents of \/l\/hits/],
  ["one twice", made(["/a", "/a"]), /2 parents of \/l\/hits/],
  ["another job's input", made(undefined, undefined, ["/a"]), /1 parents of \/l\/logs\/proc_000001\.x\.log/],
  ["another site", { ...made(), site: "T2_XX_Beta" as SiteName }, /at T2_XX_Beta, and it was at T2_XX_Alpha/],
])("%s is not", (_, forged, words) => expect(checkOutputs(forged, facts)).toMatch(words));

test("where the plan is gone, or the site not known, they are not compared", () => {
  expect(checkOutputs(made(["/x"]), { ...facts, inputs: null })).toBeNull();
  expect(checkOutputs({ ...made(), site: null }, facts)).toBeNull();
  expect([readPlannedUnit(null), readPlannedUnit("{"), readPlannedUnit("{}")]).toEqual([null, null, null]);
});

test("text from a worker is read field by field, and only the fields that are agreed", () => {
  const row = { ...file("hits", "/D", "", ["/a"]), extra: 1 };
  const head = { version: 1, unit: "mg_000000", block: 0, site: "a b", events: 3 };
  const read = (over: object, one: unknown = row) =>
    parseMergeOutput(JSON.stringify({ ...head, outputs: [one], ...over }), "mg_000000");
  expect(read({})).toMatchObject({ ok: true, value: { site: null, events: 3n } });
  const whole = read({});
  expect(whole.ok && whole.value.outputs).toEqual([file("hits", "/D", "", ["/a"])]);
  for (const [over, words] of [
    [{ version: 2 }, "version"],
    [{ block: -1 }, "block"],
    [{ events: 1.5 }, "events"],
    [{ outputs: {} }, "outputs"],
  ] as const)
    expect(read(over)).toEqual({ ok: false, error: `its merge_output.json is not as agreed: ${words}` });
  for (const over of [
    { sizeBytes: -1 },
    { checksum: "md5:1" },
    { events: "3" },
    { parents: [1] },
    { path: "" },
    { lfn: null },
  ])
    expect(read({}, { ...row, ...over })).toMatchObject({
      error: expect.stringContaining(`outputs.0.${Object.keys(over)}`),
    });
  expect(read({}, null)).toMatchObject({ error: expect.stringContaining("outputs.0.output") });
  expect(parseMergeOutput("null", "mg_000000").ok).toBe(false);
});
