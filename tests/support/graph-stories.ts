import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readHolder } from "../../src/engines/runners/process/proc.ts";
import { wms2 } from "./cli.ts";
import { eventually } from "./eventually.ts";
import type { ServerUnderTest } from "./server.ts";

/** A graph in a directory of its own, which whoever owns the jobs may write to. `sh` jobs note their names in `ran`. */
function graph(root: string, name: string, jobs: readonly object[], more: object = {}) {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o777);
  const ran = () =>
    existsSync(join(directory, "ran")) ? readFileSync(join(directory, "ran"), "utf8").trim().split("\n").sort() : [];
  const document = { name, kind: "graph", directory, resources: { memory: "50 MB" }, jobs, ...more };
  return { directory, document, ran, write: (file: string) => writeFileSync(join(directory, file), "") };
}
const sh = (name: string, script = "true", more: object = {}) => ({
  name,
  run: ["sh", "-c", `echo ${name.replace(/ ?\{.*/, "")} >>ran; ${script}`],
  ...more,
});

export async function diamondStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, directory } = graph(
    root,
    "diamond",
    [
      sh("top", "echo 1 >a", { makes: ["a"] }),
      sh("left", "cat a >b", { reads: ["a"], makes: ["b"] }),
      sh("right", "cat a >c", { reads: ["a"], makes: ["c"] }),
      sh("end", "cat b c >d", { reads: ["b", "c"], makes: ["d"] }),
    ],
    {
      on: {
        start: ["sh", "-c", "echo start >>hooks; exit 9"],
        end: ["sh", "-c", "echo $WMS2_VERDICT >>hooks"],
        jobs_ended: [{ jobs: ["left", "right"], run: ["wms2-no-such-program"] }],
      },
    },
  );
  await server.submit(document);
  const request = await server.until("diamond", ["completed", "held"], 200);
  expect([request.status, request.hold]).toEqual(["completed", null]);
  expect(readFileSync(join(directory, "d"), "utf8")).toBe("1\n1\n");
  const told = await eventually("all hooks were run", async () => {
    const { history } = await server.get(`/dags/${request.workflow.dag_id}`);
    const ended = history.filter(({ type }: { type: string }) => type === "hook-ended");
    return ended.length === 3 && ended.map(({ detail }: { detail: { result: string } }) => detail.result).sort();
  });
  expect(told).toEqual([expect.stringContaining("could not be started"), "exit 0", "exit 9"]);
  expect(readFileSync(join(directory, "hooks"), "utf8")).toBe("start\nsuccess\n");
}

export async function endedStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, ran, write } = graph(
    root,
    "report",
    [
      sh("prepare", "test -e fixed"),
      sh("train-a", "true", { after: ["prepare"] }),
      sh("train-b", "true", { after: ["prepare"] }),
      sh("other"),
      sh("report", "true", { after: ["train-*", "other"], when: "ended" }),
      sh("publish", "true", { after: ["report"] }),
      sh("announce", "true", { after: ["publish", "other"] }),
    ],
    { retries: { job: 0 }, recovery: { max_rescues: 0 } },
  );
  await server.submit(document);
  const held = await server.until("report", ["held", "completed"], 200);
  expect(held.hold).toMatchObject({ code: "permanent-failures" });
  const after = ["announce", "publish", "report"];
  expect(ran()).toEqual([...after, "other", "prepare"].sort());
  write("fixed");
  await server.send("POST", "/requests/report/rescue", { reason: "fixed" });
  await server.until("report", ["completed"], 200);
  // All that was made of a report without them is made again; what has nothing to do with it is not.
  expect(ran()).toEqual([...after, ...after, "other", "prepare", "prepare", "train-a", "train-b"].sort());
}

export async function resubmitStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, ran, write } = graph(
    root,
    "sweep",
    [
      sh("fit {x}", "test -e fixed || exit 3", { each: ["x"] }),
      sh("plot", "true", { after: ["fit 0.1"] }),
      sh("slow", "while [ ! -e go ]; do sleep 0.1; done"),
      sh("last", "true", { after: ["fit 0.1", "slow"] }),
    ],
    { retries: { job: 0 }, parameters: { x: ["0.1", "0.2"] }, recovery: { max_rescues: 0 } },
  );
  await server.submit(document);
  const attempts = await eventually("both have failed", async () => {
    const { items } = await server.get("/requests/sweep/attempts").catch(() => ({ items: [] }));
    return items.length === 2 ? items : false;
  });
  expect(attempts).toContainEqual(expect.objectContaining({ job: "fit 0.1", node: "job_000000", decision: "stop" }));
  const said = (nodes: string[] | "failed") =>
    server.send("POST", "/requests/sweep/resubmit", { nodes, reason: "fixed" });
  expect(await said(["slow"])).toMatchObject({ status: 422 });
  expect(await said(["fit 0.3"])).toMatchObject({ status: 422, body: { problems: [{ allowed: expect.any(String) }] } });
  write("fixed");
  expect(await said(["fit 0.1"])).toMatchObject({ status: 202 });
  const beside = () => server.get("/requests/sweep").then(({ workflow }) => workflow.work_units_done === 1);
  await eventually("it is done while the slow one runs", beside, { deadlineSec: 100 });
  expect(ran()).toEqual(["fit", "fit", "fit", "slow"]);
  expect((await server.get("/requests/sweep")).status).toBe("active");
  write("go");
  const held = await server.until("sweep", ["held", "completed"], 200);
  expect([held.status, held.hold?.message]).toEqual(["held", expect.stringContaining("1 of 5 jobs failed")]);
  expect(ran()).toEqual(["fit", "fit", "fit", "last", "plot", "slow"]);
  expect(await said("failed")).toMatchObject({ status: 202 });
  await server.until("sweep", ["completed"], 200);
  expect(ran()).toEqual(["fit", "fit", "fit", "fit", "last", "plot", "slow"]);
}

/** Both die while the job runs; nobody is there when it would end. */
export async function killedBesideStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, ran, write } = graph(
    root,
    "killed",
    [
      sh("fit", "test -e fixed || exit 3; until [ -e fit-may-end ]; do sleep 0.1; done"),
      sh("plot", "true", { after: ["fit"] }),
      sh("slow", "until [ -e go ]; do sleep 0.1; done"),
    ],
    { retries: { job: 0 }, recovery: { max_rescues: 0 } },
  );
  await server.submit(document);
  const at = (state: string) => async () => {
    const { workflow } = await server.get("/requests/killed");
    const { items } = await server.get(`/dags/${workflow?.dag_id}/nodes`).catch(() => ({ items: [] }));
    const fit = items.find(({ job }: { job: string }) => job === "fit");
    return fit?.state === state && fit;
  };
  await eventually("it has failed", at("failed"), { deadlineSec: 60 });
  expect(await at("failed")()).not.toHaveProperty("side");
  write("fixed");
  const said = await server.send("POST", "/requests/killed/resubmit", { nodes: ["fit"], reason: "fixed" });
  expect(said).toMatchObject({ status: 202 });
  const again = await eventually("it runs again", at("running"), { deadlineSec: 60 });
  expect(again.side).toMatchObject({ by: "operator", reason: expect.stringContaining("fixed") });
  await eventually("its job has begun", () => ran().length === 3, { deadlineSec: 60 });

  const engine = readHolder(join(server.dataDir, "engine", "lock"));
  await server.kill();
  process.kill(engine?.pid ?? Number.NaN, "SIGKILL");
  await server.start();
  const adopted = await eventually("it still runs", at("running"), { deadlineSec: 60 });
  expect(adopted.side).toMatchObject({ dag_id: again.side.dag_id });
  write("fit-may-end");
  const done = await eventually("it is done", at("done"), { deadlineSec: 60 });
  expect(done.side).toMatchObject({ dag_id: again.side.dag_id });
  const shown = await wms2(["nodes", "killed", "--data-dir", server.dataDir]);
  expect(shown.stdout).toMatch(new RegExp(`fit +done .*side run ${again.side.dag_id.slice(0, 8)}, by .*: .*fixed`));
  expect(ran()).toEqual(["fit", "fit", "slow"]);
  write("go");
  await server.until("killed", ["completed"], 60);
  expect(ran()).toEqual(["fit", "fit", "plot", "slow"]);
  const { items } = await server.get("/dags?request=killed");
  expect(items.map(({ submit_dir }: { submit_dir: string }) => submit_dir.includes("/side-")).sort()).toEqual([
    false,
    false,
    true,
  ]);
}

export async function blockedStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document } = graph(
    root,
    "blocked",
    [
      sh("first", "echo no such luck >&2; exit 4"),
      sh("second-{i}", "true", { each: ["i"], after: ["first"] }),
      sh("apart"),
    ],
    { parameters: { i: ["1", "2", "3"] }, retries: { job: 0 }, recovery: { max_rescues: 0 } },
  );
  await server.submit(document);
  await server.until("blocked", ["held"], 200);
  const errors = await server.get("/requests/blocked/errors");
  expect(errors).toMatchObject({
    units_total: 5,
    units_done: 1,
    units_failed: 1,
    blocked: [{ by: "first", units: 3 }],
  });
  expect(errors.first).toMatchObject({ job: "first" });
  expect(errors.codes[0].log_tail).toContain("no such luck");
  const recover = (only: string[]) => server.send("POST", "/requests/blocked/recover", { only, dry_run: true });
  expect(await recover(["first"])).toMatchObject({ status: 200, body: { nodes: [{ node: "job_000000" }] } });
  expect(await recover(["apart"])).toMatchObject({ status: 422 });
  const { dag_id } = (await server.get("/requests/blocked")).workflow;
  const logs = await server.get(`/dags/${dag_id}/logs?unit=first`);
  expect(logs).toMatchObject({ unit: "job_000000", node: "job_000000" });
}

/**
 * The disk of the submit directories fills up: held with the path. With space again all goes on; only what ended meanwhile, which
 * nobody could write down, may run once more.
 */
export async function fullDiskGraphStory(
  server: ServerUnderTest,
  root: string,
  disk: { readonly path: string; fill(): void; empty(): void },
): Promise<void> {
  const waiting = sh("waiting", "until [ -e go ]; do sleep 0.1; done", { after: ["first"] });
  const { document, ran, write } = graph(root, "full-disk-graph", [
    sh("first"),
    waiting,
    sh("end", "true", { after: ["waiting"] }),
  ]);
  await server.submit(document);
  await eventually("the jobs run", () => ran().length === 2, { deadlineSec: 60, everyMs: 50 });
  disk.fill();
  write("go");
  const { hold } = await server.until("full-disk-graph", ["held"], 120);
  expect(hold).toMatchObject({ code: "disk-unwritable", message: expect.stringContaining(disk.path) });
  disk.empty();
  await server.send("POST", "/requests/full-disk-graph/release", { reason: "there is space again" });
  await server.until("full-disk-graph", ["completed"], 120);
  const times = (name: string) => ran().filter((one) => one === name).length;
  expect(times("first")).toBe(1);
  for (const name of ["waiting", "end"]) expect([1, 2], name).toContain(times(name));
}
