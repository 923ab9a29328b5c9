import { expect, test } from "vitest";
import { attempt, ended, story } from "../../../tests/support/attempts.ts";
import { historyOf, parseLedger } from "../../recovery/ledger-record.ts";
import { ledgerText, summariseGroup } from "../../recovery/records.ts";
import { ledgerForNode } from "./ledger-file.ts";

const of = (node: string, index: number, ...attempts: ReturnType<typeof attempt>[]) =>
  story(attempts)
    .records.map((record, at) => ledgerText({ ...record, node, cluster: index * 10 + at }))
    .join("");

test("says the same as reading every line", () => {
  const text = [
    of("proc_000000", 1, ended(8036), ended(8021)),
    of("proc_000001", 2, ended(8009)),
    of("proc_000002", 3, ended(8036), attempt()),
    of("proc_000003", 4, ended(8009)),
    of("landing", 5, attempt()),
    ledgerText({ event: "epoch", at: "", epoch: 2, nodes: ["proc_000000"], by: "op", reason: "" }),
  ].join("");
  const all = parseLedger(text).lines;
  const mine = ledgerForNode(text, "proc_000000");
  expect(mine.history).toEqual(historyOf(all, "proc_000000"));
  expect(mine.group).toEqual(summariseGroup(all, "proc_000000"));
  expect(mine.group).toEqual({ alike: { "logic-error:8009": 2 }, succeeded: 1 });
  expect(mine.problems).toEqual([]);
  expect(ledgerForNode(`${text}{"event":"att`, "x").problems).toMatchObject([{ kind: "torn" }]);
  expect(ledgerForNode(`{"event":"att\n${text}`, "x").problems).toMatchObject([{ line: 1, kind: "garbage" }]);
});

test("hardly depends on the number of siblings", () => {
  const text = Array.from({ length: 1000 }, (_, at) => of(`proc_${at + 1}`, at + 10, ended(8036), attempt())).join("");
  const started = performance.now();
  ledgerForNode(text, "proc_000000");
  expect(performance.now() - started).toBeLessThan(200);
});
