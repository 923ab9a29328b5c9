import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { NODE, type TestOutput, TestUnit } from "../../../../tests/support/payload-scratch.ts";
import { FACTS_FILE } from "../files.ts";

/** A site's own command brings files to the storage; what it brought is compared before it is believed. */

const units: TestUnit[] = [];
afterEach(() => {
  for (const unit of units.splice(0)) unit.remove();
});

const COPY = `#!/bin/sh
[ "$1" = --to ] && [ $# -eq 3 ] || exit 9
cp "$2" "$3" && echo "\${3##*/}" >>"$STAGED"
`;

function unitWith(facts: string, copy = COPY, output: Partial<TestOutput> = {}) {
  const steps = [{ name: "make", argv: ["sh", "-c", 'echo "$WMS2_NODE" >hits.csv'] }];
  const nodes = { proc_000000: NODE, proc_000001: NODE };
  const unit = new TestUnit(steps, [{ name: "hits", file: "hits.csv", ...output }], nodes);
  units.push(unit);
  unit.write("payload/copy", copy, 0o755);
  unit.write(FACTS_FILE, facts);
  const env = { WMS2_SITE: "T2_XX_Alpha", STAGED: unit.path("staged") };
  return { unit, work: (role: string, node: string) => unit.work(role, node, env) };
}
const OWN = "stage-out\t*\tfalse\nstage-out\tT2_XX_Alpha\t./copy\t--to\n";

describe("stage-out", () => {
  test.each([["concat"], ["none"]] as const)(
    "the site's command carries pieces and merged files (%s)",
    async (merge) => {
      const { unit, work } = unitWith(OWN, COPY, { merge });
      for (const node of ["proc_000000", "proc_000001"]) expect((await work("processing", node)).code).toBe(0);
      expect((await work("merge", "merge")).report).toMatchObject({ exitCode: 0 });
      const staged = unit.read("staged").trim().split("\n");
      expect(staged).toHaveLength(merge === "none" ? 4 : 3);
      if (merge === "concat")
        expect(readFileSync(unit.path("storage/merged/hits/mg_000000.csv"), "utf8")).toBe("proc_000000\nproc_000001\n");
      expect((await work("cleanup", "cleanup")).code).toBe(0);
    },
  );

  test.each([
    ["fails", "#!/bin/sh\necho no space >&2; exit 1\n", "no space"],
    ["brings something else", '#!/bin/sh\nprintf "xxxxxxxxxxx\\n" >"$3"\n', "another adler32"],
    ["brings nothing", "#!/bin/sh\n", "No such file"],
  ])("a command that %s is 60307", async (_what, copy, words) => {
    const { unit, work } = unitWith(OWN, copy);
    const { report } = await work("processing", "proc_000000");
    expect(report).toMatchObject({ exitCode: 60307, error: expect.stringContaining(words) });
    expect(() => unit.read("storage/unmerged/req/mg_000000/proc_000000.hits.csv")).toThrow();
  });

  test("a site that has none uses that for all others, and cp where there is none either", async () => {
    expect((await unitWith("stage-out\t*\t./copy\t--to\n").work("processing", "proc_000000")).code).toBe(0);
    const { unit, work } = unitWith("stage-out\tT2_XX_Beta\tfalse\n");
    expect((await work("processing", "proc_000000")).code).toBe(0);
    expect(() => unit.read("staged")).toThrow();
  });
});
