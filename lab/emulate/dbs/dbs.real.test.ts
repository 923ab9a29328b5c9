import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CallOptions, call, lines, type Reply } from "../../../tests/support/emulated-call.ts";
import { type Emulated, startEmulators } from "../index.ts";

const RAW = "/PD/Era26-v1/RAW";
const OUT = "/PD/Era26-Re-v1/AOD";
const JSON_TYPE = { "content-type": "application/json" };
let emulated: Emulated;

beforeAll(async () => {
  const datasets = {
    [RAW]: { blocks: 2, files_per_block: 3, lumis_per_file: 2, first_run: 370_001, rses: ["T2_A"] },
    "/MC/Era26-Gen-v1/GEN-SIM": { files_per_block: 2, rses: ["T2_A"] },
    "/PD/Era26-Old-v1/RAW": { access_type: "INVALID", files_per_block: 1 },
  };
  const seed = { rses: { T2_A: {} }, accounts: { wms2: {} }, datasets };
  emulated = await startEmulators({ seed, dbsCallsPerSec: 1e6 });
});
afterAll(() => emulated.close());

const read = (path: string, options: CallOptions = {}): Promise<Reply> =>
  call(emulated, "GET", emulated.urls.dbsReader + path, options);
const write = (method: string, path: string, body: unknown, options: CallOptions = {}): Promise<Reply> =>
  call(emulated, method, emulated.urls.dbsWriter + path, { headers: JSON_TYPE, body, ...options });
const codeOf = ({ body }: Reply): unknown => (body as { error: { code: number } }[])[0]?.error.code;

const config = {
  release_version: "R1",
  pset_hash: "h",
  app_name: "cmsRun",
  output_module_label: "Merged",
  global_tag: "GT",
};
const lfn = (name: string): string => `/store/data/Era26/PD/AOD/Re-v1/000/000/000/00000/${name}.root`;
const file = (name: string, change: object = {}) => ({
  ...{
    logical_file_name: lfn(name),
    file_type: "EDM",
    file_size: 1000,
    event_count: 10,
    check_sum: "1",
    adler32: "0cc737eb",
  },
  ...{ md5: "", auto_cross_section: 0, file_lumi_list: [{ run_num: 1, lumi_section_num: 7, event_count: 10 }] },
  ...change,
});
const bulk = (id: string, files: readonly { logical_file_name: string }[], change: object = {}) => ({
  dataset_conf_list: [config],
  file_conf_list: files.map((one) => ({ lfn: one.logical_file_name, ...config })),
  files,
  processing_era: { processing_version: 1, create_by: "t", description: "" },
  acquisition_era: { acquisition_era_name: "Era26", start_date: 123456789 },
  primds: { primary_ds_name: "PD", primary_ds_type: "data" },
  dataset: {
    dataset: OUT,
    processed_ds_name: "Era26-Re-v1",
    data_tier_name: "AOD",
    dataset_access_type: "PRODUCTION",
    physics_group_name: "NoGroup",
  },
  block: {
    block_name: `${OUT}#${id}`,
    origin_site_name: "T2_A",
    open_for_writing: 0,
    block_size: 1000,
    file_count: files.length,
  },
  ...change,
});
const enc = encodeURIComponent;

describe("reading", () => {
  const dataset = `dataset=${RAW}`;
  const block = `block_name=${enc(`${RAW}#00000000-0000-4000-8000-000000000001`)}`;
  test.each([
    ["/healthz", 200, [{ status: 200 }]],
    ["/datasets?dataset=/PD/*/RAW", 200, [{ dataset: RAW }]],
    ["/datasets?dataset=/PD/*/RAW&dataset_access_type=*", 200, [{ dataset: RAW }, { dataset: "/PD/Era26-Old-v1/RAW" }]],
    ["/datasets?dataset=/No/Such-v1/RAW", 200, []],
    [`/blocks?${dataset}&open_for_writing=1&detail=1`, 200, { length: 2 }],
    [`/blocks?${block}`, 200, [{ block_name: `${RAW}#00000000-0000-4000-8000-000000000001` }]],
    [`/files?${dataset}`, 200, { length: 6 }],
    [`/files?${block}&detail=true&validFileOnly=1`, 200, { length: 3 }],
    [`/files?${dataset}&run_num=370000-370002`, 200, { length: 6 }],
    [`/filelumis?${block}`, 200, { length: 6 }],
    ["/acquisitioneras?acquisition_era_name=Other", 200, [expect.objectContaining({ acquisition_era_name: "Era26" })]],
  ] as const)("%s", async (path, status, body) => {
    const reply = await read(path);
    expect([reply.status, reply.headers["content-type"]]).toEqual([status, "application/json"]);
    expect(reply.body).toMatchObject(body);
  });

  test.each([
    ["a parameter nobody knows", "/files?datset=x", 118],
    ["blocks of everything", "/blocks?detail=1", 118],
    ["run 1 alone", "/files?dataset=/MC/Era26-Gen-v1/GEN-SIM&run_num=1", 118],
    ["a block without #", "/files?block_name=/PD/Era26-v1/RAW", 113],
    ["a block whose id is too long", `/files?block_name=${enc(`${RAW}#${"x".repeat(37)}`)}`, 113],
  ])("%s is refused", async (_what, path, code) => {
    const reply = await read(path);
    expect([reply.status, codeOf(reply)]).toEqual([400, code]);
    expect(reply.body).toMatchObject([{ exception: 400, type: "HTTPError", http: { method: "GET", code: 400 } }]);
  });

  test("a row a line for who asks for it, packed for who can unpack", async () => {
    const headers = { accept: "application/ndjson", "accept-encoding": "gzip" };
    const reply = await read(`/files?${dataset}&detail=1`, { headers });
    expect(reply.headers).toMatchObject({ "content-type": "application/ndjson", "content-encoding": "gzip" });
    expect(lines(reply.text)).toHaveLength(6);
    expect(lines(reply.text)[0]).toMatchObject({ is_file_valid: 1, dataset: RAW, file_type: "EDM" });
  });

  test("many names by POST, at an address with a capital letter", async () => {
    const names = ["b0f0", "b1f2"].map((name) => `/store/data/Era26/PD/RAW/v1/000/000/000/00000/${name}.root`);
    const ask = (path: string, body: object, type = "application/json") =>
      call(emulated, "POST", emulated.urls.dbsReader + path, { headers: { "content-type": type }, body });
    expect((await ask("/fileArray", { logical_file_name: names })).body).toHaveLength(2);
    expect((await ask("/filelumis", { logical_file_name: names })).body).toHaveLength(4);
    expect((await ask("/filearray", { logical_file_name: names })).status).toBe(404);
    expect(codeOf(await ask("/fileArray", { logical_file_name: names, run_num: [1, 2] }))).toBe(118);
    const wrong = await ask("/fileArray", { logical_file_name: names }, "application/json; charset=utf-8");
    expect([wrong.status, codeOf(wrong)]).toEqual([415, 117]);
  });

  test("without a good certificate: 403 and not a word", async () => {
    for (const as of ["none", "expired"] as const)
      expect(await read("/datasets", { as })).toMatchObject({ status: 403, text: "" });
  });
});

describe("a whole block", () => {
  test("is written once; the second time is refused and changes nothing", async () => {
    const first = await write("POST", "/bulkblocks", bulk("one", [file("a"), file("b")]), { gzip: true });
    expect([first.status, first.body]).toEqual([200, []]);
    const again = await write("POST", "/bulkblocks", bulk("one", [file("c")]));
    expect([again.status, codeOf(again)]).toEqual([400, 200]);
    expect((await read(`/files?block_name=${enc(`${OUT}#one`)}`)).body).toHaveLength(2);
    expect((await read(`/datasets?dataset=${OUT}`)).body).toEqual([]);
  });

  test.each([
    ["a size of 0", bulk("x", [file("x", { file_size: 0 })]), 310],
    ["no checksum", bulk("x", [file("x", { check_sum: "" })]), 310],
    ["a strange name", bulk("x", [file("x", { logical_file_name: "/tmp/x.root" })]), 310],
    ["a file that another block has", bulk("x", [file("a")]), 310],
    ["a size in quotes", bulk("x", [file("x", { file_size: "1000" })]), 122],
    ["lumi 0", bulk("x", [file("x", { file_lumi_list: [{ run_num: 1, lumi_section_num: 0 }] })]), 311],
    ["a configuration nobody declared", bulk("x", [file("x")], { dataset_conf_list: [] }), 312],
    ["no processing version", bulk("x", [file("x")], { processing_era: {} }), 207],
    [
      "a parent file that is not there",
      bulk("x", [file("x")], {
        file_parent_list: [{ logical_file_name: lfn("x"), parent_logical_file_name: "/store/p.root" }],
      }),
      202,
    ],
    ["a parent dataset that is not there", bulk("x", [file("x")], { dataset_parent_list: ["/A/B-v1/RAW"] }), 203],
  ])("with %s is refused", async (_what, body, code) => {
    const reply = await write("POST", "/bulkblocks", body);
    expect([reply.status, codeOf(reply)]).toEqual([400, code]);
    expect((await read(`/blocks?block_name=${enc(`${OUT}#x`)}`)).body).toEqual([]);
  });

  test("cannot be written to the reader, nor with a charset", async () => {
    const reader = await call(emulated, "POST", `${emulated.urls.dbsReader}/bulkblocks`, {
      headers: JSON_TYPE,
      body: {},
    });
    expect([reader.status, reader.headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
    const charset = { headers: { "content-type": "application/json; charset=utf-8" } };
    expect(codeOf(await write("POST", "/bulkblocks", {}, charset))).toBe(117);
  });
});

describe("an open block", () => {
  const name = `${OUT}#open`;
  const piece = (one: string) => ({ ...file(one), dataset: OUT, block_name: name });
  const block = async () =>
    ((await read(`/blocks?block_name=${enc(name)}&detail=1`)).body as Record<string, unknown>[])[0];

  test("grows by files; a repeat is passed over; closing is not checked", async () => {
    expect(codeOf(await write("POST", "/blocks", { block_name: "/No/Such-v1/RAW#1", origin_site_name: "T2_A" }))).toBe(
      410,
    );
    for (const _ of [1, 2])
      expect((await write("POST", "/blocks", { block_name: name, origin_site_name: "T2_A" })).body).toEqual([]);
    for (const _ of [1, 2])
      expect((await write("POST", "/files", { files: [piece("o1"), piece("o2")] })).status).toBe(200);
    expect(await block()).toMatchObject({ file_count: 2, block_size: 2000, open_for_writing: 1 });
    for (const value of ["0", "0", "word"]) {
      const reply = await write("PUT", `/blocks?block_name=${enc(name)}&open_for_writing=${value}`, undefined);
      expect([reply.status, reply.body]).toEqual([200, []]);
    }
    expect(await block()).toMatchObject({ open_for_writing: 0 });
    await write("POST", "/files", { files: [piece("o3")] });
    expect(await block()).toMatchObject({ file_count: 3 });
  });

  test("of that name need not exist to be closed", async () => {
    expect((await write("PUT", `/blocks?block_name=${enc(`${OUT}#no`)}&open_for_writing=0`, undefined)).status).toBe(
      200,
    );
    expect(codeOf(await write("PUT", `/blocks?block_name=${enc(name)}&open_for_writing=2`, undefined))).toBe(118);
  });
});

test("small writers may be repeated; datasets need everything to be there", async () => {
  const dataset = {
    dataset: "/New/Era27-v1/AOD",
    primary_ds_name: "New",
    data_tier_name: "AOD",
    physics_group_name: "NoGroup",
  };
  const whole = { ...dataset, dataset_access_type: "PRODUCTION", acquisition_era_name: "Era27", processing_version: 3 };
  const steps = [
    [404, "/acquisitioneras", { acquisition_era_name: "Era27", start_date: 1 }],
    [405, "/processingeras", { processing_version: 3, description: "x" }],
    [411, "/primarydatasets", { primary_ds_name: "New", primary_ds_type: "mc" }],
  ] as const;
  for (const [missing, path, body] of steps) {
    expect(codeOf(await write("POST", "/datasets", whole))).toBe(missing);
    for (const _ of [1, 2]) expect((await write("POST", path, body)).body).toEqual([]);
  }
  for (const _ of [1, 2]) expect((await write("POST", "/datasets", whole)).body).toEqual([]);
  expect(codeOf(await write("POST", "/outputconfigs", { app_name: "cmsRun" }))).toBe(317);
  const empty = await write("PUT", "/datasets", "");
  expect([empty.status, codeOf(empty)]).toEqual([500, 115]);
  expect(codeOf(await write("PUT", "/datasets", { dataset: OUT, dataset_access_type: "GOOD" }))).toBe(408);
  await write("PUT", "/datasets", { dataset: "/New/Era27-v1/AOD", dataset_access_type: "VALID" });
  expect((await read("/datasets?dataset=/New/Era27-v1/AOD")).body).toHaveLength(1);
});

/** The last ones: they leave nothing valid behind. */
describe("PUT /files", () => {
  const invalid = () =>
    Object.values(emulated.state()["dbs.files"] as Record<string, { row: { is_file_valid: number } }>).filter(
      ({ row }) => row.is_file_valid === 0,
    ).length;
  const all = () => Object.keys(emulated.state()["dbs.files"] ?? {}).length;

  test("changes one file, or one dataset, or by mistake every file there is", async () => {
    const put = (body: object) => write("PUT", "/files", { is_file_valid: 0, ...body });
    expect((await put({ logical_file_name: "/store/none.root" })).body).toEqual([]);
    expect(invalid()).toBe(0);
    await put({ logical_file_name: lfn("a") });
    await put({ logical_file_name: lfn("a") });
    expect(invalid()).toBe(1);
    await put({ dataset: "/MC/Era26-Gen-v1/GEN-SIM" });
    expect(invalid()).toBe(3);
    for (const mistake of [{ logical_file_name: [lfn("a"), lfn("b")] }, { block_name: `${OUT}#one` }, {}]) {
      await write("PUT", "/files", { dataset: RAW, is_file_valid: 1 });
      expect(invalid()).toBeLessThan(all());
      await put(mistake);
      expect(invalid()).toBe(all());
    }
  });
});

test("more calls in a second than allowed: 429", async () => {
  const slow = await startEmulators({ seed: {}, dbsCallsPerSec: 1 });
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => call(slow, "GET", `${slow.urls.dbsReader}/healthz`)),
  );
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({
    text: "Limit exceeded",
    headers: { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0" },
  });
  await slow.close();
});
