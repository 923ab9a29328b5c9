import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAGMAN_OUT_PARSE_ERROR } from "../../../tests/support/engine-samples.ts";
import { parseDagmanOut, parseLibErr } from "./dagman-out.ts";

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
    expect(parseLibErr("Executing condor dagman ... \nDCTransfer failed\n")).toBe("DCTransfer failed");
  });
});
