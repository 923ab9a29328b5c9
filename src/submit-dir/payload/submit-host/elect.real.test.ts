import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inc, inUnit, ledger, policy, script, unit } from "../../../../tests/support/checked-unit.ts";

const pre = async (node: string, retry = 0): Promise<number | null> =>
  (await script("pre", node, retry, "landed", 3)).code;
const elect = async (...words: (string | number)[]): Promise<number | null> => (await script("elect", ...words)).code;
const event = (kind: string, cluster: number, text: string): string =>
  `${kind} (${String(cluster).padStart(3, "0")}.000.000) 2026-11-15 10:00:00 ${text}\n...\n`;
const submitted = (cluster: number, node = "landing"): string =>
  event("000", cluster, `Job submitted from host: <1>\n    DAG Node: ${node}`);
const executed = (cluster: number, site: string | null): string =>
  event("001", cluster, `Job executing on host: <1>${site === null ? "" : `\n\tGLIDEIN_CMSSite = "${site}"`}`);
const ended = (cluster: number, how = "(1) Normal termination (return value 0)"): string =>
  event("005", cluster, `Job terminated.\n\t${how}`);
const ran = (cluster: number, site: string | null, how?: string): string =>
  submitted(cluster) + executed(cluster, site) + ended(cluster, how);
const log = (text: string): void => writeFileSync(inUnit("group.log"), text);

describe("a landing that ended well", () => {
  test("pins the unit to its site before the first job that follows, keeps other lines, and says so once", async () => {
    log(ran(38, "T2_XX_Alpha"));
    const nodes = Array.from({ length: 12 }, (_, index) => `proc_${String(index).padStart(6, "0")}`);
    expect(new Set(await Promise.all(nodes.map((node) => pre(node))))).toEqual(new Set([0]));
    expect(inc()).toBe('My.DESIRED_Sites = "T2_XX_Alpha"\nproc_000000_memory = 3072\n# end\n');
    const elected = { node: "landing", cluster: 38, decision: "done", site: "T2_XX_Alpha" };
    expect(ledger()).toMatchObject([{ ...elected, retry: 0, maxRetries: 3, reason: "elected T2_XX_Alpha" }]);
  });

  test("is made good if whoever came first was killed before its line", async () => {
    log(ran(38, "T2_XX_Alpha"));
    await pre("proc_000000");
    const [line] = ledger();
    rmSync(inUnit("ledger.jsonl"));
    expect(await pre("proc_000001")).toBe(0);
    expect(ledger()).toEqual([line]);
  });

  test("counts by its last execution; other jobs do not; a missing group.inc is made", async () => {
    log(
      ran(5, "T2_A") +
        submitted(1005) +
        executed(1005, "T2_B") +
        executed(5, "T2_C") +
        submitted(1006, "landing_2") +
        executed(1006, "T2_D") +
        executed(1005, "T2_E") +
        ended(1005),
    );
    rmSync(inUnit("group.inc"));
    expect(await pre("proc_000000")).toBe(0);
    expect(inc()).toBe('My.DESIRED_Sites = "T2_E"\n');
    expect(ledger()).toMatchObject([{ cluster: 1005 }]);
  });

  test("of an engine without sites keeps group.inc, and so does one whose log is gone", async () => {
    const before = inc();
    log(ran(38, null));
    expect(await pre("proc_000000")).toBe(0);
    rmSync(inUnit("group.log"));
    rmSync(inUnit("landing.post.json"));
    expect(await pre("proc_000000")).toBe(0);
    expect(inc()).toBe(before);
    expect(ledger()).toMatchObject([
      { cluster: 38, site: null },
      { cluster: -1, decision: "done" },
    ]);
  });

  test.each(['T2_XX\\"\nqueue 100', "$(touch owned)", "a b", 'T2" && true'])(
    "at a site called %j elects nothing, and nothing runs",
    async (site) => {
      const before = inc();
      log(ran(38, site));
      expect([await pre("proc_000000"), await pre("proc_000001")]).toEqual([42, 42]);
      expect(inc()).toBe(before);
      expect(ledger()).toMatchObject([{ decision: "stop", site: null }]);
      expect(existsSync(join(unit.dir, "mg_000000/owned"))).toBe(false);
    },
  );

  test("is looked up again when its unit moved: the verdict of before went with it", async () => {
    log(ran(38, "T2_XX_Alpha"));
    await pre("proc_000000");
    appendFileSync(inUnit("ledger.jsonl"), '{"event":"moved","at":"x","avoidSites":["T2_XX_Alpha"],"only":null}\n');
    rmSync(inUnit("landing.post.json"));
    expect(await elect("landing", 0, 3)).toBe(0);
    appendFileSync(inUnit("group.log"), ran(50, "T2_XX_Beta"));
    expect(await pre("proc_000000")).toBe(0);
    expect(inc()).toContain('My.DESIRED_Sites = "T2_XX_Beta"');
    expect(ledger().filter(({ node }) => node === "landing")).toMatchObject([
      { cluster: 38 },
      { cluster: 50, retry: 0 },
    ]);
  });
});

describe("a landing that failed", () => {
  const signaled = "(0) Abnormal termination (signal 9)";
  test("gets its verdict before the next try, once, and elects nothing", async () => {
    log(ran(38, "T2_XX_Alpha", signaled));
    expect([await elect("landing", 1, 3), await elect("landing", 1, 3)]).toEqual([0, 0]);
    appendFileSync(inUnit("group.log"), ran(39, "T2_XX_Beta", "(1) Normal termination (return value 15)"));
    expect(await elect("landing", 2, 3)).toBe(0);
    appendFileSync(inUnit("group.log"), submitted(40) + event("009", 40, "Job was aborted.\n\tvia condor_rm"));
    expect(await elect("landing", 3, 3)).toBe(0);
    expect(inc()).toContain('My.DESIRED_Sites = "T2_XX_Alpha,T2_XX_Beta"');
    expect(ledger()).toMatchObject([
      { cluster: 38, return: -9, retry: 0, decision: "retry" },
      { cluster: 39, return: 15, retry: 1, decision: "retry" },
      { cluster: 40, return: -1002, retry: 2, decision: "retry" },
    ]);
    appendFileSync(inUnit("group.log"), ran(41, "T2_XX_Beta"));
    expect(await pre("proc_000000")).toBe(0);
    expect(ledger().at(-1)).toMatchObject({ cluster: 41, retry: 3, decision: "done", rrn: 3 });
  });

  test("could not even be submitted: told as that, once", async () => {
    rmSync(inUnit("group.log"));
    expect([await elect("landing", 1, 3), await elect("landing", 1, 3)]).toEqual([44, 44]); // It cools off.
    expect(await elect("landing", 2, 3)).toBe(44);
    expect(ledger()).toMatchObject([
      { cluster: -1, retry: 0, cause: "submit_failed" },
      { cluster: -1, retry: 1, cause: "submit_failed" },
    ]);
  });

  test("waits if its verdict says so, and is not tried again if that is the last word", async () => {
    policy({ fixed_delay_sec: 3600 });
    log(ran(38, "T2_XX_Alpha", "(1) Normal termination (return value 15)"));
    expect([await elect("landing", 1, 3), await elect("landing", 1, 3)]).toEqual([44, 44]);
    expect(ledger()).toHaveLength(1);
    policy({}, { handlers: [{ name: "never", exit_codes: [15], action: "stop" }] });
    log(ran(39, "T2_XX_Alpha", "(1) Normal termination (return value 15)"));
    expect(await elect("landing", 2, 3)).toBe(42);
    expect(ledger().at(-1)).toMatchObject({ cluster: 39, decision: "stop" });
  });

  test("at its last try gets its verdict when the unit has failed; a job that was removed with its run gets none", async () => {
    log(ran(38, "T2_XX_Alpha", signaled));
    expect((await script("unit", 1)).code).toBe(1);
    expect(ledger()).toEqual([]); // Something else ended the unit.
    writeFileSync(inUnit("group.dag.rescue001"), "# Nodes that failed: 1\n#   landing,<ENDLIST>\n");
    expect((await script("unit", 1)).code).toBe(1);
    expect((await script("unit", 1)).code).toBe(1);
    expect(ledger()).toMatchObject([{ cluster: 38, return: -9, decision: "stop", why: "run-retries" }]);
    appendFileSync(inUnit("group.log"), submitted(40) + event("009", 40, "Job was aborted.\n\tvia condor_rm"));
    expect(await elect("landing", 0, 3)).toBe(0); // The run was stopped, and goes on.
    expect(ledger()).toHaveLength(1);
  });
});
