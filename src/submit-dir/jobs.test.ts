import { expect, test } from "vitest";
import { toEnd } from "../core/base/slices.ts";
import { endedIn } from "./ended-list.ts";
import { GraphNames, isWholePart, jobsIn } from "./jobs.ts";

const MANIFEST = `{
"version":1,
"directory":"/graphs",
"nodes":{
"job_000000":{"name":"fit \\"x\\" 0.1","argv":["a"],"resources":{"cores":1,"memoryMb":2,"wallMinutes":3},"digest":"d0","soft":true},
"job_001234":{"name":"größe","argv":["\\"job_000000\\":{"]}
}
}
`;

test("jobs of a part are found line by line, with what each of them is", () => {
  expect([...jobsIn(MANIFEST)]).toEqual([
    [
      "job_000000",
      {
        name: 'fit "x" 0.1',
        digest: "d0",
        handlers: [],
        resources: { cores: 1, memoryMb: 2, wallMinutes: 3 },
        soft: true,
      },
    ],
    ["job_001234", { name: "größe", digest: null, handlers: [], resources: null, soft: false }],
  ]);
  expect([...jobsIn(MANIFEST, "job_001234").keys()]).toEqual(["job_001234"]);
  expect([isWholePart(MANIFEST), isWholePart(MANIFEST.slice(0, -3))]).toEqual([true, false]);
});

test("names lead both ways; what is no name stays as it is", () => {
  const names = toEnd(GraphNames.in([MANIFEST]));
  expect([...names.nodes]).toEqual(["job_000000", "job_001234"]);
  expect([names.nameOf("job_001234"), names.nameOf("mg_000000")]).toEqual(["größe", null]);
  expect([names.nodeOf('fit "x" 0.1'), names.nodeOf("mg_000000")]).toEqual(["job_000000", "mg_000000"]);
});

test("the last word on a job that DAGMan takes for done counts", () => {
  const text =
    "part_000/job_000000 failed\npart_000/job_000001 blocked part_000/job_000000\npart_001/job_001000 again\nx\n";
  expect([...endedIn(text)]).toEqual([
    ["job_000000", { how: "failed", by: null }],
    ["job_000001", { how: "blocked", by: "job_000000" }],
    ["job_001000", { how: "again", by: null }],
  ]);
});
