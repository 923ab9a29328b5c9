import { describe, expect, test } from "vitest";
import { type DagFile, findCycle, parseDag } from "./dag-file.ts";

function parsed(text: string): DagFile {
  const result = parseDag(text, "x.dag");
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
const fault = (text: string): string => {
  const result = parseDag(text, "x.dag");
  return result.ok ? "" : result.error;
};

describe("a DAG file", () => {
  test("keywords in any case, names as they are, order free, CRLF, comments, continuation", () => {
    const dag = parsed(
      "# c\r\nparent A child b\r\nretry A 3 \\\n unless-exit 42\r\nJob A a.sub\r\njob b b.sub dir d NOOP\r\n",
    );
    expect(dag.byName.get("A")).toMatchObject({ retries: 3, unlessExit: 42, children: [1] });
    expect(dag.byName.get("b")).toMatchObject({ dir: "d", noop: true, parents: 1 });
  });

  test("one that comes before a hundred thousand others, line by line, is read in the time of its lines; an edge twice is one", () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => `JOB j${at} x.sub\nPARENT first CHILD j${at}\n`).join("");
    const dag = parsed(`JOB first x.sub\n${lines}PARENT first CHILD j7 j99999\n`);
    expect(dag.byName.get("first")?.children).toHaveLength(100_000);
    expect(dag.byName.get("j7")?.parents).toBe(1);
  }, 60_000);

  test("everything docs/submit-directory.md shows", () => {
    const dag = parsed(
      "CONFIG dagman.config\nNODE_STATUS_FILE w.status 30\nSUBDAG EXTERNAL mg_000000 group.dag DIR mg_000000\n" +
        "CATEGORY mg_000000 units\nPRIORITY mg_000000 10\nABORT-DAG-ON mg_000000 2 RETURN 1\nMAXJOBS units 10\n",
    );
    expect(dag).toMatchObject({ config: "dagman.config", statusFile: { path: "w.status", minSec: 30 } });
    expect(dag.maxJobs.get("units")).toBe(10);
    expect(dag.nodes[0]).toMatchObject({
      kind: "subdag",
      file: "group.dag",
      dir: "mg_000000",
      category: "units",
      priority: 10,
      abort: { on: 2, returns: 1 },
    });
  });

  test("VARS unescape quotes and backslashes", () => {
    const dag = parsed('JOB a s\nJOB b s\nVARS a x="1"\nVARS a My.T="\\"a\\\\\\"b\\"" y="two words"\n');
    expect(dag.nodes[0]?.vars).toEqual([
      ["x", "1"],
      ["My.T", '"a\\"b"'],
      ["y", "two words"],
    ]);
    expect(dag.nodes[1]?.vars).toEqual([]);
  });

  test("scripts with DEFER and macros", () => {
    const dag = parsed("JOB a s\nSCRIPT DEFER 44 60 PRE a pre $JOB\nSCRIPT POST a post $JOB $RETURN x=$JOB\n");
    expect(dag.nodes[0]?.pre).toEqual({ executable: "pre", arguments: ["$JOB"], defer: { status: 44, seconds: 60 } });
    expect(dag.nodes[0]?.post?.arguments).toEqual(["$JOB", "$RETURN", "x=$JOB"]);
  });

  test("an edge given twice counts once", () => {
    expect(parsed("JOB a s\nJOB b s\nPARENT a CHILD b\nPARENT a CHILD b b\n").nodes[1]?.parents).toBe(1);
  });

  test.each([
    ["JOB a s\nFOO b\n", "x.dag (line 2): ERROR: Unknown or unsupported keyword FOO"],
    ["JOB a s\nSPLICE b other.dag\n", "line 2"],
    ["JOB a s\nINCLUDE other\n", "INCLUDE"],
    ["JOB a s\nFINAL f s\n", "FINAL"],
    ["JOB a s\nPRE_SKIP a never\n", "PRE_SKIP"],
    ["JOB a s\nJOBSTATE_LOG j\n", "JOBSTATE_LOG"],
    ['JOB a s\nVARS a APPEND x="1"\n', "VARS"],
    ["JOB a s\n\nPARENT a CHILD nosuch\n", "x.dag (line 3): ERROR: Unknown Job nosuch"],
    ["JOB a s\nJOB a s\n", "defined twice"],
    ["JOB child s\n", "reserved"],
    ["JOB a s\nRETRY ALL_NODES 3\n", "Unknown Job ALL_NODES"],
    ["JOB a+b s\n", "'+'"],
    ["JOB a s\nRETRY a x\n", "RETRY count x"],
    ["JOB a s\nABORT-DAG-ON a 1 RETURN 300\n", "0..255"],
    ["JOB a s\nVARS a x=1\n", "VARS"],
    ['JOB a s\nVARS a queue_x="1"\n', "queue"],
    ["JOB a s\nSCRIPT POST a p $FOO\n", "$FOO"],
    ["JOB a s\nSCRIPT PRE a p $RETURN\n", "$RETURN"],
    ["JOB a s\nSCRIPT DEBUG f ALL POST a p\n", "script type"],
    ["CONFIG a\nCONFIG b\nJOB a s\n", "twice"],
    ["JOB a s BOGUS\n", "BOGUS"],
    ["", "no nodes"],
    ["\u0000\u0001garbage\u0002", "line 1"],
  ])("refuses %j", (text, words) => {
    expect(fault(text)).toContain(words);
  });

  test("finds a cycle, and none where there is none", () => {
    expect(findCycle(parsed("JOB a s\nJOB b s\nJOB c s\nPARENT a CHILD b\nPARENT b CHILD c\nPARENT c CHILD b\n"))).toBe(
      "b",
    );
    expect(findCycle(parsed("JOB a s\nJOB b s\nPARENT a CHILD b\n"))).toBeNull();
  });
});
