import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENTS, STATUS_FAILED } from "../../../tests/support/engine-samples.ts";
import { attribute, parseJsonAds, parseLongAds, parseNewAds, parseValue } from "./classad.ts";

const table: readonly [string, unknown][] = [
  ["1", 1],
  ["-12", -12],
  ["0.5", 0.5],
  ["5.006790161132812E-06", 5.006790161132812e-6],
  ['"text"', "text"],
  ['"a \\"quote\\" and \\\\ and\\nline"', 'a "quote" and \\ and\nline'],
  ["true", true],
  ["FALSE", false],
  ["undefined", null],
  ['{ "a", 2, { } }', ["a", 2, []]],
  ["JobStatus == 5 && time() > 3", { expression: "JobStatus == 5 && time() > 3" }],
  ['strcat("a;b", "]")', { expression: 'strcat("a;b", "]")' }],
  ["1 + 2", { expression: "1 + 2" }],
];

describe("ClassAd values", () => {
  it.each(table)("%s", (text, value) => expect(parseValue(text)).toEqual(value));
  it("nested ads", () => {
    const value = parseValue('[ Cpus = 1; Site = "T2_XX_Alpha"; Inner = [ a = true ] ]') as Map<string, unknown>;
    expect([...value.keys()]).toEqual(["Cpus", "Site", "Inner"]);
    expect(value.get("Inner")).toEqual(new Map([["a", true]]));
  });
});

describe("ClassAd files", () => {
  it("reads a status file, comments and all", () => {
    const { ads, problems } = parseNewAds(STATUS_FAILED);
    expect(problems).toEqual([]);
    expect(ads).toHaveLength(5);
    expect(attribute(ads[0]!, "DagFiles")).toEqual(["workflow.dag"]);
    expect(attribute(ads[1]!, "nodestatus")).toBe(6);
  });
  it("reads the same with CRLF", () => {
    expect(parseNewAds(STATUS_FAILED.replaceAll("\n", "\r\n"))).toEqual(parseNewAds(STATUS_FAILED));
  });
  it("reads the long form", () => {
    const { ads, problems } = parseLongAds('A = 1\r\nB = "x = y"\r\n\r\nA = 2\n# note\nrubbish\n');
    expect(ads).toEqual([
      new Map<string, unknown>([
        ["A", 1],
        ["B", "x = y"],
      ]),
      new Map([["A", 2]]),
    ]);
    expect(problems).toHaveLength(1);
  });
  it("reads condor_q -json; nothing at all is an empty queue", () => {
    expect(parseJsonAds("")).toEqual({ ads: [], problems: [] });
    const { ads } = parseJsonAds('[\n{ "ClusterId": 22, "R": "\\/Expr(DiskUsage)\\/" }\n,\n{ "ClusterId": 23 }\n]\n');
    expect(ads.map((ad) => attribute(ad, "clusterid"))).toEqual([22, 23]);
    expect(attribute(ads[0]!, "R")).toEqual({ expression: "DiskUsage" });
    expect(parseJsonAds('[{"a":1},').problems).toHaveLength(1);
    expect(parseJsonAds('{"a":1}').problems).toHaveLength(1);
  });
});

describe("garbage", () => {
  const bits = fc.array(
    fc.constantFrom("[", "]", "{", "}", '"', ";", "=", "\\", "/*", "*/", "a", "1", " ", "\n", "("),
    { maxLength: 60 },
  );
  it("never throws and always ends", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary-ascii" }),
          bits.map((each) => each.join("")),
        ),
        (text) => {
          parseNewAds(text);
          parseLongAds(text);
          parseJsonAds(text);
          parseValue(text);
        },
      ),
    );
  });
  it("a file cut anywhere gives a beginning of its ads", () => {
    fc.assert(
      fc.property(fc.nat(STATUS_FAILED.length - 2), (length) => {
        const { ads, problems } = parseNewAds(STATUS_FAILED.slice(0, length));
        expect(ads.length).toBeLessThanOrEqual(5);
        if (ads.length === 5) expect(problems.length).toBeGreaterThan(0);
      }),
    );
  });
  it("deep nesting does not exhaust the stack", () => {
    parseValue("[a=".repeat(100_000));
    parseNewAds("{".repeat(100_000) + EVENTS);
  });
});
