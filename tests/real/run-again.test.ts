import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest({ "engine.local.sites": [{ name: "here", cores: 8, memory_mb: 8000 }] });
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});
const options = { timeout: 90_000 };

interface Told {
  readonly kind: string;
  readonly request_name: string;
  readonly jobs: { readonly total: number; readonly to_run: number; readonly credited: number };
  readonly why: readonly { readonly job: string; readonly why: string; readonly about: string | null }[];
}

/** prepare → two trainings, of which each reads data of its own → report */
function sweep(name: string) {
  const directory = join(tempDir("run-again"), name);
  mkdirSync(directory, { recursive: true });
  const ran = () => readFileSync(join(directory, "ran"), "utf8").trim().split("\n").length;
  const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
  for (const letter of ["a", "b"]) write(`data-${letter}`, letter);
  const job = (of: string, script: string, more: object) => ({
    name: of,
    run: ["sh", "-c", `echo "$WMS2_JOB" >>ran; ${script}`],
    ...more,
  });
  const document = (report = "cat model-a model-b >report") => ({
    name,
    kind: "graph",
    directory,
    resources: { memory: "50 MB" },
    parameters: { letter: ["a", "b"] },
    jobs: [
      job("prepare", "echo 1 >config", { makes: "config" }),
      job("train {letter}", "cat config data-{letter} >model-{letter}", {
        each: ["letter"],
        reads: ["config", "data-{letter}"],
        makes: "model-{letter}",
      }),
      job("report", report, { reads: ["model-a", "model-b"], makes: "report" }),
    ],
  });
  return { directory, document, ran, write };
}

const run = async (document: object, dryRun = false) => {
  const { status, body } = await server.send("POST", `/runs?dry_run=${dryRun}`, document);
  if (status !== 200) throw new Error((body as { detail: string }).detail);
  return body as Told;
};
const runToTheEnd = async (document: object) => {
  const told = await run(document);
  await server.until(told.request_name, ["completed"]);
  return told;
};

test("a graph that is done is not done again; what changed runs, with all that comes after it", options, async () => {
  const { directory, document, ran, write } = sweep("again");
  expect(await runToTheEnd(document())).toMatchObject({ kind: "submit", jobs: { total: 4, to_run: 4, credited: 0 } });
  expect(ran()).toBe(4);

  expect(await run(document())).toMatchObject({ kind: "nothing", request_name: "again", jobs: { to_run: 0 } });

  write("data-b", "another");
  expect(await run(document(), true)).toMatchObject({
    kind: "next-version",
    request_name: "again-v2",
    why: [
      { job: "train b", why: "input", about: "data-b" },
      { job: "report", why: "upstream", about: "train b" },
    ],
  });
  await runToTheEnd(document());
  expect(ran()).toBe(6);

  rmSync(join(directory, "report"));
  await runToTheEnd(document());
  expect(ran()).toBe(7);

  const changed = await runToTheEnd(document("cat model-b model-a >report"));
  expect(changed.why).toEqual([{ job: "report", why: "changed", about: null }]);
  expect(ran()).toBe(8);
  expect(await run(document("cat model-b model-a >report"))).toMatchObject({ kind: "nothing" });
});

test("a version that has nothing to run is complete at once, and the next one credits it", options, async () => {
  const { directory, document, ran } = sweep("gone");
  const failing = document("exit 7");
  const started = await run(failing);
  await server.until(started.request_name, ["held"]);
  const ranBefore = ran();
  await server.send("POST", `/requests/${started.request_name}/abort`, { reason: "the report is not wanted" });
  await server.until(started.request_name, ["aborted"]);

  const without = { ...failing, jobs: failing.jobs.slice(0, 2) };
  expect(await runToTheEnd(without)).toMatchObject({
    kind: "next-version",
    jobs: { total: 3, to_run: 0, credited: 3 },
  });
  expect(ran()).toBe(ranBefore);

  utimesSync(join(directory, "data-a"), new Date(), new Date());
  expect(await runToTheEnd(without)).toMatchObject({ jobs: { total: 3, to_run: 1, credited: 2 } });
  expect(ran()).toBe(ranBefore + 1);
});

test("a graph that was held does not go on with what is gone or has changed since", options, async () => {
  const { directory, document, ran, write } = sweep("held");
  const failing = document("test -e fixed && cat model-a model-b >report");
  const started = await run(failing);
  await server.until(started.request_name, ["held"]);
  expect(await run(failing, true)).toMatchObject({ kind: "release", why: [{ job: "report", why: "unfinished" }] });
  const before = ran();
  rmSync(join(directory, "model-a"));
  write("data-b", "another");
  write("fixed", "");
  const goesOn = await runToTheEnd(failing);
  expect(goesOn).toMatchObject({
    kind: "restart",
    request_name: "held-v2",
    why: [
      { job: "train a", why: "missing-output", about: "model-a" },
      { job: "train b", why: "input", about: "data-b" },
      { job: "report", why: "unfinished" },
    ],
  });
  expect(ran()).toBe(before + 3);
  expect(readFileSync(join(directory, "report"), "utf8")).toBe("1\na1\nanother");
});

test("by contents, a touched file runs nothing again, and a changed byte does", options, async () => {
  const { directory, document, ran, write } = sweep("strict");
  const strict = { ...document(), changes: "contents" };
  await runToTheEnd(strict);
  const later = new Date(Date.now() + 5000);
  for (const file of ["config", "data-a", "data-b", "model-a"]) utimesSync(join(directory, file), later, later);
  expect(await run(strict)).toMatchObject({ kind: "nothing" });
  expect(await run(document(), true), "by times").toMatchObject({ kind: "next-version", jobs: { to_run: 3 } });
  write("data-b", "B");
  expect(await runToTheEnd(strict)).toMatchObject({
    why: [
      { job: "train b", why: "input", about: "data-b" },
      { job: "report", why: "upstream", about: "train b" },
    ],
  });
  expect(ran()).toBe(6);
});

test(
  "a graph of the same name in another folder is another graph: it is refused in words, and with a name of its own all of it runs",
  options,
  async () => {
    const [here, there] = [sweep("named"), sweep("named")];
    await runToTheEnd(here.document());
    await expect(run(there.document())).rejects.toThrow(`named runs in ${here.directory}, and this one elsewhere`);
    expect((await server.get("/requests/named")).superseded_by_request ?? null).toBeNull();
    expect(await runToTheEnd({ ...there.document(), name: "named-there" })).toMatchObject({
      kind: "submit",
      jobs: { total: 4, to_run: 4, credited: 0 },
    });
    expect([here.ran(), there.ran()]).toEqual([4, 4]);
    expect(await run(here.document())).toMatchObject({ kind: "nothing", request_name: "named" });
  },
);

/** gather reads a folder; it and the job after it make something in there, and it makes a folder itself. */
function folders(name: string, changes?: string) {
  const { directory, ran } = sweep(name);
  mkdirSync(join(directory, "data/deep"), { recursive: true });
  for (const file of ["data/a", "data/deep/b"]) writeFileSync(join(directory, file), "aa\n");
  const sh = (of: string, script: string, more: object) => ({
    name: of,
    run: ["sh", "-c", `echo "$WMS2_JOB" >>ran; ${script}`],
    ...more,
  });
  const document = {
    ...{ name, kind: "graph", directory, resources: { memory: "50 MB" } },
    ...(changes && { changes }),
    jobs: [
      sh("gather", "mkdir -p out && cat data/a data/deep/b >out/all; echo >data/index", {
        reads: "data",
        makes: ["out", "data/index"],
      }),
      sh("count", "wc -l <out/all >data/count", { reads: "out", makes: "data/count" }),
    ],
  };
  return { directory, document, ran, at: (file: string) => join(directory, file) };
}

test.each(["times", "contents"])(
  "a folder that is read, or made, has changed when something in it has: by %s",
  options,
  async (changes) => {
    const { document, ran, at } = folders(`folder-${changes}`, changes);
    await runToTheEnd(document);
    expect(await run(document)).toMatchObject({ kind: "nothing" });
    const whyAfter = async (change: () => void) => {
      change();
      const { why } = await runToTheEnd(document);
      expect(await run(document), "and then it holds").toMatchObject({ kind: "nothing" });
      return why;
    };
    const both = (why: string, about: string) => [
      { job: "gather", why, about },
      { job: "count", why: "upstream", about: "gather" },
    ];
    expect(await whyAfter(() => writeFileSync(at("data/deep/b"), "bb\n"))).toEqual(both("input", "data"));
    expect(await whyAfter(() => writeFileSync(at("data/new"), ""))).toEqual(both("input", "data"));
    expect(await whyAfter(() => rmSync(at("data/new")))).toEqual(both("input", "data"));
    expect(ran()).toBe(8);
    expect(await whyAfter(() => writeFileSync(at("out/all"), "garbag"))).toEqual(both("output", "out"));
    expect(await whyAfter(() => rmSync(at("out/all")))).toEqual(both("output", "out"));
    expect(await whyAfter(() => writeFileSync(at("data/count"), "9\n"))).toEqual([
      { job: "count", why: "output", about: "data/count" },
    ]);
    utimesSync(at("data/a"), new Date(), new Date());
    expect(await run(document, true)).toMatchObject(
      changes === "contents" ? { kind: "nothing" } : { kind: "next-version", why: both("input", "data") },
    );
  },
);

test.each([[[]], [["--strict"]]])(
  "wms2 run: a final output overwritten with as many bytes is noticed, and made again: with %j",
  options,
  async (flags) => {
    const name = `garbage${flags.length}`;
    const { directory, document } = sweep(name);
    writeFileSync(join(directory, "g.json"), JSON.stringify(document()));
    const cli = (...more: string[]) =>
      wms2(["--data-dir", server.dataDir, "run", "g.json", ...flags, ...more], { cwd: directory });
    expect(await cli()).toMatchObject({ code: 0 });
    const good = readFileSync(join(directory, "report"), "utf8");
    expect((await cli("--dry-run")).stdout).toContain("everything it made still holds");
    writeFileSync(join(directory, "report"), "x".repeat(good.length));
    const why = /report +output was changed +report\n[\s\S]*1 of 4 jobs to run/;
    expect(await cli("--dry-run")).toMatchObject({ code: 0, stdout: expect.stringMatching(why) });
    expect(await cli()).toMatchObject({ code: 0 });
    expect(readFileSync(join(directory, "report"), "utf8")).toBe(good);
  },
);

test("run while it runs joins; a changed file then has to wait", options, async () => {
  const { document } = sweep("busy");
  const waiting = document("until test -e go; do sleep 0.1; done; cat model-a model-b >report");
  const { request_name } = await run(waiting);
  expect(await run(waiting)).toMatchObject({ kind: "join", request_name });
  await expect(run(document())).rejects.toThrow(/the file has changed since/);
  writeFileSync(join(waiting.directory, "go"), "");
  await server.until(request_name, ["completed"]);
});
