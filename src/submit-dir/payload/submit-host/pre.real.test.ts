import { rmSync, utimesSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inUnit, ledger, merged, post, report, script } from "../../../../tests/support/checked-unit.ts";
import { parseLedger, staysDone } from "../../../recovery/ledger-record.ts";

const pre = async (node: string): Promise<number | null> => (await script("pre", node, 0)).code;
const SKIP = 45;

describe("a node that POST found to be done", () => {
  test("is skipped, whatever became of the run since; a failed one is not", async () => {
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    await post("proc_000001", -1002, 0, 3, 37);
    expect([await pre("proc_000000"), await pre("proc_000001"), await pre("proc_000002")]).toEqual([SKIP, 0, 0]);
  });

  test("is skipped also if POST was killed before its line, which is made good", async () => {
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    const [line] = ledger();
    rmSync(inUnit("ledger.jsonl"));
    expect(await pre("proc_000000")).toBe(SKIP);
    expect(await pre("proc_000000")).toBe(SKIP);
    expect(ledger()).toEqual([line]);
  });

  test("runs again when it is the merge and its outputs are told no more", async () => {
    merged();
    report("merge", 21);
    await post("merge", 0, 0, 2, 21);
    expect(await pre("merge")).toBe(SKIP);
    writeFileSync(inUnit("merge_output.json"), "");
    expect(await pre("merge")).toBe(0);
  });

  test("law: it runs again only after a person named it for a new epoch, or its unit moved", async () => {
    const node = "proc_000000";
    const line = fc.oneof(
      { weight: 3, arbitrary: fc.record({ node: fc.constantFrom(node, "proc_000001"), isDone: fc.boolean() }) },
      fc.constantFrom<object>(
        { event: "moved", at: "x", avoidSites: ["A"], only: null },
        { event: "epoch", epoch: 1, nodes: null, by: "ann", reason: `all of it, not only "${node}"` },
        { event: "epoch", epoch: 2, nodes: ["proc_000001"], by: "ann", reason: "" },
        { event: "epoch", epoch: 3, nodes: [node, "merge"], by: "ann", reason: "" },
        { event: "script", node, cluster: 1, at: "x", result: 'exit 0 {"decision":"done"}' },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (drawn) => {
        const records = drawn.map((one, at) =>
          "isDone" in one
            ? { event: "attempt", at: "x", node: one.node, cluster: at + 1, decision: one.isDone ? "done" : "retry" }
            : one,
        );
        const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
        writeFileSync(inUnit("ledger.jsonl"), text);
        const verdict = records.findLast((record) => "node" in record && "decision" in record && record.node === node);
        rmSync(inUnit(`${node}.post.json`), { force: true });
        if (verdict) writeFileSync(inUnit(`${node}.post.json`), `${JSON.stringify({ final: true, verdict })}\n`);
        expect(await pre(node)).toBe(staysDone(parseLedger(text).lines, node) ? SKIP : 0);
      }),
      { numRuns: 60 },
    );
  });
});

test("a cool-off that was noted by a clock which has been set back since is over", async () => {
  const nowSec = Math.floor(Date.now() / 1000);
  writeFileSync(inUnit("proc_000001.wait"), `${nowSec + 3600}\n`);
  expect(await pre("proc_000001")).toBe(44);
  utimesSync(inUnit("proc_000001.wait"), nowSec + 7200, nowSec + 7200);
  expect(await pre("proc_000001")).toBe(0);
});
