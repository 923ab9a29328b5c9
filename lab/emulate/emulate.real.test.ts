import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { call, lines, type Reply } from "../../tests/support/emulated-call.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { type Emulated, type EmulateOptions, startEmulators } from "./index.ts";

const running: Emulated[] = [];
async function start(options: EmulateOptions = {}): Promise<Emulated> {
  const emulated = await startEmulators(options);
  running.push(emulated);
  return emulated;
}
afterEach(async () => {
  for (const emulated of running.splice(0)) await emulated.close();
});

const primary = (emulated: Emulated, name: string): Promise<Reply> =>
  call(emulated, "POST", `${emulated.urls.dbsWriter}/primarydatasets`, {
    headers: { "content-type": "application/json" },
    body: { primary_ds_name: name, primary_ds_type: "mc" },
  });
const primaries = (emulated: Emulated): string[] =>
  Object.keys(emulated.state()["dbs.names"]!).filter((key) => key.startsWith("primary\0"));

describe("what was answered is there after kill -9", () => {
  test("and what was cut in the middle of its line never was", async () => {
    const dir = tempDir();
    const first = await start({ dir });
    await primary(first, "Kept");
    appendFileSync(join(dir, "journal.jsonl"), '[["dbs.names","primary\\u0000Half",{"kind":"pri');
    // The first one is not closed: nothing it would do then is needed.
    const second = await start({ dir, seed: { sites: { T2_Late: {} } } });
    expect(primaries(second)).toEqual(["primary\0DemoPD", "primary\0Kept"]);
    expect(Object.keys(second.state()["cric.sites"]!)).toHaveLength(3);
    expect(readFileSync(second.caFile)).toEqual(readFileSync(first.caFile));
    expect(second.calls()).toHaveLength(1);
  });
});

describe("faults", () => {
  const ping = (emulated: Emulated): Promise<Reply> => call(emulated, "GET", `${emulated.urls.dbsReader}/datasets`);

  test.each([
    ["refuse", { do: "refuse" }, /hang up|ECONNRESET/],
    ["half", { do: "half" }, /aborted|hang up|ECONNRESET/],
    ["lost-reply", { do: "lost-reply" }, /hang up|ECONNRESET/],
  ] as const)("%s: the connection breaks, once", async (_name, fault, words) => {
    const emulated = await start({ faults: [{ ...fault, service: "dbs", method: "GET", path: "^/datasets" }] });
    await expect(ping(emulated)).rejects.toThrow(words);
    expect((await ping(emulated)).status).toBe(200);
  });
  test("status, truncate, delay", async () => {
    const emulated = await start({ faults: [{ do: "status", status: 502, times: 2 }, { do: "truncate" }] });
    emulated.faults({ do: "delay", delay_ms: 50 });
    expect([(await ping(emulated)).status, (await ping(emulated)).status]).toEqual([502, 502]);
    expect(await ping(emulated)).toMatchObject({
      status: 200,
      body: null,
      text: expect.stringMatching(/^\[\{"dataset"/),
    });
    const begun = performance.now();
    expect((await ping(emulated)).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(45);
  });
  test("a lost reply was carried out, a duplicate twice", async () => {
    const emulated = await start({ faults: [{ do: "lost-reply" }, { do: "duplicate", path: "/request$" }] });
    await expect(primary(emulated, "Done")).rejects.toThrow();
    expect(primaries(emulated)).toContain("primary\0Done");
    const body = {
      RequestType: "ReReco",
      RequestString: "x",
      CMSSWVersion: "C",
      ScramArch: ["a"],
      GlobalTag: "g",
      AcquisitionEra: "E",
      ProcessingString: "p",
    };
    await call(emulated, "POST", `${emulated.urls.reqmgr2}/request`, { body });
    expect(Object.keys(emulated.state()["reqmgr2.requests"]!)).toHaveLength(4);
    expect(emulated.calls().map(({ status, fault }) => [status, fault])).toEqual([
      [0, "lost-reply"],
      [200, "duplicate"],
    ]);
  });
  test("by chance, the same for the same seed", async () => {
    const story = async (seed: number) => {
      const emulated = await start({ faults: [{ do: "status", probability: 0.5, seed }] });
      const found: number[] = [];
      for (let at = 0; at < 12; at += 1) found.push((await ping(emulated)).status);
      return found;
    };
    expect(await story(7)).toEqual(await story(7));
    expect(new Set(await story(7))).toEqual(new Set([200, 503]));
  });
  test.each([
    [{ do: "explode" }, /"refuse"/],
    [{ do: "half", services: "dbs" }, /Unrecognized key: "services"/],
    [{ do: "half", service: "phedex" }, /at service/],
    [{ do: "half", times: "3" }, /at times/],
  ])("%j is refused", async (fault, words) => {
    await expect(startEmulators({ faults: [fault] })).rejects.toThrow(words);
  });
});

test("they are steered from outside", async () => {
  const emulated = await start();
  const steer = (method: string, path: string, body?: unknown) =>
    call(emulated, method, emulated.urls.steering + path, { body });
  expect((await steer("POST", "/outage", { service: "rucio", on: true })).status).toBe(200);
  const ping = () => call(emulated, "GET", `${emulated.urls.rucio}/ping`);
  await expect(ping()).rejects.toThrow();
  await expect(call(emulated, "GET", `${emulated.urls.rucioAuth}/auth/x509`)).rejects.toThrow();
  await steer("POST", "/outage", { service: "rucio", off: true });
  expect((await ping()).status).toBe(200);
  expect((await steer("POST", "/faults", { do: "status", service: "rucio" })).body).toMatchObject([
    { do: "status", struck: 0 },
  ]);
  expect((await ping()).status).toBe(503);
  expect((await steer("POST", "/faults", { do: "nothing" })).status).toBe(400);
  await steer("POST", "/seed", { sites: { T2_More: {} } });
  expect((await steer("GET", "/state")).body).toMatchObject({ "cric.sites": { T2_More: { prod_status: "enabled" } } });
  expect((await steer("POST", "/remove", { table: "cric.sites", key: "T2_More" })).body).toEqual({ removed: true });
  const { counts } = (await steer("GET", "/calls")).body as { counts: Record<string, number> };
  expect(counts).toEqual({ "rucio GET 0": 1, "rucio-auth GET 0": 1, "rucio GET 200": 1, "rucio GET 503": 1 });
});

test("who does not know the authority is not talked to", async () => {
  const emulated = await start();
  const words = await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: emulated.port, ca: readFileSync(emulated.otherCaFile) });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on("secureConnect", () => resolve("connected"));
  });
  expect(words).toMatch(/SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_/);
});

test("a dataset made up by rule: files, lumis and replicas agree", async () => {
  const name = "/Gen/Gen26-v1/RAW";
  const seed = {
    rses: { T2_A: {} },
    accounts: { wms2: {} },
    datasets: { [name]: { generated: true, blocks: 3, files_per_block: 5, lumis_per_file: 2, rses: ["T2_A"] } },
  };
  const emulated = await start({ seed });
  const dbs = (path: string, accept = "application/ndjson") =>
    call(emulated, "GET", emulated.urls.dbsReader + path, { headers: { accept } });
  const blocks = (await dbs(`/blocks?dataset=${name}&detail=1`, "*/*")).body as {
    block_name: string;
    file_count: number;
  }[];
  expect(blocks.map(({ file_count }) => file_count)).toEqual([5, 5, 5]);
  const block = blocks[2]!.block_name;
  const query = `block_name=${encodeURIComponent(block)}`;
  const files = lines((await dbs(`/files?${query}&detail=1&validFileOnly=1`)).text) as {
    logical_file_name: string;
    block_name: string;
  }[];
  expect(files.map((file) => file.block_name)).toEqual(Array(5).fill(block));
  expect((await dbs(`/files?dataset=${name}`, "*/*")).body).toHaveLength(15);
  const lumis = lines((await dbs(`/filelumis?${query}`)).text) as { logical_file_name: string; run_num: number }[];
  expect([lumis.length, new Set(lumis.map(({ run_num }) => run_num)).size]).toEqual([10, 1]);
  const auth = await call(emulated, "GET", `${emulated.urls.rucioAuth}/auth/x509`);
  const headers = { "x-rucio-auth-token": String(auth.headers["x-rucio-auth-token"]) };
  const replicas = await call(emulated, "POST", `${emulated.urls.rucio}/replicas/list`, {
    headers,
    body: { dids: [{ scope: "cms", name: block }] },
  });
  const names = (rows: readonly unknown[], key: string) => [
    ...new Set(rows.map((row) => (row as Record<string, unknown>)[key])),
  ];
  expect(names(lines(replicas.text), "name")).toEqual(names(files, "logical_file_name"));
  expect(names(lumis, "logical_file_name")).toEqual(names(files, "logical_file_name"));
});
