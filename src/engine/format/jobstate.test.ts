import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAGMAN_OUT_PARSE_ERROR, JOBSTATE } from "../../../tests/support/engine-samples.ts";
import { parseDagmanOut, parseLibWords } from "./dagman-out.ts";
import { parseJobstate } from "./jobstate.ts";

describe("the jobstate log", () => {
  it("reads DAGMan's and the nodes' lines", () => {
    const { lines, problems } = parseJobstate(Buffer.from(JOBSTATE));
    expect(problems).toEqual([]);
    expect(lines[0]).toEqual({ at: 1794771094, node: null, event: "DAGMAN_STARTED", value: "26.0", sequence: null });
    expect(lines[1]).toEqual({ at: 1794771095, node: "v", event: "SUBMIT", value: "28.0", sequence: 1 });
    const failure = lines.find((line) => line.event === "JOB_FAILURE");
    expect(failure).toEqual({ at: 1794771101, node: "h", event: "JOB_FAILURE", value: "-1002", sequence: 3 });
  });
  it("leaves a torn last line for later, and never throws", () => {
    const bytes = Buffer.from(JOBSTATE.replaceAll("\n", "\r\n"));
    const whole = parseJobstate(bytes).lines;
    fc.assert(
      fc.property(fc.nat(bytes.length), (at) => {
        const first = parseJobstate(bytes.subarray(0, at));
        expect([...first.lines, ...parseJobstate(bytes.subarray(first.consumed)).lines]).toEqual(whole);
      }),
    );
    fc.assert(fc.property(fc.uint8Array(), (each) => void parseJobstate(each)));
  });
});

describe("DAGMan's own words", () => {
  it("says what it could not parse", () => {
    const words = parseDagmanOut(DAGMAN_OUT_PARSE_ERROR.replaceAll("\n", "\r\n"));
    expect(words).toMatchObject({ cluster: "23", batchName: "wms2-sample-b", exitStatus: 1, parseFailed: true });
    expect(words.errors).toHaveLength(1);
    expect(words.errors[0]).toMatch(/^workflow\.dag \(line 3\): ERROR: expected JOB.*\(found FOO\)$/);
  });
  it("only the last start counts", () => {
    const later = "11/15/26 19:31:32 ** condor_scheduniv_exec.99.0 (CONDOR_DAGMAN) STARTING UP\n";
    const words = parseDagmanOut(DAGMAN_OUT_PARSE_ERROR + later);
    expect(words).toEqual({ cluster: "99", batchName: null, exitStatus: null, parseFailed: false, errors: [] });
  });
  it("never throws; the greeting is no word", () => {
    fc.assert(fc.property(fc.string({ unit: "binary-ascii" }), (text) => void parseDagmanOut(text)));
    expect(parseLibWords("Executing condor dagman ... \nDCTransfer failed\n")).toBe("DCTransfer failed");
  });
});
