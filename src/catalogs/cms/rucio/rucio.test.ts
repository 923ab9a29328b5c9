import { expect, test } from "vitest";
import type { Answer } from "../http/question.ts";
import { isAboutToGo, RUCIO_RULES, readReplica, readRule, readToken } from "./answers.ts";
import * as questions from "./questions.ts";

const BASE = "https://rucio";
const BLOCK = "/P/Era-Proc-v1/GEN-SIM#6d5c";
const rule = {
  block: BLOCK,
  rseExpression: "rse_type=TAPE\\cms_type=test",
  lifetimeSec: null,
  activity: "Production Output",
  comment: "x",
};

const exception = (status: number, name: string, how: "body" | "header" = "body"): Answer => ({
  status,
  headers: how === "header" ? { exceptionclass: name, exceptionmessage: "said so" } : {},
  text: how === "body" ? JSON.stringify({ ExceptionClass: name, ExceptionMessage: "said so" }) : "",
});

test.each<[story: string, answer: Answer, outage: RegExp | null]>([
  ["a full pool of connections", exception(503, "DatabaseException"), /DatabaseException/],
  ["a rule that failed for now", exception(409, "ReplicationRuleCreationTemporaryFailed"), /Temporary/],
  ["a token that is not known even after renewal", exception(401, "CannotAuthenticate"), /does not know us/],
  ["a fault nobody foresaw", { status: 500, headers: {}, text: "Internal Server Error" }, /HTTP 500/],
  ["no access, though HTTP 500", exception(500, "AccessDenied"), null],
  ["no quota", exception(409, "InsufficientAccountLimit"), null],
  ["another size, though HTTP 500", exception(500, "FileConsistencyMismatch"), null],
  ["known by the header alone", exception(500, "AccountNotFound", "header"), null],
])("an outage or an answer: %s", (_story, answer, outage) => {
  const told = RUCIO_RULES.outage(answer);
  if (outage === null) expect(told).toBeNull();
  else expect(told).toMatch(outage);
});

test("no quota, and an expression without RSEs, say what helps", () => {
  expect(RUCIO_RULES.refusal(exception(409, "InsufficientAccountLimit")).fix).toContain("quota");
  expect(RUCIO_RULES.refusal(exception(409, "InvalidRSEExpression")).fix).toContain("no RSE matches");
});

test("names are encoded whole, rules have their slash", () => {
  expect(questions.closedBlock(BASE, BLOCK).url).toBe(`${BASE}/dids/cms/%2FP%2FEra-Proc-v1%2FGEN-SIM%236d5c/status`);
  expect(questions.newRule(BASE, "wms2", rule).url).toBe(`${BASE}/rules/`);
  const { url } = questions.rulesLike(BASE, "wms2", rule);
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    scope: "cms",
    name: BLOCK,
    account: "wms2",
    rse_expression: rule.rseExpression,
  });
});

test("files become known, get their replica and their block in one call that may be repeated", () => {
  const files = [{ lfn: "/store/a.root", sizeBytes: 5, adler32: "0cc737eb" }];
  expect(JSON.parse(questions.filesInBlock(BASE, BLOCK, "T2_X", files).body!)).toEqual({
    ignore_duplicate: true,
    attachments: [
      {
        scope: "cms",
        name: BLOCK,
        rse: "T2_X",
        dids: [{ scope: "cms", name: "/store/a.root", bytes: 5, adler32: "0cc737eb" }],
      },
    ],
  });
});

test("a rule is asked for one block, by one account, and deleted with a body", () => {
  expect(JSON.parse(questions.newRule(BASE, "wms2", { ...rule, comment: "c".repeat(300) }).body!)).toMatchObject({
    dids: [{ scope: "cms", name: BLOCK }],
    account: "wms2",
    copies: 1,
    lifetime: null,
    comment: "c".repeat(250),
  });
  expect(questions.deletedRule(BASE, "ab12").body).toBe('{"purge_replicas":false}');
});

test("a file is where its state is AVAILABLE, whatever protocols there are", () => {
  const states = { T2_A: "AVAILABLE", T2_B: "COPYING", T1_C_Tape: "AVAILABLE" };
  expect(readReplica({ name: "/store/a.root", rses: {}, states })).toEqual({
    lfn: "/store/a.root",
    rses: ["T2_A", "T1_C_Tape"],
  });
});

test("a token is what the headers say, unchanged", () => {
  const headers = {
    "x-rucio-auth-token": "wms2-/DC=test/CN=robot wms2-unknown-a26b",
    "x-rucio-auth-token-expires": "Sun, 15 Nov 2026 19:31:42 UTC",
  };
  expect(readToken({ status: 200, headers, text: "" })).toEqual({
    text: "wms2-/DC=test/CN=robot wms2-unknown-a26b",
    expiresAt: new Date("2026-11-15T19:31:42Z"),
  });
  expect(() => readToken({ status: 200, headers: {}, text: "" })).toThrow(/no token/);
});

test.each<[story: string, expires: string | null, lifetimeSec: number | null, expected: boolean]>([
  ["for good, and wanted for good", null, null, false],
  ["deleted, and wanted for good", "Sun, 15 Nov 2026 10:59:00 UTC", null, true],
  ["a month, and wanted for good", "Tue, 15 Dec 2026 10:00:00 UTC", null, true],
  ["deleted, and wanted for a month", "Sun, 15 Nov 2026 10:59:00 UTC", 30 * 86400, true],
  ["three weeks left of a month", "Sun, 06 Dec 2026 10:00:00 UTC", 30 * 86400, false],
])("a rule that is there is about to go: %s", (_story, expires_at, lifetimeSec, expected) => {
  const known = readRule({ id: "ab", copies: 1, expires_at });
  expect(isAboutToGo(known, { ...rule, lifetimeSec }, new Date("2026-11-15T10:00:00Z"))).toBe(expected);
});
