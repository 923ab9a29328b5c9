import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JobSpec } from "../../src/engines/dag/job-spec.ts";
import type { Claim, JobEnd, JobRunner, JobWatch, Placement } from "../../src/engines/dag/runner.ts";

/** What the suite needs of a runner: one site, "here", with two cores and 1000 MB. */
export interface RunnerSeat {
  readonly runner: JobRunner;
  /** Ends with this code, or waits for `finish`. */
  readonly argumentsFor: (does: number | "wait") => Pick<JobSpec, "executable" | "arguments" | "initialDir">;
  /** Lets those that wait end, with 0. */
  finish(): void;
  until(what: string, isTrue: () => boolean): Promise<unknown>;
  /** Leaves, and another one takes over; absent: nothing outlives this runner. */
  reopen?(): JobRunner;
  close(): void;
}

class Watch implements JobWatch {
  readonly batchName = "wms2-contract";
  readonly places: Placement[] = [];
  readonly ends: JobEnd[] = [];
  begins(place: Placement): void {
    this.places.push(place);
  }
  holds(): void {}
  evicted(): void {}
  ended(end: JobEnd): void {
    this.ends.push(end);
  }
}

const STOP = { why: "asked for" };

/** What every runner promises (src/engines/dag/runner.ts). */
export function runnerContract(name: string, open: () => RunnerSeat): void {
  describe(`${name}: the runner contract`, () => {
    let seat: RunnerSeat;
    let clusters = 0;
    beforeEach(() => {
      seat = open();
    });
    afterEach(() => seat.close());

    const job = (does: number | "wait", more: Partial<JobSpec> = {}): JobSpec => {
      clusters += 1;
      return {
        cluster: clusters,
        node: `n${clusters}`,
        ...seat.argumentsFor(does),
        transferExecutable: false,
        transfers: false,
        stdout: null,
        stderr: null,
        log: null,
        inputs: [],
        outputs: null,
        remaps: {},
        cpus: 1,
        gpus: 0,
        memoryMb: 100,
        memoryAsked: false,
        wallMinutes: null,
        desiredSites: null,
        bannedSites: [],
        attributes: [],
        ulogAttributes: [],
        priority: 0,
        ...more,
      };
    };
    const start = (spec: JobSpec): Watch => {
      const watch = new Watch();
      seat.runner.start(spec, watch);
      return watch;
    };
    const ended = (watch: Watch) => seat.until("it has ended", () => watch.ends.length > 0);
    const running = (watch: Watch) => seat.until("it has begun", () => watch.places.length > 0);

    test("a job begins at a site, and its end is reported once, with its code", async () => {
      expect(seat.runner.capacity()).toMatchObject([{ name: "here", cores: 2 }]);
      const [good, bad] = [start(job(0)), start(job(7))];
      await ended(good);
      await ended(bad);
      expect(good.places).toMatchObject([{ site: "here" }]);
      expect(good.ends).toMatchObject([{ kind: "exited", code: 0 }]);
      expect(bad.ends).toMatchObject([{ kind: "exited", code: 7 }]);
    });

    test("a job without room waits, says so, and begins when there is some", async () => {
      const first = start(job("wait", { cpus: 2 }));
      await running(first);
      const spec = job(0);
      const second = start(spec);
      expect(seat.runner.explain(spec.cluster)).toEqual({ never: null });
      // A run may say that it has no room now; never that it will have none.
      expect([...seat.runner.stuck().values()].filter(({ code }) => code !== "slots")).toEqual([]);
      expect(second.places).toEqual([]);
      seat.finish();
      await ended(second);
      expect(first.ends).toMatchObject([{ kind: "exited", code: 0 }]);
      expect(seat.runner.explain(spec.cluster)).toBeNull();
    });

    test("a job that no site can take says why, and so does its run", () => {
      const spec = job(0, { desiredSites: ["there"] });
      start(spec);
      expect(seat.runner.explain(spec.cluster)).toMatchObject({ never: { code: "no-site" } });
      expect(seat.runner.stuck().get("wms2-contract")).toMatchObject({ code: "no-site" });
    });

    test("a job that is removed ends once, also when it never began; unknown ones are no error", async () => {
      const specs = [job("wait", { cpus: 2 }), job("wait")] as const;
      const [first, second] = specs.map(start) as [Watch, Watch];
      await running(first);
      for (const { cluster } of [specs[1], specs[0], specs[0], { cluster: 12345 }]) seat.runner.remove(cluster, STOP);
      await ended(first);
      await ended(second);
      expect(second.places).toEqual([]);
      for (const { ends } of [first, second]) expect(ends).toEqual([{ kind: "removed", removal: STOP, peakMb: null }]);
      const after = start(job(0, { cpus: 2 }));
      await ended(after);
    });

    test("of a job without a trace it says that it does not know", () => {
      const claim: Claim = { cluster: 999, site: "here", at: 0, evicted: false };
      expect(seat.runner.adopt(claim, () => new Watch())).toBe("unknown");
    });

    test("what runs goes on without it; the next one adopts it and reports its end once", async ({ skip }) => {
      const { reopen } = seat;
      if (!reopen) return skip();
      const spec = job("wait");
      const [left, adopted] = [start(spec), new Watch()];
      await running(left);
      const next = reopen();
      const kept: JobSpec[] = [];
      const claim = { ...(left.places[0] as Placement), cluster: spec.cluster, evicted: false };
      const answer = next.adopt(claim, (found) => {
        kept.push(found);
        return adopted;
      });
      expect(answer).toBe("running");
      expect(kept).toEqual([spec]);
      seat.finish();
      await ended(adopted);
      expect(adopted.ends).toMatchObject([{ kind: "exited", code: 0 }]);
      expect(left.ends).toEqual([]);
    });
  });
}
