import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EngineProxy } from "../support/engine-proxy.ts";
import { eventually } from "../support/eventually.ts";
import { experiment } from "../support/segment-stories.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Submissions of a products round get lost (docs/segments.md): every product is made once. */
const server = new ServerUnderTest({
  "engine.local.sites": [{ name: "here", cores: 8, memory_mb: 8000 }],
  "engine.timeout_sec": 2,
});
const engine = new EngineProxy(server.dataDir);
beforeAll(async () => {
  await engine.start();
  await server.start(120);
}, 150_000);
afterAll(async () => {
  await server.stop();
  engine.stop();
  await server.remove();
});

const options = { timeout: 150_000 };
const ALL = ["atmos/ts-monthly-2y/0001-0002", "atmos/ts-monthly-2y/0003-0004", "atmos/ts-monthly-4y/0001-0004"];

/** How its round came to run. */
async function submission(name: string): Promise<string> {
  const { items } = await server.get(`/requests/${name}/transitions`);
  return items.find(({ to }: { to: string }) => to === "active").reason;
}

test("case 20: the submission times out and the job is there: it is adopted, and runs once", options, async () => {
  const { document, ran } = experiment(tempDir("segments"), "unheard");
  engine.loseNext("answer");
  await server.submit(document);
  await server.until("unheard", ["completed"], 100);
  expect(ran().toSorted()).toEqual(ALL);
  expect(await submission("unheard")).toContain("adopted");
});

test(
  "case 21: the submission times out and nothing is there: submitted once more, and the late call comes to nothing",
  options,
  async () => {
    const { document, ran, path } = experiment(tempDir("segments"), "unseen", {
      script: "while [ ! -e go ]; do sleep 0.1; done",
    });
    const before = engine.seen.length;
    engine.loseNext("call");
    await server.submit(document);
    await eventually("two of them run", () => ran().length === 2, { deadlineSec: 60 });
    const [lost, again] = engine.seen.slice(before);
    expect(again).toBe(lost);
    expect(await engine.deliverLate()).toMatch(/unclear|submitted/);
    writeFileSync(path("go"), "");
    await server.until("unseen", ["completed"], 100);
    expect(ran().toSorted()).toEqual(ALL);
  },
);

test(
  "the server is killed between a fill's submission and its receipt: it is adopted, and nothing is made twice",
  options,
  async () => {
    const { document, ran, path } = experiment(tempDir("segments"), "orphan", {
      script: "while [ ! -e go ]; do sleep 0.1; done",
      document: { sweep: "never" },
    });
    await server.submit(document);
    await eventually(
      "it waits to be asked",
      async () => (await server.get("/requests/orphan")).waiting?.code === "sweep-off",
    );
    engine.loseNext("answer");
    const fill = () => server.send("POST", "/requests/orphan/fill", { reason: "a test" });
    expect(await fill()).toMatchObject({ status: 202 });
    await eventually("its answer is lost", () => engine.hasLost && ran().length === 2, { deadlineSec: 60 });
    await server.kill();
    await server.start();
    expect(await fill()).toMatchObject({ status: 200, body: { plan: { actions: [] } } });
    writeFileSync(path("go"), "");
    await server.until("orphan", ["completed"], 100);
    expect(ran().toSorted()).toEqual(ALL);
    expect(await submission("orphan")).toContain("adopted");
  },
);
