import fc from "fast-check";
import { expect, test } from "vitest";
import { InvariantError } from "../../../core/base/errors.ts";
import type { Answer } from "../http/question.ts";
import type { NewDbsDataset, NewDbsFile } from "../services.ts";
import { compareFiles, DBS_RULES, isImpossibleName, readBlock, readError } from "./answers.ts";
import * as questions from "./questions.ts";

const BASE = "https://dbs/writer";
const BLOCK = "/P/Era-Proc-v1/GEN-SIM#6d5c";
const config = { release: "CMSSW_1", psetHash: "abc", globalTag: "GT", outputModule: "Merged" };
const file = (change: Partial<NewDbsFile> = {}): NewDbsFile => ({
  lfn: "/store/mc/Era/P/GEN-SIM/Proc-v1/00000/f0.root",
  dataset: "/P/Era-Proc-v1/GEN-SIM",
  sizeBytes: 1000,
  events: 100,
  cksum: "123",
  adler32: "0cc737eb",
  lumis: [{ run: 1, lumi: 11 }],
  parents: [],
  config,
  ...change,
});
const answer = (status: number, text = ""): Answer => ({ status, headers: {}, text });
const error = (code: number, message: string, reason = "nil"): Answer =>
  answer(400, JSON.stringify([{ error: { reason, message, function: "dbs.x", code }, http: { code: 400 } }]));

test("a block's name travels whole, its # too", () => {
  const { url } = questions.blockByName(BASE, BLOCK);
  expect(url).toBe(`${BASE}/blocks?block_name=%2FP%2FEra-Proc-v1%2FGEN-SIM%236d5c&detail=1`);
  expect(new URL(url).searchParams.get("block_name")).toBe(BLOCK);
  expect(questions.closedBlock(BASE, BLOCK)).toMatchObject({
    method: "PUT",
    url: `${BASE}/blocks?block_name=%2FP%2FEra-Proc-v1%2FGEN-SIM%236d5c&open_for_writing=0`,
  });
});

test("every body is announced as application/json and nothing more", () => {
  const dataset: NewDbsDataset = {
    dataset: "/P/Era-Proc-v1/GEN-SIM",
    primaryType: "mc",
    acquisitionEra: "Era",
    processingVersion: 1,
    accessType: "PRODUCTION",
    prepId: null,
    config,
  };
  const all = [
    ...questions.datasetParts(BASE, dataset),
    questions.outputConfig(BASE, config),
    questions.newBlock(BASE, BLOCK, "T2_X"),
    questions.newFiles(BASE, BLOCK, [file()]),
    questions.filesByName(BASE, ["/store/x"]),
  ];
  for (const { headers, method } of all)
    expect({ method, type: headers?.["content-type"] }).toEqual({ method: "POST", type: "application/json" });
  const bodies = questions.datasetParts(BASE, dataset).map(({ url, body }) => [url.slice(BASE.length), body]);
  expect(bodies.map(([path]) => path)).toEqual([
    "/primarydatasets",
    "/acquisitioneras",
    "/processingeras",
    "/datasets",
  ]);
  expect(JSON.parse(bodies[3]![1]!)).toMatchObject({ data_tier_name: "GEN-SIM", processed_ds_name: "Era-Proc-v1" });
});

test("one file is invalidated, by exactly one name", () => {
  const { body, url } = questions.invalidFile(BASE, "/store/mc/a.root");
  expect(url).toBe(`${BASE}/files`);
  expect(JSON.parse(body!)).toEqual({ logical_file_name: "/store/mc/a.root", is_file_valid: 0 });
});

test.each<[story: string, lfn: unknown]>([
  ["two names in a list", ["/store/a.root", "/store/b.root"]],
  ["one name in a list", ["/store/a.root"]],
  ["two names in one text", "/store/a.root,/store/b.root"],
  ["two lines", "/store/a.root\n/store/b.root"],
  ["a pattern", "/store/mc/*"],
  ["a list as text", "[/store/a.root]"],
  ["no name", ""],
  ["nothing", undefined],
  ["a block", BLOCK],
])("%s is never sent: DBS would change every file it has", (_story, lfn) => {
  expect(() => questions.invalidFile(BASE, lfn as string)).toThrow(InvariantError);
});

test("law: what invalidates holds one name, whatever it is given", () => {
  const parts = fc.array(fc.constantFrom("/store/a.root", ",", " ", "[", "]", "*", "%", "\n", '"', "{}"), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(parts, (pieces) => {
      const lfn = pieces.join("");
      let body: { logical_file_name?: unknown } | null = null;
      try {
        body = JSON.parse(questions.invalidFile(BASE, lfn).body!);
      } catch {
        return;
      }
      expect(Object.keys(body!)).toEqual(["logical_file_name", "is_file_valid"]);
      expect(body!.logical_file_name).toBe(lfn);
      expect(lfn).not.toMatch(/[\s,*%[\]"]/);
    }),
  );
});

test.each<[story: string, answer: Answer, outage: RegExp | null]>([
  ["its database", error(101, "database is locked"), /code 101/],
  ["its database, wrapped in a failed insert", error(110, "insert error", "DBSError Code: 103 tx"), /code 103/],
  ["a block that is there", error(200, "Block already exists"), null],
  ["a name it does not allow", error(310, "concurrency error", "nested DBSError Code:113"), null],
  ["an unreadable body, though HTTP 500", answer(500, error(115, "bad JSON").text), null],
  ["a certificate that is not let in", answer(403), /does not accept our certificate/],
  ["a role that is missing", answer(401), /does not accept our certificate/],
  [
    "a front end that wants a person to sign in",
    { status: 302, text: "", headers: { location: "https://auth.example.org/realms/x?state=1" } },
    /sends us to sign in at https:\/\/auth\.example\.org\/realms\/x \(HTTP 302\): it did not take our certificate/,
  ],
  ["a page that moved", { status: 301, text: "", headers: { location: "/elsewhere" } }, null],
  ["too many questions", answer(429, "Limit exceeded"), /too often/],
  ["a gateway", answer(502, "<html>"), /502/],
  ["an address that is not there", answer(404, "404 page not found"), null],
])("an outage or an answer: %s", (_story, given, outage) => {
  const told = DBS_RULES.outage(given);
  if (outage === null) expect(told).toBeNull();
  else expect(told).toMatch(outage);
});

test("a refusal has DBS's code, its words and what helps, by the code that is wrapped", () => {
  expect(DBS_RULES.refusal(error(308, "cannot commit", "parent file not found Code: 202"))).toEqual({
    kind: "refused",
    code: "308",
    message: "cannot commit: parent file not found Code: 202",
    fix: expect.stringContaining("parent files"),
  });
  expect(DBS_RULES.refusal(answer(404, "404 page not found"))).toMatchObject({
    code: "HTTP 404",
    message: "404 page not found",
  });
  expect(isImpossibleName(error(118, "invalid parameter"))).toBe(true);
  expect(readError("<html>")).toBeNull();
});

const known = (change: object = {}) => ({
  logical_file_name: file().lfn,
  file_size: 1000,
  adler32: "0cc737eb",
  check_sum: "123",
  block_name: BLOCK,
  create_by: "somebody",
  ...change,
});

test.each<[story: string, rows: object[], expected: object]>([
  ["not there", [], { kind: "missing", files: [file()] }],
  ["there as it is here", [known()], { kind: "missing", files: [] }],
  ["another size", [known({ file_size: 7 })], { kind: "conflict" }],
  ["another checksum", [known({ adler32: "00000001" })], { kind: "conflict" }],
  ["in another block", [known({ block_name: "/P/Era-Proc-v1/GEN-SIM#other" })], { kind: "conflict" }],
])("files DBS may have already: %s", (_story, rows, expected) => {
  expect(compareFiles(BLOCK, [file()], rows as never)).toMatchObject(expected);
});

test("a conflict names the file, who registered it and what differs", () => {
  expect(compareFiles(BLOCK, [file()], [known({ file_size: 7 })])).toMatchObject({
    refusal: {
      code: "file-differs",
      message: `${file().lfn} is there already, registered by somebody in ${BLOCK}, with size 7 (ours: 1000)`,
    },
  });
});

test("a block is open only when DBS says so", () => {
  const row = { block_name: BLOCK, file_count: 2, block_size: 2001, open_for_writing: 0, origin_site_name: "T2_X" };
  expect(readBlock(row)).toEqual({ name: BLOCK, files: 2, sizeBytes: 2001, isOpen: false, originRse: "T2_X" });
  expect(() => readBlock({ block_name: BLOCK })).toThrow(/no list of blocks/);
});
