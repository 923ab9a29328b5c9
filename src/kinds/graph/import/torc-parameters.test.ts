import fc from "fast-check";
import { expect, test } from "vitest";
import { graphOf, problemsOf, readGraphDocument } from "../../../../tests/support/imported-graphs.ts";
import { attached } from "../../../../tests/support/request-documents.ts";

const spec = (job: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: "sweep",
  jobs: [{ name: "j{p}", command: "true", ...job }],
  ...more,
});
const names = (document: Record<string, unknown>): readonly string[] => graphOf(document).jobs.map(({ name }) => name);
const values = (p: unknown): readonly string[] => names(spec({ parameters: { p } })).map((name) => name.slice(1));

test.each<[unknown, readonly string[]]>([
  ["1:4", ["1", "2", "3", "4"]],
  ["0:10:4", ["0", "4", "8"]],
  ["3:-3:-3", ["3", "0", "-3"]],
  ["0.0:0.4:0.1", ["0", "0.1", "0.2", "0.3", "0.4"]],
  ["1:2:0.5", ["1", "1.5", "2"]],
  ["{1:3}", ["1", "2", "3"]],
  ["[1, 'a b', \"c\", 0.50, 1e-3, 007]", ["1", "a b", "c", "0.5", "0.001", "7"]],
  [
    [1, "007", 0.0001, 1e-7, true],
    ["1", "007", "0.0001", "0.0000001", "true"],
  ],
  ["adam", ["adam"]],
  [5, ["5"]],
])("%j", (written, expected) => expect(values(written)).toEqual(expected));

test("decimals are exact, and who knows Torc's is told", () => {
  const { warnings } = readGraphDocument(spec({ parameters: { p: "0.0:0.4:0.1" } }));
  expect(warnings[0]).toBe("jobs[0].parameters.p: is exact here: 0.3, where Torc writes 0.30000000000000004");
});

test.each([
  ["{p:03d}", "1:2", ["001", "002"]],
  ["{p:.2f}", "[0.5, 1]", ["0.50", "1.00"]],
  ["{p:03d}", "[0.5, 1]", ["0.5", "1"]],
  ["{p:03d}", "[a, b]", ["a", "b"]],
  ["{p:>5}", "1:2", ["1", "2"]],
])("%s of %s; a format that does not fit has no effect", (name, p, expected) => {
  expect(names(spec({ name, parameters: { p } }))).toEqual(expected);
});

test("values of a file beside the document: a line each, or a list of JSON", () => {
  const document = spec({ parameters: { p: "@seeds.txt" } });
  expect(names({ ...document, attachments: { "seeds.txt": attached("1\n\n20\n", false) } })).toEqual(["j1", "j20"]);
  expect(names({ ...document, attachments: { "seeds.txt": attached('["x", 2]', false) } })).toEqual(["jx", "j2"]);
  expect(problemsOf(document)).toContain("jobs[0].parameters.p: seeds.txt is not attached");
});

test("a table has a row a job: the job's own, or the workflow's for jobs that use it", () => {
  const attachments = { "runs.csv": attached("p,q\n1,x y\n2,z\n", false) };
  const own = spec({ name: "j{p}-{q}", parameters_file: "runs.csv" }, { attachments });
  const shared = spec({ name: "j{p}-{q}", use_parameters_file: true }, { parameters_file: "runs.csv", attachments });
  for (const document of [own, shared]) expect(names(document)).toEqual(["j1-x y", "j2-z"]);
  expect(problemsOf({ ...own, attachments: {} })).toEqual(["jobs[0].parameters_file: is not attached"]);
  expect(problemsOf(spec({ parameters_file: "runs.csv", parameters: { p: 1 } }, { attachments })).join()).toContain(
    "jobs[0].parameters_file: stands beside other parameters; keep one of them",
  );
});

test("shared parameters are for jobs that use them; own ones hide them all", () => {
  const shared = { parameters: { p: "1:2", q: ["x", "y"] } };
  expect(names(spec({ name: "j{p}{q}", use_parameters: ["p", "q"] }, shared))).toEqual(["j1x", "j1y", "j2x", "j2y"]);
  expect(names(spec({ name: "j{p}{q}", use_parameters: ["p", "q"], parameter_mode: "zip" }, shared))).toEqual([
    "j1x",
    "j2y",
  ]);
  expect(names(spec({ parameters: { p: [7] }, use_parameters: ["q"] }, shared))).toEqual(["j7"]);
  const { warnings } = readGraphDocument(spec({ use_parameters: ["p", "z"] }, shared));
  expect(warnings).toContain('jobs[0].use_parameters[1]: "z" is not one of the parameters, and has no effect');
});

test.each([
  ["5:1", "never gets from 5 to 1"],
  ["1:2:0", "has a step of 0"],
  ["a:b", "must be a range"],
  ["1:2:3:4", "must be a range"],
  [[], "has no values"],
  [["1..3", "b"], '"1..3" would be read as a range here'],
  ["1:9999999", "has 9999999 values; at most 200000"],
])("%j is refused", (written, why) => {
  expect(problemsOf(spec({ parameters: { p: written } })).join()).toContain(`jobs[0].parameters.p: ${why}`);
});

/** Whole numbers, as Torc's users would count them on their fingers. */
function counted(from: number, to: number, step: number): string[] {
  const found: string[] = [];
  for (let value = from; step > 0 ? value <= to : value >= to; value += step) found.push(String(value));
  return found;
}

const parameter = fc.oneof(
  fc
    .tuple(fc.integer({ min: -20, max: 20 }), fc.nat(15), fc.integer({ min: 1, max: 4 }), fc.boolean())
    .map(([from, length, step, isDown]) => {
      const [to, by] = isDown ? [from - length, -step] : [from + length, step];
      return { written: `${from}:${to}:${by}` as unknown, values: counted(from, to, by) };
    }),
  fc
    .uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/), { minLength: 1, maxLength: 4 })
    .map((list) => ({ written: list as unknown, values: list })),
);

test("law: a job stands for every combination of its parameters, or for every row of them", () => {
  fc.assert(
    fc.property(parameter, parameter, fc.boolean(), fc.boolean(), (p, q, isZip, isShared) => {
      const parameters = { p: p.written, q: q.written };
      const use = isShared ? { use_parameters: ["p", "q"] } : { parameters };
      const document = spec(
        { name: "{p}/{q}", command: "run {p} {q}", ...use, ...(isZip && { parameter_mode: "zip" }) },
        isShared ? { parameters } : {},
      );
      const product = p.values.flatMap((one) => q.values.map((other) => [one, other]));
      const rows = isZip ? p.values.map((one, index) => [one, q.values[index]]) : product;
      if (isZip && p.values.length !== q.values.length) return problemsOf(document).length > 0;
      const jobs = graphOf(document).jobs.map(({ name, argv }) => [name, argv[2]]);
      expect(jobs).toEqual(rows.map(([one, other]) => [`${one}/${other}`, `run ${one} ${other}`]));
      return true;
    }),
    { numRuns: 100 },
  );
});
