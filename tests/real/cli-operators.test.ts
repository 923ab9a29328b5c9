import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliAnswer, wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest({
  "recovery.cooloff_base_sec": 0,
  "engine.local.sites": [
    { name: "bad", cores: 6, memory_mb: 12000 },
    { name: "good", cores: 2, memory_mb: 4000 },
  ],
});
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});
const cli = (...words: string[]): Promise<CliAnswer> => wms2([...words, "--data-dir", server.dataDir]);

/** Four work units of one job each, over four files. */
function requestFile(name: string, script: string, more = ""): string {
  const folder = tempDir("request");
  mkdirSync(join(folder, "data"));
  for (const file of ["a", "b", "c", "d"]) writeFileSync(join(folder, "data", `${file}.txt`), `${file}\n`);
  writeFileSync(join(folder, "work.sh"), `#!/bin/sh\n${script}`, { mode: 0o755 });
  const text = `name: ${name}
kind: process
input: { files: "data/*.txt", events_per_file: lines }
split: { by: files, files_per_job: 1 }
unit: { jobs: 1 }
steps: [{ name: work, run: ./work.sh }]
outputs: [{ name: out, file: out.txt, merge: concat }]
resources: { cores: 1, memory: 100 MB, time: 5 min, disk: 10 MB }
${more}`;
  writeFileSync(join(folder, "request.yaml"), text);
  return join(folder, "request.yaml");
}

const COPY = 'cat $(cat "$WMS2_INPUT_LIST") > out.txt\n';

describe("a request that fails at one site", () => {
  test("is held, explained by errors, released with a ban, and completes elsewhere", async () => {
    const script = `sleep 0.5\nif [ "$WMS2_SITE" = bad ]; then echo "no disk here" >&2; exit 65; fi\n${COPY}`;
    const watched = await cli("submit", requestFile("op-ban", script), "--watch");
    expect(watched.stderr).toMatch(/op-ban is held: /);
    const shown = await cli("show", "op-ban");
    expect(shown.stdout).toContain("wms2 errors op-ban");
    expect(shown.stdout).toMatch(/wms2 release op-ban --reason/);

    const errors = await cli("errors", "op-ban");
    expect(errors.code).toBe(0);
    expect(errors.stdout).toMatch(/of 4 units failed/);
    expect(errors.stdout).toContain("bad");
    expect(errors.stdout).toContain("no disk here");
    expect(JSON.parse((await cli("errors", "op-ban", "--json")).stdout).units_failed).toBeGreaterThan(0);
    const story = await cli("attempts", "op-ban", "--failed");
    expect(story.stdout).toMatch(/mg_00000\d\/proc_00000\d\n .* bad .*exit 65 .*stop/);
    const { items } = JSON.parse((await cli("attempts", "op-ban", "--failed", "--json")).stdout);
    expect(items.map(({ decision }: { decision: string }) => decision)).not.toContain("done");

    const words = ["release", "op-ban", "--ban", "bad", "--reason", "its disks are broken"];
    const dry = await cli(...words, "--dry-run");
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stderr).toContain("would be done, nothing was changed");
    expect((await cli("release", "op-ban", "--ban", "nowhere", "--reason", "x")).code).toBe(2);
    const released = await cli(...words);
    expect(released.stderr).toContain("op-ban: released");
    const ended = await cli("watch", "op-ban", "--interval", "0.2");
    expect(ended.stderr).toContain("op-ban completed");
    expect(ended.code).toBe(0);
    const paths = (await cli("outputs", "op-ban", "--paths")).stdout.trim().split("\n");
    expect(paths).toHaveLength(4);
    expect((await cli("audit", "op-ban")).stdout).toMatch(/operator +release +op-ban +done +its disks are broken/);
    expect((await cli("release", "op-ban", "--reason", "again")).code).toBe(3);
  });
});

test("bulk: by filter with --yes, refused without an answer, and a table of results", async () => {
  for (const name of ["op-bulk-1", "op-bulk-2"])
    await cli("submit", requestFile(name, "exit 65\n"), "--watch", "--set", "campaign=Bulk");
  const filter = ["--filter", "status=held", "campaign=Bulk"];
  const asked = await cli("fail", "--reason", "only tests", ...filter);
  expect(asked.code).toBe(2);
  expect(asked.stdout).toMatch(/op-bulk-1 +held +would/);
  const done = await cli("fail", "--reason", "only tests", "--yes", ...filter);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/op-bulk-2 +held +done/);
  expect(done.stderr).toContain("2 requests: 2 done");
  expect((await cli("watch", "op-bulk-1", "--interval", "0.2")).code).toBe(3);
  expect((await cli("list", "--status", "failed")).stdout).toContain("op-bulk-1");
});

test("unclassified failures are listed and classified; resubmit runs chosen units again", async () => {
  const flag = join(tempDir("flag"), "fixed");
  const script = `[ -e ${flag} ] || { echo "license server is away" >&2; exit 99; }\n${COPY}`;
  const more = "recovery: { pending_classification: true }\n";
  await cli("submit", requestFile("op-class", script, more), "--watch");
  const list = await cli("unclassified", "op-class");
  expect(list.stdout).toContain("license server is away");
  expect(list.stdout).toMatch(/exit 99 at/);
  writeFileSync(flag, "");
  const dry = await cli("classify", "op-class", "--retry", "all", "--reason", "it is back", "--dry-run");
  expect(dry.stderr).toContain("would be done, nothing was changed: 4 failures are classified");
  const done = await cli("classify", "op-class", "--retry", "all", "--reason", "it is back");
  expect(done.code).toBe(0);
  expect((await cli("watch", "op-class", "--interval", "0.2")).code).toBe(0);
  const story = (await cli("attempts", "op-class", "--node", "mg_000000/proc_000000", "--failed")).stdout;
  expect(story).toContain("new budget");
  expect(story).toMatch(/to be tried again +by .*: it is back/);
  expect(story).toMatch(/ok .* done/);
});

test("failed jobs that cool off are told everywhere, and tried at once when asked", async () => {
  const flag = join(tempDir("flag"), "fixed");
  const script = `[ -e ${flag} ] || exit 17\n${COPY}`;
  const more =
    'recovery: { handlers: [{ name: later, rules: [{ exit_codes: [17], max_retries: 3, delay: "1 h" }] }] }\n';
  await cli("submit", requestFile("op-cools", script, more));
  const list = await eventually(
    "the wait is told",
    async () => {
      const { stdout } = await cli("list", "--name", "op-cools");
      return /4 failed jobs tried again later/.test(stdout) && stdout;
    },
    { deadlineSec: 60 },
  );
  expect(list).toMatch(/op-cools +active/);
  expect((await cli("show", "op-cools")).stdout).toMatch(/retry: 4 failed jobs.*wms2 retry op-cools tries now/s);
  expect((await cli("errors", "op-cools")).stdout).toContain("4 jobs failed and will be tried again");
  writeFileSync(flag, "");
  expect((await cli("retry", "op-cools", "--dry-run")).stderr).toContain("4 failed jobs tried again now");
  expect((await cli("retry", "op-cools")).code).toBe(0);
  expect((await cli("watch", "op-cools", "--interval", "0.2")).code).toBe(0);
  expect((await cli("attempts", "op-cools", "--failed")).stdout).toMatch(/retried now +by /);
});

test("sites are banned and let in again; alerts are none", async () => {
  const banned = await cli("sites", "ban", "good", "--days", "2", "--reason", "moves", "--dry-run");
  expect(banned.stderr).toContain("would be done, nothing was changed: ");
  expect((await cli("sites", "ban", "good", "--reason", "moves")).stderr).toContain(
    "good is banned for everybody until",
  );
  expect((await cli("sites", "bans", "good")).stdout).toMatch(/every request +operator/);
  expect((await cli("sites", "unban", "good", "--reason", "moved")).stderr).toContain("1 ban of good is lifted");
  expect((await cli("sites", "ban", "good")).code).toBe(2);
  expect((await cli("alerts", "--json")).code).toBe(0);
  expect((await cli("alerts", "ack", "99")).code).toBe(4);
});

test.each(["release", "resubmit", "classify", "errors", "attempts", "alerts", "audit", "sites", "unclassified"])(
  "%s --help has examples",
  async (command) => {
    const answer = await wms2([command, "--help"]);
    expect(answer.code).toBe(0);
    expect(answer.stdout).toContain("Examples:");
  },
);
