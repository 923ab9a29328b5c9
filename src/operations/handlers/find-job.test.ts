import { expect, test } from "vitest";
import type { FoundJob, Ports } from "../../loop/ports.ts";
import { findJobs } from "./find-job.ts";

const RUN = { submitDir: "/spool/muons", requestName: "muons", since: new Date(0) };

/** One run, in which a search finds this job or, when it is null, uses up what it may look at. */
const ports = (job: Pick<FoundJob, "state"> | null, looksLeft = 1): Pick<Ports, "store" | "spool"> =>
  ({
    store: { desk: { runsAround: async () => [RUN] } },
    spool: {
      findJob: async (_dir: string, _cluster: number, _since: Date, budget: { looks: number }) => {
        budget.looks = looksLeft;
        return job && { folder: "mg_000000", node: "proc_000001", verdict: null, ...job };
      },
    },
  }) as never;

test.each([
  ["idle", "waiting"],
  ["running", "running"],
  ["held", "held"],
  ["ended", "running, being checked"],
] as const)("a job that the engine calls %s is %s, as everywhere", async (state, word) => {
  const { jobs } = await findJobs(ports({ state }), "4711.0");
  expect(jobs).toEqual([
    { kind: "node", name: "mg_000000/proc_000001", requestName: "muons", text: `${word} (job 4711 of muons)` },
  ]);
});

test("a job that was not found is said to be elsewhere only where not everything was searched", async () => {
  expect(await findJobs(ports(null), "4711")).toEqual({ jobs: [], note: null });
  expect((await findJobs(ports(null, 0), "4711")).note).toContain("job 4711 may be in a run that was not searched");
  expect(await findJobs(ports({ state: "idle" }), "muons")).toEqual({ jobs: [], note: null });
});
