import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { ServerUnderTest } from "../support/server.ts";

/** Documents of a few kilobytes that would become much: each is refused in words, or done, while everybody else is answered. */
/** A busy machine has other things to do as well; alone it is well below a tenth of this. */
const PATIENCE_MS = 1000;
const words = (count: number, word: string) => Array.from({ length: count }, () => word);
const graph = (jobs: object[], more: object = {}) => ({ name: "g", kind: "graph", directory: "/tmp", jobs, ...more });
const sweep = (job: object, values: unknown = "1..200000", more: object = {}) =>
  graph([{ name: "j{i}", run: "true", each: "i", ...job }], { parameters: { i: values, ...more } });
const long = "x".repeat(9000);
const segments = (more: object) => ({
  name: "s",
  kind: "segments",
  directory: "/tmp",
  start: "0001",
  segment: "1mo",
  end: "9999",
  history: "h/{date}.tar",
  defaults: { run: "make {output} {inputs}", outputs: "pp/{component}/{product}/{span}.nc" },
  components: ["a"],
  ...more,
});

const SHAPES: Record<string, unknown> = {
  "long values in many places": sweep({ run: ["true", ...words(300, "{x}{x}{x}")] }, "1..100", { x: long }),
  "a long program": sweep({ run: `./${"{x}".repeat(2000)}` }, "1..100", { x: long }),
  "fixed words of every job": sweep({ run: ["true", "{i}", ...words(900, "aaaa")] }),
  "an environment of every job": sweep({
    env: Object.fromEntries(words(300, "v").map((v, i) => [`E${i}`, `${v}{i}`])),
  }),
  "many files of every job": sweep({ makes: words(300, "").map((_, i) => `o{i}.${i}`) }),
  "what every job waits for": sweep({ after: words(400, "").map((_, i) => `*${i % 10}${i}*`) }),
  "ranges in a list": sweep({}, words(500, "1..200000")),
  "a range a job": graph(
    words(300, "").map((_, i) => ({ name: `j${i}`, run: "true", parameters: { x: "1..200000" } })),
  ),
  "ranges multiplied": sweep({ each: ["i", "a", "b"] }, "1..100000", { a: "1..100000", b: "1..100000" }),
  "wide formats": sweep({ name: "j{i}", run: ["true", ...words(300, "{i:99d}{i:.99f}")] }, "1..20000"),
  "products without number": segments({
    components: words(900, "").map((_, i) => `c${i}`),
    defaults: {
      run: "make {output}",
      outputs: "{component}/{product}/{span}",
      ts: words(90, "monthly"),
      lengths: words(90, "").map((_, i) => `${i + 1}mo`),
    },
  }),
  "history of long chunks": segments({
    components: words(900, "").map((_, i) => ({ name: `c${i}`, ts: ["monthly"], lengths: ["900y"] })),
  }),
};

describe("a server", () => {
  const server = new ServerUnderTest();
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.stop();
    await server.remove();
  });
  const post = (body: string, type: string, path = "/requests?dry_run=true") =>
    fetch(`${server.url}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": type },
      body,
    });
  /** The longest that somebody who only asks how it is had to wait meanwhile. */
  async function healthMeanwhile<T>(work: Promise<T>): Promise<{ answer: T; slowestMs: number }> {
    let [isOver, slowestMs] = [false, 0];
    const watching = (async () => {
      while (!isOver) {
        const begun = performance.now();
        await (await fetch(`${server.url}/api/v1/health`)).text();
        slowestMs = Math.max(slowestMs, performance.now() - begun);
      }
    })();
    const answer = await work.finally(() => {
      isOver = true;
    });
    await watching;
    return { answer, slowestMs };
  }

  test.each(["- ".repeat(1500), "? ".repeat(1500), "[".repeat(3000), "a: ".repeat(1000)])(
    "deep text %# is refused twice, and the server lives",
    async (text) => {
      for (let time = 0; time < 2; time++) {
        const answer = await post(text, "application/yaml");
        expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("nested deeper than 64")]);
      }
    },
  );

  test.each(Object.entries(SHAPES))("%s: refused with the number, at once", async (_, document) => {
    const { answer, slowestMs } = await healthMeanwhile(post(JSON.stringify(document), "application/json"));
    const { problems } = (await answer.json()) as { problems: { message: string }[] };
    expect([answer.status, problems[0]?.message]).toEqual([422, expect.stringMatching(/\d.* at most \d|more than \d/)]);
    expect(slowestMs).toBeLessThan(PATIENCE_MS);
  });

  test("as many jobs as there may be are looked at while everybody else is answered", async () => {
    const { answer, slowestMs } = await healthMeanwhile(post(JSON.stringify(sweep({})), "application/json"));
    expect([answer.status, (await answer.json()) as object]).toMatchObject([
      200,
      { preview: { plan: { units: 200_000 } } },
    ]);
    expect(slowestMs).toBeLessThan(PATIENCE_MS);
  });
});

test("a server whose log cannot be written goes on", async () => {
  const server = new ServerUnderTest({}, undefined, false, "/dev/full");
  try {
    await server.start();
    const answer = await server.send("POST", "/requests", { name: "x" });
    expect(answer.status).toBe(422);
    const taken = await server.send("POST", "/requests", graph([{ name: "a", run: "true" }]));
    expect(taken.status).toBe(201);
    await eventually("it is done", async () => (await server.get("/requests/g")).status === "completed");
  } finally {
    await server.stop();
    await server.remove();
  }
});
