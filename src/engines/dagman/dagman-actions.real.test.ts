import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Run } from "../../core/run.ts";
import { DagmanEngine } from "./dagman-engine.ts";
import { type SpawnAnswer, type SpawnRequest, spawnCommand } from "./spawn.ts";

/** What people and passes do to a run, against scripted answers. */
describe("the DAGMan engine asked to do something", () => {
  let dir: string;
  let run: Run;
  let asked: SpawnRequest[];
  let answer: (argv: readonly string[]) => Partial<SpawnAnswer>;
  const engine = new DagmanEngine({
    commandPrefix: ["into", "pool"],
    spawner: async (request) => {
      if (request.argv.includes("-totals")) return { code: 0, stdout: "-- Schedd: submit-1 : <\n", stderr: "" };
      asked.push(request);
      return { code: 0, stdout: "", stderr: "", ...answer(request.argv.slice(2)) };
    },
  });
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "dagman-"));
    run = { dagId: "d", submitDir: dir, batchName: "wms2-d", engineId: "7", priority: 0 } as unknown as Run;
    asked = [];
    answer = () => ({});
    await put("workflow.dag", "JOB a x\n");
  });
  afterEach(() => rm(dir, { recursive: true }));
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  };
  const top = (fields: Record<string, unknown> = {}): string =>
    JSON.stringify([{ ClusterId: 7, JobBatchName: "wms2-d", JobUniverse: 7, JobStatus: 2, ...fields }]);

  it("removes the top, or what is left without it", async () => {
    const names = () =>
      asked.map((each) => each.argv.slice(2, 3).concat(/DAGManJobId is/.test(each.argv.at(-1)!) ? "top" : "tree"));
    answer = ([name]) => (name === "condor_q" ? { stdout: top() } : {});
    await engine.stop(run);
    expect(names()).toEqual([
      ["condor_q", "tree"],
      ["condor_rm", "top"],
    ]);
    asked = [];
    answer = ([name]) => (name === "condor_q" ? { stdout: top({ DAGManJobId: 3 }) } : {});
    await engine.stop(run);
    expect(names()).toEqual([
      ["condor_q", "tree"],
      ["condor_rm", "tree"],
    ]);
    asked = [];
    answer = () => ({});
    await engine.stop(run);
    expect(names()).toEqual([["condor_q", "tree"]]);
  });

  it("nothing to hold is no error; a refusal is", async () => {
    answer = () => ({ code: 1, stderr: "Couldn't find/hold all jobs matching constraint (…)" });
    await engine.hold(run);
    answer = () => ({ code: 1, stderr: "Failed to connect" });
    await expect(engine.release(run)).rejects.toMatchObject({ code: "engine-unreachable" });
  });

  it("passes on the warnings about limits, each with its cure", async () => {
    const said: Record<string, string> = { condor_config_val: "200\n", condor_version: "$CondorVersion: 23.9.6 x $" };
    answer = (argv) => ({ stdout: said[argv[0] ?? ""] ?? "" });
    const ping = await engine.ping();
    expect(ping).toMatchObject({ ok: true, text: "HTCondor 23.9.6 via into pool; the schedd answers" });
    expect(ping.warnings[0]?.fix).toMatch(/MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER = 5000/);
    expect(ping.warnings.at(-1)?.what).toMatch(/^there is no Node.js on the submit host/);
    said.sh = "v18.19.0\n";
    expect((await engine.ping()).warnings.at(-1)?.what).toMatch(/^Node.js is v18.19.0 on the submit host/);
    said.sh = "v20.20.0\n";
    expect((await engine.ping()).warnings.at(-1)?.what).not.toMatch(/Node.js/);
  });

  it.runIf(process.getuid?.() === 0)("gives the directory away, once, and says which way is closed", async () => {
    await put("mg_000000/group.dag", "");
    const outside = path.dirname(dir);
    const given = new DagmanEngine({
      commandPrefix: [],
      submitAs: { uid: 1000, gid: 1000 },
      spawner: async (request) => {
        asked.push(request);
        return request.argv[0] === "chown"
          ? spawnCommand(request)
          : { code: 0, stdout: "submitted to cluster 1", stderr: "" };
      },
    });
    expect((await stat(outside)).mode & 1).toBe(1);
    await given.submit(run, 1);
    expect((await stat(path.join(dir, "mg_000000/group.dag"))).uid).toBe(1000);
    await given.submit(run, 2);
    expect(asked.map((each) => each.argv[0])).toEqual(["chown", "sh", "sh"]);
    await mkdir(path.join(dir, "closed/inner"), { recursive: true, mode: 0o700 });
    await put("closed/inner/workflow.dag", "");
    const text = `${dir}/closed is closed to the job owner (uid 1000), so no job can reach its submit directory`;
    expect(await given.submit({ ...run, submitDir: `${dir}/closed/inner` }, 3)).toEqual({ kind: "rejected", text });
  });
});
