import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { BOTH, experiment, FIRST, SECOND, segmentCalls, untilQuiet } from "../support/segment-stories.ts";
import { ServerUnderTest } from "../support/server.ts";

/**
 * How post-processing is known to fail (docs/guides/frepp.md), by real commands on the local engine; the fifth, a submission whose
 * client was terminated, is in segments-lost.test.ts. `site`: what the queue of frepp says.
 */
const site = mkdtempSync(join(tmpdir(), "wms2-bad-days-"));
const says = (command: string): string => join(site, command);
const server = new ServerUnderTest({
  "engine.local.sites": [{ name: "here", cores: 16, memory_mb: 16000 }],
  "frepp.queue": ["cat", says("queue")],
  "frepp.accounting": ["cat", says("accounting")],
  "frepp.queue_by_name": ["cat", says("named")],
});
beforeAll(async () => {
  for (const command of ["queue", "accounting", "named"]) writeFileSync(says(command), "");
  await server.start(120);
}, 150_000);
afterAll(async () => {
  await server.stop();
  await server.remove();
  rmSync(site, { recursive: true, force: true });
});

const node = async (name: string, id: string) => {
  const { items } = await server.get(`/requests/${name}/nodes`);
  return items.find((one: { id: string }) => one.id === id) ?? null;
};
/** Fetches a year by the story's rule `works`, which sees the date as $1, and how often it was tried before as $tried. */
const fetching = (works: string, more: object = {}) => {
  const fetch = [
    'tried=$(wc -l <"tries.$1" 2>/dev/null) || tried=0; echo try >>"tries.$1"',
    `if ! ${works}; then echo no route to the archive >&2; exit 1; fi`,
    'for month in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$1.$month"; done >"$2.gcp" && mv "$2.gcp" "$2"',
  ].join("\n");
  const run = ["sh", "-c", fetch, "fetch", "{date}", "{output}"];
  return { history: { path: "history/{date}.csv", transfer: { run, wait_hours: [0, 0, 0, 0], ...more } } };
};

describe.concurrent("a model run on a bad day", { timeout: 120_000 }, () => {
  test("1, the starter never ran: accepted, vanished, and needed by nothing later: found, and made", async () => {
    const { document, ran, output, path } = experiment(site, "starter", { document: { sweep: "never" } });
    const { fill, plan } = segmentCalls(server, "starter");
    await server.submit(document);
    await untilQuiet(server, "starter");
    mkdirSync(path("state"));
    writeFileSync(output(FIRST), "x\n".repeat(24));
    writeFileSync(path("state/atmos.0002"), "OK\n");
    writeFileSync(path("state/atmos.0004"), "4712\n");
    const state = (way: string) =>
      server.send("POST", `/requests/starter/state/${way}`, { directory: path("state"), dry_run: false });
    expect(await state("import")).toMatchObject({ status: 200, body: { moved: [] } });
    expect(await plan()).toMatchObject({ done: 1, actions: [{ node: SECOND, kind: "retry" }, { node: BOTH }] });
    expect(await fill()).toMatchObject({ status: 202 });
    await server.until("starter", ["completed"], 100);
    expect(ran()).toEqual([SECOND, BOTH]);
    expect(await state("export")).toMatchObject({ status: 200 });
    expect(readFileSync(path("state/atmos.0004"), "utf8")).toBe("OK\n");
  });

  test("2, a transfer fails twice and then works: what waited for it follows, also its descendants", async () => {
    const { document, ran, path } = experiment(site, "again", {
      years: 0,
      document: fetching('[ "$1-$((tried < 2))" != 00030101-1 ]'),
    });
    await server.submit(document);
    await server.until("again", ["completed"], 100);
    expect(ran()).toEqual([FIRST, SECOND, BOTH]);
    expect(readFileSync(path("tries.00030101"), "utf8")).toBe("try\n".repeat(3));
    expect(readFileSync(path("tries.00010101"), "utf8")).toBe("try\n");
  });

  test("2, history that came short: it is waited for by name, and what is made of it follows when it has changed", async () => {
    const script = 'case $WMS2_JOB in *2y/0003-0004) [ $(cat "$@" | wc -l) -eq 24 ] || exit 66 ;; esac';
    const { document, ran, arrive, path } = experiment(site, "short", { script, document: { recovery: {} } });
    writeFileSync(path("history/00030101.csv"), "half of it\n");
    const { fill, plan } = segmentCalls(server, "short");
    await server.submit(document);
    await untilQuiet(server, "short");
    expect(await node("short", SECOND)).toMatchObject({ state: "input-missing", executions: 0 });
    expect(await plan()).toMatchObject({
      actions: [],
      obstacles: [{ node: SECOND, kind: "no-history" }, { node: BOTH }],
    });
    arrive(3);
    expect(await fill()).toMatchObject({ status: 202 });
    await server.until("short", ["completed"], 100);
    expect(ran().toSorted()).toEqual([FIRST, SECOND, SECOND, BOTH]);
  });

  test("3, a transfer is blocked by a stale lock and its tries are used up: --force tries once more, what failed stays counted", async () => {
    const args = join(site, "blocked-args");
    const file = join(args, "CM5.o99.output.stager.00040101.H.args");
    const used = `set actionXferOn = 1\nset xferRetries = 6\n${"@ xferRetry++\n".repeat(7)}`;
    mkdirSync(args);
    writeFileSync(file, used);
    writeFileSync(`${file}.lock`, "");
    const old = new Date(Date.now() - 20 * 60_000);
    utimesSync(`${file}.lock`, old, old);
    const { document, ran, path } = experiment(site, "blocked", {
      years: 3,
      document: fetching("[ -e fixed ]", { arguments: args }),
    });
    await server.submit(document);
    await untilQuiet(server, "blocked");
    expect(await node("blocked", "history/0004")).toMatchObject({ state: "held", transfers: 7 });
    const retry = async (force: boolean, dry_run = false) => {
      const body = { segments: ["0004"], force, dry_run, reason: "quota raised" };
      return (await server.send("POST", "/requests/blocked/transfers/retry", body)).body;
    };
    expect(await retry(false)).toMatchObject({
      items: [{ action: "leave", reason: expect.stringContaining("--force") }],
    });
    expect(await retry(true, true)).toMatchObject({ dry_run: true, items: [{ action: "retry", removes_lock: true }] });
    expect(await retry(true)).toMatchObject({ items: [{ action: "retry", removes_lock: true }] });
    const heldAgain = async () => {
      const row = await node("blocked", "history/0004");
      return row.state === "held" && row.transfers === 8;
    };
    await eventually("its one more try has failed", heldAgain, { deadlineSec: 100 });
    expect(readdirSync(args)).toEqual([file.slice(args.length + 1)]);
    expect(server.log()).toContain("transfer.lock-removed");
    writeFileSync(path("fixed"), "");
    expect(await retry(true)).toMatchObject({ items: [{ action: "retry", removes_lock: false }] });
    await server.until("blocked", ["completed"], 100);
    expect(ran()).toEqual([FIRST, SECOND, BOTH]);
    expect(readFileSync(path("tries.00040101"), "utf8")).toBe("try\n".repeat(2));
    expect(readFileSync(file, "utf8")).toBe(used);
  });

  test("4, a job fails on a copy: tried again although nothing needs it, no error is counted, held after the last try", async () => {
    const script = [
      "case $WMS2_JOB in",
      "atmos/*-4y/*) [ $(grep -c atmos/.*-4y ran) -ge 2 ] || exit 75 ;;",
      "ocean/*-4y/*) [ -e fixed ] || exit 75 ;;",
      "esac",
    ].join("\n");
    const { document, ran, path } = experiment(site, "copies", {
      script,
      document: { ...fetching("true", { wait_hours: [0, 0] }), executions: 1, components: ["atmos", "ocean"] },
    });
    const { plan, release } = segmentCalls(server, "copies");
    await server.submit(document);
    await untilQuiet(server, "copies");
    const ocean = BOTH.replace("atmos", "ocean");
    const times = (id: string) => ran().filter((one) => one === id).length;
    expect(await node("copies", BOTH)).toMatchObject({ state: "done" });
    expect(times(BOTH)).toBe(2);
    expect(await node("copies", ocean)).toMatchObject({ state: "held", executions: 0, transfers: 2 });
    const told = expect.stringContaining(`wms2 release copies --product ${ocean}`);
    expect(await plan()).toMatchObject({ holes: 1, obstacles: [{ node: ocean, kind: "held", reason: told }] });
    writeFileSync(path("fixed"), "");
    expect(await release([ocean])).toMatchObject({ status: 200 });
    await server.until("copies", ["completed"], 100);
    expect(await node("copies", ocean)).toMatchObject({ state: "done", epoch: 1 });
    expect([times(ocean), times(FIRST), times(SECOND)]).toEqual([3, 1, 1]);
  });

  test("a chunk that was made is gone when something is made of it: both are made again, and no error is counted", async () => {
    const { document, ran, output, forget } = experiment(site, "lost-chunk", { document: { executions: 1 } });
    await server.submit(document);
    await server.until("lost-chunk", ["completed"], 100);
    forget();
    rmSync(output(FIRST));
    const { fill } = segmentCalls(server, "lost-chunk");
    const body = { mode: "all", from: "0004", to: "0004", recurse: false };
    expect(await fill(body)).toMatchObject({ status: 202 });
    await eventually("all is made again", () => ran().includes(BOTH), { deadlineSec: 100 });
    await server.until("lost-chunk", ["completed"], 100);
    expect(ran()).toEqual([SECOND, FIRST, BOTH]);
    expect(await node("lost-chunk", BOTH)).toMatchObject({ state: "done", executions: 0, epoch: 0 });
  });

  test.each(["stop", "hold"])(
    "a round is asked to %s in the middle and goes on: what was done is kept, the rest is made once",
    async (action) => {
      const script = "case $WMS2_JOB in *-2y/0001-0002) ;; *) until [ -e go ]; do sleep 0.1; done ;; esac";
      const { document, ran, path } = experiment(site, `asked-to-${action}`, { script });
      const name = document.name;
      await server.submit(document);
      const isDone = async () => (await node(name, FIRST))?.state === "done" && ran().includes(SECOND);
      await eventually("one is done, and one runs", isDone, { deadlineSec: 100 });
      const ask = (what: string) =>
        server.send("POST", `/requests/${name}/${what}`, { reason: "the machine is needed" });
      expect(await ask(action)).toMatchObject({ status: expect.any(Number) });
      if (action === "hold") {
        await server.until(name, ["held"], 100);
        expect(await node(name, SECOND)).toMatchObject({ state: "submitted" });
        await ask("release");
      }
      const twice = () => ran().filter((id) => id === SECOND).length === 2;
      await eventually("it runs again", twice, { deadlineSec: 100, describe: () => ran().join("\n") });
      writeFileSync(path("go"), "");
      await server.until(name, ["completed"], 100);
      expect(ran().toSorted()).toEqual([FIRST, SECOND, SECOND, BOTH]);
    },
  );
});
