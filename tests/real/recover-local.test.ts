import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliAnswer, wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Jobs really run out of memory and time on the local engine, and are recovered by a command, or alone. */
const server = new ServerUnderTest({ "engine.local.sites": [{ name: "here", cores: 4, memory_mb: 1000 }] });
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});
const cli = (...words: string[]): Promise<CliAnswer> => wms2([...words, "--data-dir", server.dataDir]);
const json = (answer: CliAnswer) => JSON.parse(answer.stdout);

/** What a job does goes by the name of its input, or by what stands in `<name>.is`; `gate` holds all of them back. */
const JOB = `
input=$(head -n 1 "$WMS2_INPUT_LIST"); name=\${input##*/}
echo "$WMS2_MEMORY_MB" >>"$1/ran-$name"
while [ -e "$1/gate" ]; do sleep 0.1; done
runs=$(wc -l <"$1/ran-$name")
[ ! -e "$1/$name.is" ] || read -r name <"$1/$name.is"
case $name.$runs in
  memory*.1) head -c 140000000 /dev/zero | tail -c 140000000 | sleep 60 ;;
  memory*) head -c 140000000 /dev/zero | tail -c 140000000 | sleep 1 ;;
  time.1) sleep 60 ;;
  license*) echo "license $$ refused at $PWD" >&2; [ "$runs" -gt 1 ] || exit 3 ;;
  other*) exit 7 ;;
esac
cp "$input" out.txt
`;

function makeRequest(name: string, inputs: readonly string[], over: object) {
  const dir = tempDir(name);
  mkdirSync(join(dir, "in"));
  for (const input of inputs) writeFileSync(join(dir, "in", input), `${input}\n`);
  const document = {
    name,
    kind: "process",
    input: { files: join(dir, "in", "*") },
    split: { by: "files", files_per_job: 1 },
    unit: { jobs: 1 },
    steps: [{ name: "work", run: ["sh", "-c", JOB, "work", dir] }],
    outputs: [{ name: "all", file: "out.txt", merge: "concat" }],
    resources: { cores: 1, memory: "100 MB", time: "5 min" },
    retries: { processing: 0 },
    ...over,
  };
  const memoryOf = (input: string): string[] => {
    const file = join(dir, `ran-${input}`);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  return { dir, document, memoryOf };
}

test("memory and time that really ran out are recovered by one command; what did not qualify stays", async () => {
  const inputs = ["a", "b", "c", "d"];
  const { dir, document, memoryOf } = makeRequest("short", inputs, {
    recovery: { max_rescues: 0 },
    throttles: { units: 1 },
  });
  writeFileSync(join(dir, "gate"), "");
  await server.submit(document);
  const begun = () => inputs.findIndex((input) => memoryOf(input).length > 0);
  await eventually("its first job runs", () => begun() >= 0, { deadlineSec: 60 });
  // Which unit is first, nobody knows. It is the good one, and the others have not begun.
  const place = (role: number) => (begun() + role) % inputs.length;
  const [good, memory, other, time] = [0, 1, 2, 3].map(place) as [number, number, number, number];
  for (const [index, role] of [
    [good, "good"],
    [memory, "memory"],
    [other, "other"],
    [time, "time"],
  ] as const)
    writeFileSync(join(dir, `${inputs[index]}.is`), `${role}\n`);
  // Minutes are the shortest a request can say: this job gets three seconds.
  const spool = join(server.dataDir, "spool", "short");
  const round = readdirSync(spool).find((entry) => /^r\d/.test(entry)) ?? "";
  appendFileSync(join(spool, round, `mg_00000${time}`, "group.inc"), `proc_00000${time}_wall_minutes = 0.05\n`);
  rmSync(join(dir, "gate"));
  const held = await server.until("short", ["held"], 100);
  expect(held.hold.message).toMatch(/3 of 4 units failed/);

  const { items } = json(await cli("results", "short", "--json"));
  const row = (name: string, more: object) => expect.objectContaining({ name, memory_mb: 100, ...more });
  const nodeAt = (index: number) => `mg_00000${index}/proc_00000${index}`;
  expect(items).toContainEqual(row(nodeAt(good), { state: "done", attempts: 1, cores: 1 }));
  expect(items).toContainEqual(row(nodeAt(memory), { state: "failed", cause: "oom" }));
  const page = await cli("report", "short", "--html");
  expect(page.stdout).toMatch(new RegExp(`${nodeAt(good)}[\\s\\S]*MB of 100 MB`));
  expect(page.stdout).toMatch(new RegExp(`${nodeAt(other)}[\\s\\S]*exit 7`));

  const dry = await cli("recover", "short", "--dry-run");
  expect(dry).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/would be done, nothing was changed: recovered: /),
  });
  const line = (index: number, rest: string) => new RegExp(`${nodeAt(index)} +${rest}`);
  expect(dry.stdout).toMatch(line(memory, "oom +raise +100 MB +\\d+ MB +out of memory"));
  expect(dry.stdout).toMatch(line(time, "walltime +raise +0.05 min +2 min +out of time"));
  expect(dry.stdout).toMatch(line(other, "exit 7 +unknown"));
  expect((await server.get("/requests/short")).version).toBe(held.version);
  const done = json(await cli("recover", "short", "--max-memory", "250 MB", "--json"));
  expect(done).toMatchObject({ dry_run: false, raised: 2, again: 0, ceiling: 0, unknown: 1 });

  const again = await eventually(
    "the rest is held",
    async () => {
      const now = await server.get("/requests/short");
      return now.status === "held" && now.hold.evidence.unitsDone === 3 ? now : false;
    },
    { deadlineSec: 100 },
  );
  expect(again.hold.message).toMatch(/1 of 4 units failed/);
  const [first, second, ...more] = memoryOf(inputs[memory]!).map(Number);
  expect([first, more]).toEqual([100, []]);
  expect(second).toBeGreaterThan(140);
  expect(second).toBeLessThanOrEqual(250);
  expect([good, time, other].map((index) => memoryOf(inputs[index]!).length)).toEqual([1, 2, 1]);
  const nothing = await cli("recover", "short");
  expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining("nothing to recover; left alone: 1") });
}, 240_000);

test("recovery.auto: true recovers alone, says why, and completes", async () => {
  const { document, memoryOf } = makeRequest("alone", ["memory1", "memory2"], { recovery: { auto: true } });
  await server.submit(document);
  await server.until("alone", ["completed", "held"], 100);
  expect((await server.get("/requests/alone")).status).toBe("completed");
  for (const input of ["memory1", "memory2"])
    expect(memoryOf(input)).toEqual(["100", expect.stringMatching(/^[12]\d\d$/)]);
  const { items } = await server.get("/audit?subject=alone");
  expect(items).toMatchObject([
    { action: "recover", actor: "wms2", reason: expect.stringContaining("2 jobs with more memory (1 of 3 by itself)") },
  ]);
}, 240_000);

test("failures alike are one decision, and a rule of the next request", async () => {
  const inputs = ["license1", "license2", "license3"];
  const more = { recovery: { pending_classification: true }, retries: { processing: 1 } };
  await server.submit(makeRequest("unknown", inputs, more).document);
  await server.until("unknown", ["held"], 100);
  const { groups } = json(await cli("groups", "unknown", "--json"));
  expect(groups).toMatchObject([{ failures: 3, unclassified: 3, lines: ["license <n> refused at <path>"] }]);
  const words = ["--group", groups[0].key, "--retry", "all", "--remember", "--reason", "the server restarts at night"];
  const said = await cli("classify", "unknown", ...words);
  expect(said).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/3 failures are classified.*\nremembered as rule-/s),
  });
  await server.until("unknown", ["completed"], 100);

  const shown = await cli("policy", "show");
  expect(shown.stdout).toMatch(
    /Remembered \(1 row\)\n +(rule-\w+) .*\[remembered by operator on .*, seen in unknown\]/,
  );
  await server.submit(makeRequest("later", inputs, more).document);
  await server.until("later", ["completed", "held"], 100);
  expect((await server.get("/requests/later")).status).toBe("completed");
  const id = /rule-\w+/.exec(shown.stdout)?.[0] ?? "";
  const attempts = (await server.get("/requests/later/attempts?limit=100")).items;
  expect(attempts.filter((one: { rule: string | null }) => one.rule === id)).toHaveLength(3);
  expect(await cli("policy", "forget", id)).toMatchObject({ code: 0 });
  expect(await cli("policy", "forget", id)).toMatchObject({ code: 4 });
  expect((await cli("policy", "show")).stdout).not.toContain("Remembered");
}, 240_000);
