import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inc, inUnit, ledger, script, unit } from "../../../tests/support/checked-unit.ts";

describe("elect", () => {
  test("pins the unit to the site of the landing, keeps other lines, and says so", async () => {
    expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(0);
    expect(inc()).toBe('My.DESIRED_Sites = "T2_XX_Alpha"\nproc_000000_memory = 3072\n# end\n');
    expect(ledger()).toMatchObject([
      { node: "landing", decision: "done", site: "T2_XX_Alpha", reason: "elected T2_XX_Alpha" },
    ]);
    const before = inc();
    expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(0);
    expect(inc()).toBe(before);
    expect(ledger()).toHaveLength(1);
  });

  test("the last execution counts; other clusters do not; a missing group.inc is made", async () => {
    const at = (cluster: string, site: string) =>
      `001 (${cluster}.000.000) 2026-11-15 10:00:00 Job executing on host: <1>\n\tGLIDEIN_CMSSite = "${site}"\n...\n`;
    writeFileSync(
      inUnit("group.log"),
      at("1005", "T2_A") + at("005", "T2_B") + at("1005", "T2_C") + at("10050", "T2_D"),
    );
    rmSync(inUnit("group.inc"));
    expect((await script("elect", "landing", 0, 0, 3, 1005)).code).toBe(0);
    expect(inc()).toBe('My.DESIRED_Sites = "T2_C"\n');
    expect((await script("elect", "landing", 0, 0, 3, 5)).code).toBe(0);
    expect(inc()).toBe('My.DESIRED_Sites = "T2_B"\n');
  });

  test("an engine without sites keeps group.inc", async () => {
    const before = inc();
    writeFileSync(inUnit("group.log"), "001 (038.000.000) 2026-11-15 10:00:00 Job executing on host: local\n...\n");
    expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(0);
    rmSync(inUnit("group.log"));
    expect((await script("elect", "landing", 0, 0, 3, 39)).code).toBe(0);
    expect(inc()).toBe(before);
    expect(ledger()).toMatchObject([{ site: null }, { decision: "done" }]);
  });

  test.each(['T2_XX\\"\nqueue 100', "$(touch owned)", "a b", 'T2" && true'])(
    "a site called %j elects nothing",
    async (site) => {
      const before = inc();
      writeFileSync(inUnit("group.log"), `001 (038.000.000) x\n\tGLIDEIN_CMSSite = "${site}"\n...\n`);
      expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(1);
      expect(inc()).toBe(before);
      expect(ledger()).toMatchObject([{ decision: "retry", site: null }]);
      expect(existsSync(join(unit.dir, "mg_000000/owned"))).toBe(false);
    },
  );

  test("a landing that failed elects nothing, and is for the brain", async () => {
    expect((await script("elect", "landing", -1002, 0, 3, 37)).code).toBe(1);
    expect((await script("elect", "landing", 15, 3, 3, 38)).code).toBe(42);
    expect(inc()).toContain('My.DESIRED_Sites = "T2_XX_Alpha,T2_XX_Beta"');
    expect(ledger()).toMatchObject([
      { cause: "oom", exitCode: 50660, decision: "retry" },
      { cause: "exit", exitCode: 15, decision: "stop", why: "run-retries" },
    ]);
  });
});
