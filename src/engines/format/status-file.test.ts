import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATUS_FAILED, STATUS_REMOVED } from "../../../tests/support/engine-samples.ts";
import { parseStatusFile, wasCutShort } from "./status-file.ts";

describe("the node status file", () => {
  it("reads a failed run", () => {
    const status = parseStatusFile(STATUS_FAILED);
    expect(status).toMatchObject({ complete: true, timestamp: 1794771102, nextUpdate: 0 });
    expect(status.nodes.map((node) => [node.name, node.state, node.detail])).toEqual([
      ["mg_000000", "failed", "Job proc (26.0.0) failed with status 1"],
      ["x", "futile", "Had an ancestor node fail"],
      ["z", "futile", "Had an ancestor node fail"],
    ]);
  });
  it("nodes that were queued at a removal did not fail", () => {
    const { nodes } = parseStatusFile(STATUS_REMOVED);
    expect(nodes.map((node) => [node.name, node.state, wasCutShort(node)])).toEqual([
      ["a", "failed", true],
      ["b", "waiting", false],
      ["n", "done", false],
    ]);
  });
  it("reads numbers of a node, and quotes in its words", () => {
    const status = parseStatusFile(
      '[Type="NodeStatus";\nNode="a\\"b";\nNodeStatus=3;\nStatusDetails="say \\"no\\"";\nRetryCount=2;\nJobProcsQueued=4;\nJobProcsHeld=1;\n]',
    );
    expect(status.nodes).toEqual([{ name: 'a"b', state: "queued", detail: 'say "no"', retries: 2, held: 1 }]);
    expect(status.complete).toBe(false);
  });
  it("finds every node, line ends or not", () => {
    for (const text of [STATUS_FAILED, STATUS_REMOVED]) {
      const names = [...text.matchAll(/^ *Node = "(.*)";/gm)].map((match) => match[1]);
      expect(parseStatusFile(text).nodes.map((node) => node.name)).toEqual(names);
      expect(parseStatusFile(text.replaceAll("\n", "\r\n"))).toEqual(parseStatusFile(text));
    }
  });
  it("is incomplete when cut anywhere before its end", () => {
    const end = STATUS_FAILED.lastIndexOf("]");
    fc.assert(
      fc.property(fc.nat(end), (length) => {
        expect(parseStatusFile(STATUS_FAILED.slice(0, length)).complete).toBe(false);
      }),
    );
  });
  it("is incomplete with a hole in it", () => {
    const second = STATUS_FAILED.indexOf("[", STATUS_FAILED.indexOf("NodeStatus"));
    expect(parseStatusFile(STATUS_FAILED.slice(0, 400) + STATUS_FAILED.slice(second)).complete).toBe(false);
  });
  it("never throws, whatever it is given", () => {
    const bits = fc.array(
      fc.constantFrom("[", "]", '"', "=", ";", "\\", "{", "/", "\n", " ", "Type", '"NodeStatus"', "9"),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary-ascii" }),
          bits.map((each) => each.join("")),
        ),
        (text) => {
          expect(parseStatusFile(text).complete).toBe(false);
        },
      ),
    );
  });
});
