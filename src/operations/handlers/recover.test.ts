import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { generation, makeWorld } from "../../../tests/support/world.ts";
import type { RequestName } from "../../core/names.ts";
import { type RecoverWanted, USUAL_RECOVERY } from "../../core/recover.ts";
import type { AttemptRecord } from "../../recovery/ledger-record.ts";

/** Recovery by command, by the loop, and by what people remember: real store, directories and loop, scripted engine. */
let world: Awaited<ReturnType<typeof makeWorld>>;
let name: RequestName;
const ann = { actor: "ann", dryRun: false, version: null };
const passes = async (count = 5) => {
  for (let pass = 0; pass < count; pass++) await world.pass();
};
const OOM = { cause: "oom", exitCode: 50660, memoryMb: 2000, wallMinutes: 60, cores: 1 } as const;
type Failure = Partial<AttemptRecord>;

async function submitted(over: object = {}): Promise<void> {
  name = await world.submit(generation("r", 3, over as Record<string, unknown>));
  await passes();
}
/** Units fail as told, one after another; the others finish, and the run ends. */
async function ends(...failures: Failure[]): Promise<void> {
  for (const how of failures) world.engine.fail(1, how);
  world.engine.finish(world.storageDir);
  await passes(4);
}
const recover = (over: Partial<RecoverWanted> = {}, dryRun = false) =>
  world.commands.recover(name, { ...USUAL_RECOVERY, reason: "they need more", ...over }, { ...ann, dryRun });
const submitDir = async () =>
  (await world.store.dags.get((await world.workflow(name)).currentDagId ?? ("" as never)))?.submitDir ?? "";
const include = async (unit: string) => readFileSync(join(await submitDir(), unit, "group.inc"), "utf8");
const audited = async (action: string) =>
  (await world.store.audit.list({ subject: name, limit: 100 })).items.filter((entry) => entry.action === action);

beforeEach(async () => {
  world = await makeWorld();
});

describe("wms2 recover", () => {
  test("of a held request: who qualifies runs again with more, the others stay; asked again, nothing is done twice", async () => {
    await submitted();
    await ends(OOM, { cause: "exit", exitCode: 7, category: "permanent" }, { cause: "node_lost", exitCode: -1003 });
    await world.expectStatus(name, "held");
    const before = await world.request(name);
    expect(await recover({}, true)).toMatchObject({
      kind: "would",
      recovery: { counts: { raise: 1, again: 1, unknown: 1 } },
    });
    expect(await world.request(name)).toEqual(before);
    expect(await recover()).toMatchObject({ kind: "done", message: expect.stringContaining("1 job with more memory") });
    expect(await recover()).toMatchObject({ kind: "already" });
    await passes();
    await world.expectStatus(name, "active");
    expect(await include("mg_000000")).toContain("proc_000000_memory = 3000\n");
    expect(await include("mg_000001")).not.toContain("proc_000002_memory");
    // Its failure was one that a rescue may run again: not this one.
    const left = join(await submitDir(), "mg_000001", "proc_000002.stopped");
    expect(readFileSync(left, "utf8")).toContain("others were chosen");
    await world.ports.spool.letRun(await submitDir(), "mg_000001", []);
    expect(existsSync(left)).toBe(false);
    const dag = (await world.workflow(name)).currentDagId ?? ("" as never);
    const note = (await world.store.dags.history(dag)).find(({ type }) => type === "rescue")?.detail;
    expect(note).toMatchObject({
      units: ["mg_000000", "mg_000002"],
      by: "ann",
      reason: expect.stringContaining("recover: they need more"),
    });
  });

  test("only the chosen ones; a name that did not fail refuses all", async () => {
    await submitted();
    await ends(OOM, OOM, OOM);
    expect(await recover({ only: ["mg_000001", "nobody"] })).toMatchObject({ kind: "refused" });
    expect(await recover({ only: ["mg_000001"] })).toMatchObject({ kind: "done" });
    expect((await world.request(name)).wish?.detail).toMatchObject({ epochOf: { mg_000001: ["proc_000002"] } });
  });

  test("while others run: those that failed so far, once the run has ended", async () => {
    await submitted();
    world.engine.fail(1, OOM);
    await passes(1);
    await world.expectStatus(name, "active");
    expect(await recover()).toMatchObject({ kind: "done", message: expect.stringContaining("when the run has ended") });
    await passes(1);
    await world.expectStatus(name, "active");
    expect((await world.request(name)).waiting?.details).toEqual([
      "the resubmit that ann asked for follows when the run ends",
    ]);
    const others = { action: "resubmit", reason: "now", nodes: ["mg_000002/proc_000004"] } as const;
    expect(await world.commands.act(name, others, ann)).toMatchObject({
      kind: "refused",
      problems: [{ message: expect.stringContaining("has not failed: it runs, or waits to") }],
    });
    await ends();
    await world.expectStatus(name, "active");
    expect(world.engine.submitted.at(-1)?.toRun).toEqual(["mg_000000"]);
    expect(await include("mg_000000")).toContain("proc_000000_memory = 3000\n");
    await ends();
    await world.expectStatus(name, "completed");
  });

  test("nothing to recover says so and does nothing", async () => {
    await submitted();
    expect(await recover()).toMatchObject({ kind: "nothing", message: "nothing to recover: no job has failed" });
    await ends({ cause: "exit", exitCode: 7 }, { ...OOM, memoryMb: 3000 }, OOM);
    const before = await world.request(name);
    expect(await recover({ only: ["mg_000000", "mg_000001"] })).toMatchObject({
      kind: "nothing",
      message: "nothing to recover; left alone: 1 at the ceiling, 1 for other reasons",
    });
    expect(await world.request(name)).toEqual(before);
    await world.commands.act(name, { action: "abort", reason: "enough" }, ann);
    await passes(2);
    expect(await recover()).toMatchObject({ kind: "refused" });
  });
});

describe("recovery.auto", () => {
  test("recovers by itself, each time with a reason, as often as it may; then it is held", async () => {
    await submitted({ recovery: { auto: true, max_rescues: 2 } });
    for (const memoryMb of [1000, 1500]) {
      await ends({ ...OOM, memoryMb }, { ...OOM, memoryMb }, { ...OOM, memoryMb });
      await world.expectStatus(name, "active");
      expect(await include("mg_000000")).toContain(`proc_000000_memory = ${memoryMb * 1.5}\n`);
    }
    await ends({ ...OOM, memoryMb: 2250 }, { ...OOM, memoryMb: 2250 });
    await world.expectStatus(name, "held");
    expect((await world.request(name)).hold?.message).toContain("it recovered by itself 2 of 2 times");
    expect((await audited("recover")).map(({ reason }) => reason)).toEqual([
      expect.stringContaining("(2 of 2 by itself)"),
      expect.stringContaining("recovered: 3 jobs with more memory (1 of 2 by itself); else held: 3 of 3 units failed"),
    ]);
    const { lines } = await world.ports.spool.ledger(await submitDir(), "mg_000000");
    expect(lines.flatMap((line) => (line.event === "epoch" && "epoch" in line ? line.epoch : []))).toEqual([1, 2]);
    expect(await recover()).toMatchObject({ kind: "done" });
  });

  test("is not asked for: it is held", async () => {
    await submitted();
    await ends(OOM, OOM, OOM);
    await world.expectStatus(name, "held");
    expect(await audited("recover")).toEqual([]);
  });
});

describe("failures alike", () => {
  const UNKNOWN = { cause: "exit", exitCode: 3, decision: "unclassified", why: "unclassified" } as const;
  /** Three that no rule knows: two of them alike. */
  async function unclassified(): Promise<readonly string[]> {
    await submitted({ recovery: { pending_classification: true } });
    const [dir, logs] = [
      await submitDir(),
      ["license 17 refused at /a/b", "license 4711 refused at /c", "no muons found"],
    ];
    for (const [at, log] of logs.entries())
      writeFileSync(join(dir, `mg_00000${at}`, `proc_00000${2 * at}.${at + 1}.err`), `working\n${log}\n`);
    await ends(UNKNOWN, UNKNOWN, UNKNOWN);
    await world.expectStatus(name, "held");
    return ((await world.commands.failureGroups(name))?.groups ?? []).map(({ key }) => key);
  }
  const policy = async () => JSON.parse(readFileSync(join(await submitDir(), "policy.json"), "utf8"));
  const said = (group: string, action: "retry" | "fail") => [{ group, action, changes: {}, reason: "seen at night" }];
  const classify = (group: string, action: "retry" | "fail", by: Partial<typeof ann> = {}, remember = true) =>
    world.commands.classify(name, said(group, action), { ...ann, ...by }, remember);

  test("are one decision, which is remembered once, told to the runs to come, and can be withdrawn", async () => {
    const [license = "", muons = ""] = await unclassified();
    const { groups = [] } = (await world.commands.failureGroups(name)) ?? {};
    expect(groups).toMatchObject([
      { failures: 2, unclassified: 2, exitCode: 3, lines: ["license <n> refused at <path>"] },
      { failures: 1, lines: ["working", "no muons found"] },
    ]);
    expect(await classify(license, "retry", { dryRun: true })).toMatchObject({
      kind: "would",
      open: 1,
      rules: [{ outcome: "would" }],
    });
    expect(await world.commands.rules()).toEqual([]);
    const [first, second] = await Promise.all([
      classify(license, "retry"),
      classify(license, "retry", { actor: "bob" }),
    ]);
    expect([first, second].map((one) => "rules" in one && one.rules[0]?.outcome).sort()).toEqual([
      "already",
      "remembered",
    ]);
    const [rule] = await world.commands.rules();
    expect(rule).toMatchObject({
      action: "retry",
      exitCode: 3,
      stderr: "license\\s+.*\\s+refused\\s+at",
      requestName: name,
    });
    expect(await classify(license, "fail")).toMatchObject({ kind: "refused" });
    expect(await classify(muons, "fail", {}, false)).toMatchObject({ kind: "done", open: 0, rules: [] });
    await passes();
    await world.expectStatus(name, "active");
    // The run that goes on knows it, and so does the next one.
    expect((await policy()).remembered).toMatchObject([{ id: rule?.id, action: "retry", max_retries: 3 }]);
    name = await world.submit(generation("later", 1));
    await passes();
    expect((await policy()).remembered).toHaveLength(1);
    expect(await world.commands.forgetRule(rule?.id ?? "", "no more", ann)).toMatchObject({ id: rule?.id });
    expect(await world.commands.forgetRule(rule?.id ?? "", "no more", ann)).toBeNull();
    name = await world.submit(generation("last", 1));
    await passes();
    expect(await policy()).not.toHaveProperty("remembered");
  });

  test("a group nobody waits in, and a log that says nothing to remember", async () => {
    const [license = ""] = await unclassified();
    expect(await classify("0123456789", "retry")).toMatchObject({
      kind: "refused",
      problems: [{ message: "group 0123456789 does not wait for a classification" }],
    });
    writeFileSync(join(await submitDir(), "mg_000002", "proc_000004.3.err"), "17\n");
    const one = [{ node: "mg_000002/proc_000004", action: "fail" as const, changes: {}, reason: "who knows" }];
    expect(await world.commands.classify(name, one, ann, true)).toMatchObject({
      kind: "refused",
      problems: [{ message: expect.stringContaining("does not say enough") }],
    });
    expect(await classify(license, "retry", {}, false)).toMatchObject({ kind: "done" });
  });
});
