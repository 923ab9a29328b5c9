import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { inPool, poolServer, poolStatus, sharedDir } from "../support/pool-server.ts";
import { BOTH, experiment, FIRST, lateStory, SECOND, segmentCalls, untilQuiet } from "../support/segment-stories.ts";

/**
 * Queues and time-outs, with a live HTCondor pool as our engine and as the queue that frepp uses. A call of ours that hands over the
 * request NAME hangs while there is a file NAME.call (it never gets there) or NAME.answer (it does, and nobody hears of it). The
 * queue gives no answer about a job while there is a file broken-ID.
 */
const work = sharedDir("segments");
const at = (name: string): string => join(work, name);
const { prefix } = poolStatus();
const quoted = prefix.map((word) => `'${word}'`).join(" ");
const SCRIPTS = {
  lossy: `#!/bin/sh
name=$(basename "$(dirname "$PWD")")
case " $* " in *" bin/submit run "*) ;; *) exec ${quoted} "$@" ;; esac
mv "${work}/$name.call" "${work}/$name.lost" 2>/dev/null && exec sleep 600
mv "${work}/$name.answer" "${work}/$name.lost" 2>/dev/null || exec ${quoted} "$@"
${quoted} "$@" >/dev/null 2>&1
exec sleep 600
`,
  queue: `#!/bin/sh
[ ! -e "${work}/broken-$1" ] || exit 1
exec ${quoted} condor_q -allusers -af ClusterId 'ifThenElse(JobStatus==2,"RUNNING",ifThenElse(JobStatus==5,"H","PENDING"))'
`,
  accounting: `#!/bin/sh
exec ${quoted} condor_history "$1" -af ClusterId 'ifThenElse(JobStatus==3,"CANCELLED","COMPLETED")'
`,
};
for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(at(name), text, { mode: 0o755 });

const server = poolServer({
  "engine.dagman.prefix": [at("lossy")],
  "engine.timeout_sec": 8,
  "dag.defer_poll_sec": 1,
  "recovery.cooloff_base_sec": 0,
  "frepp.queue": [at("queue"), "{ids}"],
  "frepp.accounting": [at("accounting"), "{id}"],
});
beforeAll(() => server.start());
const theirs: string[] = [];
afterAll(async () => {
  if (theirs.length > 0) inPool("condor_rm", ...theirs);
  await server.stop();
  await server.remove();
  rmSync(work, { recursive: true, force: true });
});

/** A job that frepp has in the queue, and that never begins. */
function jobOfFrepp(): string {
  const file = at(`theirs-${theirs.length}.sub`);
  writeFileSync(
    file,
    `executable = /bin/true\ninitialdir = ${dirname(file)}\nrequirements = false\nlog = /dev/null\nqueue\n`,
  );
  const [, id] = /submitted to cluster (\d+)/.exec(inPool("condor_submit", file)) ?? [];
  if (!id) throw new Error("condor_submit named no cluster");
  theirs.push(id);
  return id;
}

/** A request that does nothing by itself, whose first product frepp has, as its state file says. */
async function withFrepp(name: string) {
  const run = experiment(work, name, { document: { sweep: "never" } });
  const id = jobOfFrepp();
  mkdirSync(run.path("state"));
  writeFileSync(run.path("state/atmos.0002"), `${id}\n`);
  await server.submit(run.document);
  await untilQuiet(server, name);
  const body = { directory: run.path("state"), dry_run: false };
  const { status } = await server.send("POST", `/requests/${name}/state/import`, body);
  expect(status).toBe(200);
  return { ...run, ...segmentCalls(server, name), id };
}
const node = async (name: string, id: string) => {
  const { items } = await server.get(`/requests/${name}/nodes`);
  return items.find((one: { id: string }) => one.id === id) ?? null;
};
/** Clusters of a request's own jobs in the queue, by state: 2 running, 5 held. Others may have a request of that name, too. */
const jobsOf = (name: string, status: number): string[] => {
  const own = `substr(Iwd, 0, ${server.dataDir.length}) == "${server.dataDir}"`;
  const which = `WMS2_Request == "${name}" && JobStatus == ${status} && JobUniverse == 5 && ${own}`;
  return inPool("condor_q", "-allusers", "-constraint", which, "-af", "ClusterId").split("\n").filter(Boolean);
};
const UNTIL_GO = "until [ -e go ]; do sleep 0.2; done";

describe.concurrent("a model run on the pool", { timeout: 200_000 }, () => {
  test("case 16: a job of frepp that waits in the queue, or is held there: nothing is submitted for it", async () => {
    const { plan, id } = await withFrepp("alive");
    const waits = {
      actions: [{ node: SECOND, kind: "make" }],
      obstacles: [
        { node: FIRST, kind: "elsewhere", reason: `is job ${id} of frepp, queued` },
        { node: BOTH, kind: "blocked", reason: expect.stringContaining("waits for"), causes: [FIRST] },
      ],
    };
    expect(await plan()).toMatchObject(waits);
    inPool("condor_hold", id);
    expect(await plan()).toMatchObject(waits);
  });

  test("case 17: it is removed, as queue and accounting say: lost, made here once, and no execution is spent", async () => {
    const { plan, fill, ran, id } = await withFrepp("removed");
    inPool("condor_rm", id);
    const gone = async () => (await plan()).actions.length === 3;
    await eventually("both say that it is gone", gone, { deadlineSec: 60, everyMs: 500 });
    expect(await fill()).toMatchObject({ status: 202 });
    await server.until("removed", ["completed"], 150);
    expect(ran().toSorted()).toEqual([FIRST, SECOND, BOTH]);
    expect(await node("removed", FIRST)).toMatchObject({ state: "done", executions: 0, job: null });
  });

  test("case 18: the queue cannot be asked: nothing is submitted for it, and that is said with exit 1", async () => {
    const { id } = await withFrepp("unasked");
    writeFileSync(at(`broken-${id}`), "");
    const { code, stdout, stderr } = await wms2(["fill", "unasked", "--data-dir", server.dataDir]);
    expect(code, stderr).toBe(1);
    expect(stderr).toContain(`the state of ${FIRST} is unknown`);
    expect(stdout).toMatch(/^atmos ts-monthly-2y +\.\?\.-$/m);
    rmSync(at(`broken-${id}`));
    expect((await wms2(["fill", "unasked", "--data-dir", server.dataDir])).code).toBe(10);
  });

  test("case 19: removed over the site's time limit three times: held with a longer limit to try, and no endless loop", async () => {
    const { document, ran } = experiment(work, "overrun", {
      ...{ years: 2, script: "sleep 600" },
      document: { end: "0002", components: [{ name: "atmos", lengths: ["2y"] }], executions: 3 },
    });
    await server.submit(document);
    for (let times = 1; times <= 3; times++) {
      const [id] = await eventually(
        `it runs, try ${times}`,
        () => ran().length === times && found(jobsOf("overrun", 2)),
        { deadlineSec: 100, everyMs: 500 },
      );
      inPool("condor_rm", "-reason", "over the wall time limit of the site", id!);
    }
    await untilQuiet(server, "overrun");
    const reason = expect.stringMatching(/ran over its limit .* 3 times; give it more/);
    expect(await node("overrun", FIRST)).toMatchObject({ state: "held", cause: "walltime", overruns: 3, reason });
    expect(ran()).toHaveLength(3);
  });

  test.each([
    ["20: the submission times out and the job is there: adopted", "answer", "adopted"],
    ["21: the submission times out and nothing is there: submitted once more", "call", ""],
  ])("case %s, and each product is made once", async (_story, what, how) => {
    const name = `lost-${what}`;
    const { document, ran } = experiment(work, name);
    writeFileSync(at(`${name}.${what}`), "");
    await server.submit(document);
    await server.until(name, ["completed"], 150);
    expect(existsSync(at(`${name}.lost`))).toBe(true);
    expect(ran().toSorted()).toEqual([FIRST, SECOND, BOTH]);
    const { items } = await server.get(`/requests/${name}/transitions`);
    const { reason } = items.find(({ to }: { to: string }) => to === "active");
    expect(reason).toContain(how);
  });

  test("case 22: of two fills at once each product is made once", () => lateStory(server, work));

  test("a job is held by hand and released, another is removed: both are waited for, and what is made is whole", async () => {
    const { document, ran, path, output } = experiment(work, "by-hand", { script: UNTIL_GO });
    const { plan } = segmentCalls(server, "by-hand");
    await server.submit(document);
    const running = await eventually("two run", () => ran().length === 2 && found(jobsOf("by-hand", 2), 2), {
      ...{ deadlineSec: 100, everyMs: 500 },
    });
    const [held, removed] = running as [string, string];
    inPool("condor_hold", held);
    inPool("condor_rm", removed);
    await eventually("the removed one runs again", () => ran().length === 3, { deadlineSec: 100 });
    expect(jobsOf("by-hand", 5)).toEqual([held]);
    const kinds = (await plan()).obstacles.map(({ kind }: { kind: string }) => kind);
    expect([kinds, (await plan()).actions]).toEqual([["running", "running", "running"], []]);
    inPool("condor_release", held);
    writeFileSync(path("go"), "");
    await server.until("by-hand", ["completed"], 150);
    expect(readFileSync(output(BOTH), "utf8").split("\n")).toHaveLength(49);
    expect(ran().filter((id) => id === BOTH)).toHaveLength(1);
  });
});

const found = (ids: readonly string[], count = 1) => ids.length === count && ids;
