import { expect, test } from "vitest";
import { logHref, nodeHref, placeName, placeOf, unitHref } from "./job-links.ts";

const PROC = { unit: "mg_000003", node: "proc_000021" };
const JOB = { unit: "job_000004", node: "job_000004" };

test.each([
  [unitHref("muons", "mg_000003"), "/requests/muons/units/mg_000003"],
  [nodeHref("muons", PROC), "/requests/muons/nodes/mg_000003:proc_000021"],
  [nodeHref("muons", JOB), "/requests/muons/nodes/job_000004"],
  [logHref("muons", PROC), "/requests/muons/log?unit=mg_000003&node=proc_000021"],
  [
    logHref("muons", { ...JOB, cluster: 17, file: "out", at: 0 }),
    "/requests/muons/log?unit=job_000004&file=out&cluster=17&at=0",
  ],
])("%s", (href, expected) => {
  expect(href).toBe(expected);
});

test("a job of a graph as lists of failures name it", () => {
  expect(placeOf("job_000004/job_000004")).toEqual(JOB);
});

test.each([PROC, JOB, { unit: "mg_1000000", node: "merge" }])("a place is read from its name: %o", (place) => {
  expect(placeOf(placeName(place))).toEqual(place);
  expect(placeOf(placeName(place).replace("/", ":"))).toEqual(place);
});
