import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import type { ServerUnderTest } from "./server.ts";

const year = (number: number): string => String(number).padStart(4, "0");

/**
 * Four years of a model that writes a line a month. Series of two and four years are made by putting files together; what runs
 * notes the name of its output in `ran`. Years 1 to `years` have arrived.
 */
export function experiment(
  root: string,
  name: string,
  more: { years?: number; document?: object; script?: string } = {},
) {
  const directory = join(root, name);
  const path = (file: string) => join(directory, file);
  for (const folder of [directory, path("history"), path("out")]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
  }
  const arrive = (number: number): void => {
    const lines = Array.from({ length: 12 }, (_, month) => `${number}.${month}\n`).join("");
    writeFileSync(path(`history/${year(number)}0101.csv`), lines);
  };
  for (let number = 1; number <= (more.years ?? 4); number++) arrive(number);
  const script = more.script ?? "true";
  const document = {
    ...{ name, kind: "segments", directory, start: "0001", end: "0004", segment: "1y", calendar: "noleap" },
    history: "history/{date}.csv",
    resources: { memory: "50 MB" },
    grouping: "product",
    recovery: { handlers: [{ name: "soon", rules: [{ match_all_exit_codes: true, max_retries: 9, delay: "0 s" }] }] },
    defaults: {
      ts: [{ frequency: "monthly", lengths: ["2y", "4y"] }],
      outputs: { path: "out/{component}.{product}.{span}.csv", levels: ["sh", "-c", 'wc -l <"$1"', "sh", "{output}"] },
      run: [
        "sh",
        "-c",
        `out=$1; shift; echo "$WMS2_JOB" >>ran; ${script}; cat "$@" >"$out"`,
        "sh",
        "{output}",
        "{inputs}",
      ],
    },
    components: ["atmos"],
    ...more.document,
  };
  const ran = (): string[] => (existsSync(path("ran")) ? readFileSync(path("ran"), "utf8").trim().split("\n") : []);
  const output = (id: string): string => path(`out/${id.replaceAll("/", ".")}.csv`);
  return { name, directory, document, arrive, ran, path, output, forget: () => rmSync(path("ran"), { force: true }) };
}
export const [FIRST, SECOND, BOTH] = ["0001-0002", "0003-0004"]
  .map((span) => `atmos/ts-monthly-2y/${span}`)
  .concat("atmos/ts-monthly-4y/0001-0004") as [string, string, string];

export const segmentCalls = (server: ServerUnderTest, name: string) => ({
  plan: (query = "") => server.get(`/requests/${name}/fill${query}`),
  fill: (body: object = {}) => server.send("POST", `/requests/${name}/fill`, { reason: "a test", ...body }),
  verify: (body: object = {}) => server.send("POST", `/requests/${name}/verify`, { reason: "a test", ...body }),
  release: (nodes: string[]) => server.send("POST", `/requests/${name}/nodes/release`, { nodes, reason: "fixed" }),
  states: async (): Promise<Record<string, string>> => {
    const { items } = await server.get(`/requests/${name}/nodes`);
    return Object.fromEntries(items.map(({ id, state }: { id: string; state: string }) => [id, state]));
  },
});

export async function emptyStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, ran, output } = experiment(root, "empty");
  await server.submit(document);
  const request = await server.until("empty", ["completed", "held"], 60);
  expect([request.status, request.hold]).toEqual(["completed", null]);
  expect(ran().slice(0, 2).sort()).toEqual([FIRST, SECOND]);
  expect(ran().slice(2)).toEqual([BOTH]);
  expect(readFileSync(output(BOTH), "utf8").split("\n")).toHaveLength(49);
}

const RESTS: readonly unknown[] = ["nothing-due", "sweep-off", "products-held"];
/** What a request waits for, once it has nothing to do. */
export const untilQuiet = (server: ServerUnderTest, name: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests read the JSON they expect
  eventually<any>(
    `${name} has nothing to do`,
    async () => {
      const request = await server.get(`/requests/${name}`);
      return RESTS.includes(request.waiting?.code) && request.waiting;
    },
    { deadlineSec: 100, everyMs: 100 },
  );

/** A hole is punched: what is gone is found, made again, and nothing else is. */
export async function holeStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, ran, output, forget } = experiment(root, "hole");
  const { plan, fill, verify, states } = segmentCalls(server, "hole");
  await server.submit(document);
  await server.until("hole", ["completed"]);
  expect(await plan()).toMatchObject({ done: 3, holes: 0, actions: [] });
  expect(await fill()).toMatchObject({ status: 200, body: { plan: { holes: 0 } } });
  rmSync(output(SECOND));
  forget();
  const looked = await verify({ dry_run: true });
  expect(looked.body).toMatchObject({
    nodes: [{ id: SECOND, outcome: "demoted", reason: expect.stringMatching(/not there/) }],
    plan: { holes: 1 },
  });
  expect((await states())[SECOND]).toBe("done");
  await verify();
  await server.until("hole", ["queued", "planning", "active"]);
  await server.until("hole", ["completed"]);
  // It came out the same, so what is made of it was left alone.
  expect(ran()).toEqual([SECOND]);
}

/** History that arrives late is waited for by name; two who ask at once have each product made once. */
export async function lateStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, ran, arrive, path } = experiment(root, "late", { years: 3 });
  const { plan, fill } = segmentCalls(server, "late");
  await server.submit(document);
  const waiting = await untilQuiet(server, "late");
  expect(waiting).toMatchObject({
    reason: expect.stringContaining("00040101.csv is not there"),
    until: expect.any(String),
  });
  expect(ran()).toEqual([FIRST]);
  writeFileSync(path("history/00040101.csv.gcp"), "");
  expect(await plan()).toMatchObject({
    holes: 2,
    actions: [],
    obstacles: [{ node: SECOND, kind: "no-history" }, { node: BOTH }],
  });
  arrive(4);
  rmSync(path("history/00040101.csv.gcp"));
  const answers = await Promise.all([fill(), fill()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 202]);
  await server.until("late", ["completed"]);
  expect(ran()).toEqual([FIRST, SECOND, BOTH]);
}

/** One bad product holds itself, and the others go on; a release tries it again. */
export async function heldStory(server: ServerUnderTest, root: string): Promise<void> {
  const script = "case $WMS2_JOB in ocean/ts-monthly-2y/0001-0002) [ -e fixed ] || exit 3 ;; esac";
  const { document, ran, path } = experiment(root, "bad", { script, document: { components: ["atmos", "ocean"] } });
  const { plan, release, states } = segmentCalls(server, "bad");
  await server.submit(document);
  await untilQuiet(server, "bad");
  const bad = "ocean/ts-monthly-2y/0001-0002";
  expect(await states()).toMatchObject({ [bad]: "held", [BOTH]: "done", "ocean/ts-monthly-2y/0003-0004": "done" });
  expect(ran().filter((id) => id === bad)).toHaveLength(2);
  const told = expect.stringContaining("wms2 release bad --product");
  expect(await plan()).toMatchObject({
    holes: 2,
    obstacles: [{ node: bad, kind: "held", reason: told }, { kind: "blocked" }],
  });
  await expect(plan("?component=nobody")).rejects.toThrow(/422.*there is no component nobody.*atmos, ocean/);
  writeFileSync(path("fixed"), "");
  expect(await release(["ocean/*/0003-0004"])).toMatchObject({ status: 200, body: { already: true } });
  expect(await release(["none/*"])).toMatchObject({ status: 422 });
  expect(await release(["ocean/*/0001-0002"])).toMatchObject({ status: 200, body: { nodes: [bad] } });
  await server.until("bad", ["completed"]);
  const { items } = await server.get("/requests/bad/nodes?state=done");
  expect(items.find(({ id }: { id: string }) => id === bad)).toMatchObject({ epoch: 1, executions: 0 });
}

/** The server dies in the middle of a round; what runs goes on, and every product is made once. */
export async function killedStory(server: ServerUnderTest, root: string): Promise<void> {
  const script = "while [ ! -e go ]; do sleep 0.1; done";
  const { document, ran, path } = experiment(root, "killed", { script });
  await server.submit(document);
  await eventually("two of them run", () => ran().length === 2);
  await server.kill();
  writeFileSync(path("go"), "");
  await server.start();
  await server.until("killed", ["completed"]);
  expect(ran().toSorted()).toEqual([FIRST, SECOND, BOTH]);
}

/** What is there when a request begins, and passes its check, is done; all of a component's date may be one job. */
export async function takenStory(server: ServerUnderTest, root: string): Promise<void> {
  const { document, ran, output } = experiment(root, "taken", { document: { grouping: "unit" } });
  writeFileSync(output(FIRST), "x\n".repeat(24));
  writeFileSync(output(BOTH), "too short\n");
  await server.submit(document);
  const { workflow } = await server.until("taken", ["completed"]);
  expect(ran()).toEqual([SECOND, BOTH]);
  expect(readFileSync(output(BOTH), "utf8").startsWith("x\n")).toBe(true);
  expect(workflow).toMatchObject({ work_units_done: 1 });
}

/**
 * A product is a folder with a file of each variable: what is there half written is not taken, what comes out the same is left alone,
 * and one that lost a file, or whose file was overwritten, is found.
 */
export async function folderStory(server: ServerUnderTest, root: string): Promise<void> {
  const each = 'for v in u v; do for in; do [ ! -d "$in" ] || in=$in/$v.csv; cat "$in"; done >"$out/$v.csv"; done';
  const { document, ran, path, forget } = experiment(root, "folders");
  const { plan, verify, states } = segmentCalls(server, "folders");
  const folder = (id: string, file = "") => path(`out/${id}/${file}`);
  const put = (id: string, file: string, years: number) => {
    mkdirSync(folder(id), { recursive: true });
    writeFileSync(folder(id, file), "x\n".repeat(years * 12));
  };
  // Somebody made the first of them whole, and the second in part.
  for (const file of ["u.csv", "v.csv"]) put(FIRST, file, 2);
  put(SECOND, "u.csv", 2);
  await server.submit({
    ...document,
    defaults: {
      ...document.defaults,
      outputs: {
        path: "out/{component}/{product}/{span}/",
        levels: ["sh", "-c", 'wc -l <"$1/u.csv"', "sh", "{output}"],
      },
      run: ["sh", "-c", `out=$1; shift; echo "$WMS2_JOB" >>ran; ${each}`, "sh", "{output}", "{inputs}"],
    },
  });
  await server.until("folders", ["completed"]);
  expect(ran()).toEqual([SECOND, BOTH]);
  expect(readFileSync(folder(BOTH, "v.csv"), "utf8").split("\n")).toHaveLength(49);
  expect((await verify({ dry_run: true })).body).toMatchObject({ nodes: [], plan: { holes: 0 } });
  forget();
  rmSync(folder(SECOND, "v.csv"));
  const reason = expect.stringContaining("has 1 file, and had 2 when it was made");
  expect((await verify({ dry_run: true })).body).toMatchObject({ nodes: [{ id: SECOND, outcome: "demoted", reason }] });
  await verify();
  await eventually("it is made again", async () => ran().length > 0 && (await states())[SECOND] === "done");
  await server.until("folders", ["completed"]);
  expect(ran()).toEqual([SECOND]);
  writeFileSync(folder(SECOND, "v.csv"), "y\n".repeat(24));
  await verify();
  await eventually("what is made of it follows", async () => ran().includes(BOTH) && (await states())[BOTH] === "done");
  await server.until("folders", ["completed"]);
  expect(ran()).toEqual([SECOND, BOTH]);
  expect(await plan()).toMatchObject({ done: 3, holes: 0 });
  expect(readFileSync(folder(BOTH, "v.csv"), "utf8")).toContain("y\n");
}
