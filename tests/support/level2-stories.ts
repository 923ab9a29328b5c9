import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import { FailingRequest, outputs, PATIENCE_SEC } from "./failing-request.ts";
import type { ServerUnderTest } from "./server.ts";

/** Between two steps of a story, something may happen to the server. */
export type Meanwhile = () => Promise<void>;

export async function rescueStory(server: ServerUnderTest, dir: string, meanwhile: Meanwhile): Promise<void> {
  const request = new FailingRequest(dir, "rescued", 10);
  request.fail(3, "kill", 3);
  await server.submit(request.document());
  await meanwhile();
  await server.until("rescued", ["completed", "held"], PATIENCE_SEC);
  expect((await server.get("/requests/rescued")).status).toBe("completed");
  request.expectOnceEach([3]);
  expect(request.count(3)).toBe(4);
  expect(await outputs(server, "rescued")).toBe(10);
}

export async function holdAndReleaseStory(
  server: ServerUnderTest,
  dir: string,
  ban: string,
  meanwhile: Meanwhile,
): Promise<void> {
  const request = new FailingRequest(dir, "released", 10);
  for (const index of [1, 4, 7]) request.fail(index, "1");
  await server.submit(request.document());
  const held = await server.until("released", ["held"], PATIENCE_SEC);
  expect(held.hold.message).toMatch(/3 of 10 units failed/);
  const errors = await server.get("/requests/released/errors");
  expect(JSON.stringify(errors)).toContain("proc_0000");
  request.heal();
  const before = request.runs().length;
  const answer = await server.send("POST", "/requests/released/release", {
    reason: "fixed",
    how: "rescue",
    site_bans: [ban],
  });
  expect([answer.status, answer.body]).toMatchObject([expect.any(Number), expect.anything()]);
  expect(answer.status).toBeLessThan(300);
  await meanwhile();
  await server.until("released", ["completed"], PATIENCE_SEC);
  request.expectOnceEach([1, 4, 7]);
  const after = request.runs().length - before;
  expect(after).toBe(3);
  for (const index of [1, 4, 7])
    expect(
      request
        .runs()
        .filter(({ file }) => file.startsWith(`f00${index}`))
        .at(-1)?.site,
    ).not.toBe(ban);
  expect(await outputs(server, "released")).toBe(10);
}

export async function stopStory(server: ServerUnderTest, dir: string, meanwhile: Meanwhile): Promise<void> {
  const request = new FailingRequest(dir, "stopped", 8);
  request.close();
  await server.submit(request.document({ throttles: { units: 2 } }));
  await request.pass(2);
  await eventually("two units are done", async () => (await outputs(server, "stopped")) >= 2, {
    deadlineSec: PATIENCE_SEC,
    everyMs: 100,
  });
  await server.send("POST", "/requests/stopped/stop", { reason: "maintenance" });
  await meanwhile();
  await eventually(
    "it was stopped",
    async () =>
      (await server.get("/requests/stopped/transitions")).items.some(
        (move: { to: string }) => move.to === "resubmitting",
      ),
    { deadlineSec: PATIENCE_SEC, everyMs: 200 },
  );
  request.heal();
  await server.until("stopped", ["completed"], PATIENCE_SEC);
  expect(await outputs(server, "stopped")).toBe(8);
  // A job that the stop cut off may have run twice; a unit that had finished must not.
  const repeated = Array.from({ length: 8 }, (_, i) => request.count(i)).filter((count) => count > 1);
  expect(repeated.length).toBeLessThanOrEqual(2);
}

/**
 * Held between POST's verdict and the engine's hearing of it, for the jobs and then for the merge: POST lingers after it
 * has spoken, as long as a file says so. What was done stays done.
 */
export async function unheardStory(server: ServerUnderTest, dir: string): Promise<void> {
  const name = "unheard";
  const request = new FailingRequest(dir, name, 3);
  request.close();
  await server.submit(request.document({ unit: { jobs: 3 } }));
  await eventually("its jobs run", () => request.runs().length === 3, { deadlineSec: PATIENCE_SEC, everyMs: 100 });
  const spool = join(server.dataDir, "spool", name);
  const round = readdirSync(spool).find((entry) => /^r\d/.test(entry)) ?? "";
  const inRound = (...parts: string[]) => join(spool, round, ...parts);
  writeFileSync(inRound("linger"), "proc_\n");
  copyFileSync(inRound("bin/post"), inRound("bin/post.real"));
  writeFileSync(inRound("bin/post.new"), LINGERING_POST, { mode: 0o755 });
  renameSync(inRound("bin/post.new"), inRound("bin/post"));
  request.heal();
  const done = (): string[] => {
    const ledger = inRound("mg_000000/ledger.jsonl");
    const lines = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n") : [];
    const nodes = lines.filter((line) => line.includes('"decision":"done"')).map((line) => JSON.parse(line).node);
    return nodes.filter((node) => node !== "landing" && node !== "cleanup").sort();
  };
  const jobs = ["proc_000000", "proc_000001", "proc_000002"];
  for (const [linger, ended] of [
    ["proc_", jobs],
    ["merge", ["merge", ...jobs]],
  ] as const) {
    writeFileSync(inRound("linger"), `${linger}\n`);
    await eventually(`POST has spoken of ${ended}`, () => done().join() === ended.join(), {
      deadlineSec: PATIENCE_SEC,
    });
    await server.send("POST", `/requests/${name}/hold`, { reason: "in between" });
    await server.until(name, ["held"], PATIENCE_SEC);
    await server.send("POST", `/requests/${name}/resume`, { reason: "goes on" });
  }
  rmSync(inRound("linger"));
  await server.until(name, ["completed"], PATIENCE_SEC);
  expect(done()).toEqual(["merge", ...jobs]);
  request.expectOnceEach();
}
const LINGERING_POST = `#!/bin/sh
"\${0%/*}/post.real" "$@"
code=$?
while read -r which 2>/dev/null <../linger; do
  case $1 in "$which"*) sleep 0.1 ;; *) break ;; esac
done
exit $code
`;

/**
 * Held in mid-round at one submit host and resumed at another: `move` ends the first server and starts one there, with the
 * same data directory.
 */
export async function moveStory(
  server: ServerUnderTest,
  dir: string,
  move: () => Promise<ServerUnderTest>,
): Promise<void> {
  const request = new FailingRequest(dir, "moved", 5);
  request.close();
  await server.submit(request.document({ throttles: { units: 2 } }));
  await request.pass(1);
  await eventually("a unit is done", async () => (await outputs(server, "moved")) >= 1, {
    deadlineSec: PATIENCE_SEC,
    everyMs: 100,
  });
  await server.send("POST", "/requests/moved/hold", { reason: "this submit host is to be repaired" });
  await server.until("moved", ["held"], PATIENCE_SEC);
  const done = await outputs(server, "moved");
  const before = request.runs().length;
  request.heal();
  const there = await move();
  expect(await outputs(there, "moved")).toBe(done);
  await there.send("POST", "/requests/moved/resume", { reason: "goes on here" });
  await there.until("moved", ["completed"], PATIENCE_SEC);
  expect(await outputs(there, "moved")).toBe(5);
  // Only what had not finished ran there; a job that had, in a unit that had not, did not run again.
  expect(request.runs().length - before).toBeLessThanOrEqual(5 - done);
  for (let index = 0; index < 5; index += 1) expect(request.count(index)).toBeGreaterThan(0);
}

/** A demotion needs a look while units are still to come: each time the next ones wait for it. */
export async function productionStepsStory(server: ServerUnderTest, dir: string): Promise<void> {
  const request = new FailingRequest(dir, "demoted", 10);
  request.close();
  const steps = [
    { fraction: 0.1, priority: 80_000 },
    { fraction: 0.5, priority: 50_000 },
  ];
  // All at once: a unit that waits at its gate must not keep others from theirs.
  await server.submit(request.document({ throttles: { units: 10 }, production_steps: steps }));
  const demotions = async (): Promise<number> =>
    (await server.get("/requests/demoted/transitions")).items.filter((move: { to: string }) => move.to === "stopping")
      .length;
  const demoted = (times: number) =>
    eventually(`demoted ${times} times`, async () => (await demotions()) === times, {
      deadlineSec: PATIENCE_SEC,
      everyMs: 200,
    });
  request.open(0);
  await demoted(1);
  request.open(1, 2, 3, 4, 5);
  await demoted(2);
  request.heal();
  await server.until("demoted", ["completed"], PATIENCE_SEC);
  expect((await server.get("/requests/demoted")).priority).toBe(50_000);
  expect(await demotions()).toBe(2);
  expect(await outputs(server, "demoted")).toBe(10);
}

export async function cloneStory(server: ServerUnderTest, dir: string): Promise<void> {
  const request = new FailingRequest(dir, "cloned", 4);
  for (const index of [0, 1]) request.fail(index, "1");
  await server.submit(request.document());
  await server.until("cloned", ["held"], PATIENCE_SEC);
  request.heal();
  await server.send("POST", "/requests/cloned/restart", { reason: "begin again" });
  await server.until("cloned-v2", ["completed"], PATIENCE_SEC);
  const old = await server.get("/requests/cloned");
  expect(old).toMatchObject({ status: "failed", superseded_by_request: "cloned-v2" });
  expect(await outputs(server, "cloned-v2")).toBe(4);
}

/** `isGone`: nothing of the DAG is left in the engine. */
export async function abortStory(
  server: ServerUnderTest,
  dir: string,
  isGone: (dagId: string) => boolean | Promise<boolean>,
): Promise<void> {
  const request = new FailingRequest(dir, "aborted", 3);
  request.close();
  await server.submit(request.document());
  const dag = await eventually(
    "its jobs run",
    async () => {
      const { workflow } = await server.get("/requests/aborted");
      const seen = workflow && (await server.get(`/workflows/${workflow.id}/status`)).dag;
      return seen && request.runs().length === 3 ? seen : false;
    },
    { deadlineSec: PATIENCE_SEC, everyMs: 250 },
  );
  await server.send("POST", "/requests/aborted/abort", { reason: "test" });
  await server.until("aborted", ["aborted"], PATIENCE_SEC);
  expect(await isGone(dag.id)).toBe(true);
  expect(await outputs(server, "aborted")).toBe(0);
}

/** 8021 (cannot read the file) at one site is the site's fault; at a second one it is the file's. */
export async function badFileStory(server: ServerUnderTest, dir: string): Promise<void> {
  const request = new FailingRequest(dir, "bad-file", 6);
  request.fail(2, "8021");
  await server.submit(request.document());
  await server.until("bad-file", ["completed", "held"], PATIENCE_SEC);
  expect((await server.get("/requests/bad-file")).status).toBe("completed");
  request.expectOnceEach([2]);
  const sites = new Set(
    request
      .runs()
      .filter(({ file }) => file.startsWith("f002"))
      .map(({ site }) => site),
  );
  expect(sites.size).toBe(2);
  expect(await outputs(server, "bad-file")).toBe(5);
}

/**
 * Jobs fail at one of three sites, for want of software there: it is banned and its units move; nobody is asked. Which
 * site is bad is decided when enough jobs have begun at one; of seven jobs at three sites, three are at one.
 */
export async function badSiteStory(server: ServerUnderTest, dir: string): Promise<void> {
  const request = new FailingRequest(dir, "bad-site", 9);
  request.close();
  await server.submit(request.document({ throttles: { units: 9 } }));
  const bad = await eventually("three jobs are at one site", () => request.sites().find((site) => site.jobs >= 3), {
    deadlineSec: PATIENCE_SEC,
    everyMs: 100,
  }).then(({ name }) => name);
  request.spoil(bad, 10034);
  request.heal();
  await server.until("bad-site", ["completed", "held"], PATIENCE_SEC);
  expect((await server.get("/requests/bad-site")).status).toBe("completed");
  expect(await outputs(server, "bad-site")).toBe(9);
  const moves = (await server.get("/requests/bad-site/transitions")).items;
  expect(moves.filter((move: { to: string }) => move.to === "held")).toEqual([]);
  const there = new Set(request.runs().flatMap(({ file, site }) => (site === bad ? [file] : [])));
  expect(there.size).toBeGreaterThanOrEqual(3);
  for (const file of there) expect(request.runs().findLast((run) => run.file === file)?.site).not.toBe(bad);
  expect((await server.get(`/sites/${bad}/bans`)).items).not.toEqual([]);
}
