import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { reach } from "./reach.ts";
import { readRequestFile, withLines } from "./request-file.ts";
import { serveSettings } from "./serve.ts";

beforeEach(() => vi.stubEnv("WMS2_TOKEN", undefined));
afterEach(() => vi.unstubAllEnvs());

function dataDir(): string {
  const dir = tempDir("reach");
  writeFileSync(join(dir, "server.json"), '{"url":"http://127.0.0.1:4711","pid":1}\n');
  writeFileSync(join(dir, "operator.token"), "own\n");
  return dir;
}

test("the server of the data directory is found, with its token", () => {
  expect(reach(dataDir(), null, undefined)).toEqual({ url: "http://127.0.0.1:4711", token: "own" });
  expect(reach("/nowhere", null, undefined)).toEqual({ url: "http://127.0.0.1:8420", token: null });
});

test("the own token never goes to another machine; one that was named does", () => {
  expect(reach(dataDir(), "https://wms2.example.org", undefined).token).toBeNull();
  expect(reach(dataDir(), "http://localhost:1234", undefined).token).toBe("own");
  vi.stubEnv("WMS2_TOKEN", "given");
  expect(reach(dataDir(), "https://wms2.example.org", undefined).token).toBe("given");
  const file = join(dataDir(), "operator.token");
  expect(reach(dataDir(), "https://wms2.example.org", file).token).toBe("own");
});

test("a request file travels with its scripts, absolute inputs and the changes of the command line", () => {
  const dir = tempDir("request");
  mkdirSync(join(dir, "data"));
  writeFileSync(join(dir, "work.sh"), "#!/bin/sh\n", { mode: 0o755 });
  const file = join(dir, "r.yaml");
  writeFileSync(
    file,
    "name: a\nevents: 9007199254740993\ninput: { files: data/*.csv }\nsteps: [{ name: s, run: ./work.sh ./made-later }]\n",
  );
  expect(readRequestFile(file, { name: "b", set: ["priority=7", "split.by=files"] })).toEqual({
    name: "b",
    events: 9_007_199_254_740_993n,
    priority: 7,
    split: { by: "files" },
    input: { files: join(dir, "data/*.csv") },
    steps: [{ name: "s", run: "./work.sh ./made-later" }],
    attachments: {
      "work.sh": {
        content_base64: Buffer.from("#!/bin/sh\n").toString("base64"),
        executable: true,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    },
  });
});

test("a graph runs where its file lies, and what is wrong with it is told with the line", () => {
  const dir = tempDir("graph");
  const file = join(dir, "g.yaml");
  writeFileSync(file, "name: g\nkind: graph\njobs:\n  - name: a\n    run: a\n    after: b\n");
  expect(readRequestFile(file, {})).toMatchObject({ directory: dir });
  const problems = [
    { path: "jobs[0].after", message: '"b" is not a job', allowed: null },
    { path: "", message: "x", allowed: null },
  ];
  expect(withLines(file, problems).map(({ message }) => message)).toEqual(['line 6: "b" is not a job', "x"]);
});

test("a table that is too long for anybody is refused before it is sent", () => {
  const dir = tempDir("table");
  const file = join(dir, "g.yaml");
  writeFileSync(file, "name: g\njobs: [{ name: '{i}', run: [a], each: { table: t.csv } }]\n");
  writeFileSync(join(dir, "t.csv"), `i\n${"1234567\n".repeat(1_000_001)}`);
  expect(() => readRequestFile(file, {})).toThrow("t.csv has 1 problem");
});

test("a flag that was not given leaves --set alone; one that was has the last word", () => {
  const set = ["listen.port=9001", "listen.host=::1", 'data_dir="/srv/a"'];
  expect(serveSettings({ set })).toMatchObject({ "listen.port": 9001, "listen.host": "::1", data_dir: "/srv/a" });
  const said = serveSettings({ set, port: "9002", dataDir: "/srv/b" });
  expect(said).toMatchObject({ "listen.port": 9002, "listen.host": "::1", data_dir: "/srv/b" });
  expect(() => serveSettings({ set: ["listen.port=high"] })).toThrow("listen.port");
});
