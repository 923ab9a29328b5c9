import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { RequestName } from "../../src/core/names.ts";
import type { AttemptRecord } from "../../src/recovery/ledger-record.ts";
import type { OperatorAction } from "../../src/recovery/round/actions.ts";
import { ask, type World } from "./active-request.ts";
import { experiment } from "./segment-stories.ts";
import { tempDir } from "./temp-dir.ts";
import { generation } from "./world.ts";

/** Requests of any kind, brought into any state by steps that are made up. */
export const NAME = "tale" as RequestName;
export const KIND_NAMES = ["generate", "process", "graph", "segments"] as const;
export type KindName = (typeof KIND_NAMES)[number];

export function documentOf(kind: KindName): Record<string, unknown> {
  const dir = tempDir("preview");
  if (kind === "generate") return JSON.parse(generation(NAME, 4));
  if (kind === "segments") return experiment(dir, NAME, { years: 4 }).document;
  if (kind === "graph") {
    const run = "true";
    const jobs = [
      { name: "a", run },
      { name: "b", run },
      { name: "c", run, after: "a" },
    ];
    return { name: NAME, kind, directory: dir, jobs, recovery: { max_rescues: 0 } };
  }
  mkdirSync(dir, { recursive: true });
  for (const at of [0, 1, 2, 3]) writeFileSync(join(dir, `f${at}.txt`), "x");
  return {
    ...{ name: NAME, kind, input: { files: join(dir, "*.txt") }, split: { by: "files", files_per_job: 1 } },
    ...{ unit: { jobs: 1 }, steps: [{ name: "s", run: ["/bin/true"] }], outputs: [{ name: "o", file: "o" }] },
  };
}

const HOW: Readonly<Record<string, Partial<AttemptRecord>>> = {
  goesAway: {},
  forGood: { decision: "stop", why: "row-stops", category: "permanent", exitCode: 8001, rule: null },
  unknown: { cause: "exit", exitCode: 3, category: null, decision: "unclassified", why: "unclassified" },
  memory: { cause: "oom", category: "transient", memoryMb: 1000, exitCode: 50660, rule: "too-much-memory" },
};
export type Step =
  | { readonly do: "pass" | "finish"; readonly count: number }
  | { readonly do: "fail"; readonly count: number; readonly how: string }
  | { readonly do: "act"; readonly action: OperatorAction; readonly how?: "rescue" | "next-round" }
  | { readonly do: "site"; readonly verb: "ban" | "drain" };
const count = fc.integer({ min: 1, max: 4 });
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("pass" as const, "finish" as const), count }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("fail" as const), count, how: fc.constantFrom(...Object.keys(HOW)) }),
  },
  fc.record({
    do: fc.constant("act" as const),
    action: fc.constantFrom<OperatorAction>("stop", "requeue", "resume", "release", "abort"),
  }),
  fc.record({ do: fc.constant("site" as const), verb: fc.constantFrom("ban" as const, "drain" as const) }),
);

/** Of the last run that goes on: jobs of a graph end by their lines, units with their files. */
export function inEngine({ engine, storageDir }: World, { count, how }: { count: number; how: string | null }): void {
  const [dagId, run] = [...engine.runs].findLast(([, { ended }]) => ended === null) ?? [];
  if (!dagId || !run) return;
  const open = run.units.filter((unit) => !run.done.has(unit) && !run.failed.has(unit));
  if (!open.some((unit) => unit.startsWith("job_"))) {
    if (how === null) engine.finish(storageDir, count);
    else engine.fail(count, HOW[how]);
    return;
  }
  for (const job of open.slice(0, count)) engine.endJob(dagId, job, how === null, how === null ? {} : HOW[how]);
  if (run.done.size + run.failed.size === run.units.length)
    engine.endRun(dagId, run.failed.size > 0 ? "failed" : "success");
}

export async function perform(world: World, steps: readonly Step[]): Promise<void> {
  for (const each of steps) {
    if (each.do === "act")
      await ask(world, NAME, { action: each.action, ...(each.action === "release" && each.how && { how: each.how }) });
    if (each.do === "finish") inEngine(world, { count: each.count, how: null });
    if (each.do === "fail") inEngine(world, each);
    if (each.do === "site") {
      const by = { actor: "bob", dryRun: false };
      if (each.verb === "drain") await world.commands.changeSite("north" as never, { status: "draining" }, by);
      else await world.commands.banSite("north" as never, { request: null, days: 1, reason: "broken" }, by);
    }
    for (let pass = 0; pass < (each.do === "pass" ? each.count : 1); pass += 1) await world.pass();
    world.wait(600);
  }
}
