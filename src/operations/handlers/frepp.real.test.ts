import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { facts, request } from "../../../tests/support/decide-facts.ts";
import { makeFreppSite } from "../../../tests/support/frepp-site.ts";
import { due, fillFacts, inShort, NOW, sampleRow } from "../../../tests/support/sample-segments.ts";
import { toEnd } from "../../core/base/slices.ts";
import type { NodeRow } from "../../core/segments.ts";
import { kindOf } from "../../kinds/kind.ts";
import { planFill } from "../../kinds/segments/plan-fill.ts";
import { decideFill } from "../../loop/decide-fill.ts";
import type { Decision } from "../../loop/decision.ts";
import { gatherFill } from "../../loop/gather-fill.ts";
import { lookAtTransfers } from "../../loop/look-at-transfers.ts";
import type { PassWork } from "../../loop/ports.ts";
import { settleProducts } from "../../loop/settle-products.ts";
import { exportState, importState } from "./frepp-state.ts";
import { retryTransfers, transfers } from "./frepp-transfers.ts";

let site: Awaited<ReturnType<typeof makeFreppSite>>;
beforeEach(async () => {
  site = await makeFreppSite();
});
const ann = { actor: "ann", dryRun: false };
const imported = (more: { repair?: boolean; theirs?: boolean; dryRun?: boolean } = {}) => {
  const { repair = false, theirs = false, dryRun = false } = more;
  return importState(site.ports, site.name, { directory: site.state, repair, theirs }, { ...ann, dryRun });
};
const exported = (ours = false) => exportState(site.ports, site.name, { directory: site.state, ours }, ann);
const states = async (): Promise<Record<string, string>> =>
  Object.fromEntries([...(await site.rows())].map(([id, { state }]) => [id, state]));

describe("state files", () => {
  test("a dry run changes nothing; then they are rows, and going back gives the same directory", async () => {
    for (const [file, text] of Object.entries({ "0005": "OK\n", "0010": "ERROR\n", "0015": "FATAL\n", "0020": "77\n" }))
      site.stateFile(`atmos.${file}`, text);
    site.stateFile("README", "not one of them");
    const before = site.directory();
    expect(await imported({ dryRun: true })).toMatchObject({ kind: "would", others: ["README"] });
    expect(await states()).toEqual({});
    site.makes("pp/atmos/ts-monthly-5y/0006-0010.nc");
    expect(await imported()).toMatchObject({ kind: "done", moved: [] });
    expect(await states()).toEqual({
      [due(5)]: "done",
      [due(10, 5)]: "done",
      [due(10)]: "failed",
      [due(15)]: "held",
      [due(20, 5)]: "elsewhere",
      [due(20, 10)]: "elsewhere",
      [due(20)]: "elsewhere",
    });
    expect(await exported()).toMatchObject({ kind: "done", moved: [] });
    expect(site.directory()).toEqual(before);
    const audit = await site.ports.store.audit.list({ subject: site.name, limit: 9 });
    expect(audit.items).toMatchObject([{ action: "import-state", actor: "ann" }]);
  });

  test("what is done here is told there; a file that somebody wrote since is a conflict", async () => {
    site.stateFile("atmos.0005", "ERROR\n");
    await imported();
    const [row] = [...(await site.rows()).values()] as [NodeRow];
    await site.write([{ ...row, state: "done" }]);
    site.stateFile("atmos.0005", "123\n", -1);
    expect(await exported()).toMatchObject({ lines: [{ file: "atmos.0005", action: "conflict" }] });
    expect(site.directory()).toEqual({ "atmos.0005": "123\n" });
    await exported(true);
    expect(site.directory()).toEqual({ "atmos.0005": "OK\n" });
  });

  test("one writer at a time: who comes second is told who the first one is", async () => {
    site.stateFile("atmos.0005", "ERROR\n");
    await imported();
    const [row] = [...(await site.rows()).values()] as [NodeRow];
    await site.write([{ ...row, state: "done" }]);
    const lock = {
      token: "t",
      pid: 1,
      startedTicks: "0",
      bootId: "b",
      host: "elsewhere",
      since: "2026-11-16T11:00:00Z",
    };
    writeFileSync(join(site.state, ".wms2-state.lock"), JSON.stringify(lock));
    await expect(exported()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("elsewhere") });
    expect(readFileSync(join(site.state, "atmos.0005"), "utf8")).toBe("ERROR\n");
  });

  test("a directory that is not there, or is not absolute, is refused", async () => {
    const nowhere = importState(site.ports, site.name, { directory: "/nowhere/x", repair: false, theirs: false }, ann);
    await expect(nowhere).rejects.toMatchObject({ code: "files-unreachable" });
    const relative = { directory: "state", repair: false, theirs: false };
    expect(await importState(site.ports, site.name, relative, ann)).toMatchObject({ kind: "refused" });
  });
});

describe("a job id of frepp", () => {
  /** What a fill of the first ten years would do, and what the loop notes of it. */
  async function filled() {
    const request = (await site.ports.store.requests.get(site.name))!;
    const workflow = await site.ports.store.workflows.forRequest(site.name);
    const choice = { component: null, from: null, to: 11 * 12, mode: "failed", recurse: true } as const;
    const { products } = kindOf(site.ports.kinds, request.spec.work);
    const { plan, learned, notices } = await gatherFill(site.ports, products!, request, workflow, choice);
    await site.write(learned);
    return { ...inShort(plan), notices };
  }
  beforeEach(async () => {
    site.stateFile("atmos.0005", "4711\n");
    await imported();
  });

  test("case 16: alive: what needs it waits for it, and nothing is submitted", async () => {
    site.says("queue", "4711 PENDING 2026-11-16T10:00:00Z\n");
    site.says("accounting", "");
    const { actions, obstacles } = await filled();
    expect(actions).toEqual([`make ${due(10, 5)}`]);
    expect(obstacles).toContain(`elsewhere ${due(5)}`);
    expect(obstacles).toContain(`blocked ${due(10)} ${due(5)}`);
  });

  test("case 17: gone by queue and accounting: lost, made here, and no execution is spent", async () => {
    site.says("queue", "12 RUNNING\n");
    site.says("accounting", "4711|NODE_FAIL|2026-11-16T10:00:00Z\n");
    expect((await filled()).actions).toContain(`retry ${due(5)}`);
    expect((await site.rows()).get(due(5))).toMatchObject({ state: "lost", losses: 1, executions: 0, job: null });
  });

  test("gone, and its outputs are there: frepp made it", async () => {
    site.says("queue", "");
    site.says("accounting", "4711|COMPLETED\n");
    site.makes("pp/atmos/ts-monthly-5y/0001-0005.nc");
    expect((await filled()).actions).toEqual([`make ${due(10, 5)}`, `make ${due(10)} ${due(10, 5)}`]);
    expect((await site.rows()).get(due(5))).toMatchObject({ state: "done" });
  });

  test.each([
    ["fails", () => {}, "ended with 1"],
    ["hangs", () => site.hang(), "took longer than 3 s"],
    ["talks nonsense", () => site.says("queue", "error: slurmctld is not responding\n"), "no list of jobs"],
  ])("case 18: the queue %s: nobody knows, and nothing is submitted for it", async (_, trouble, notice) => {
    trouble();
    site.says("accounting", "4711|FAILED\n");
    const { actions, obstacles, notices } = await filled();
    expect(actions).not.toContain(`retry ${due(5)}`);
    expect(obstacles).toContain(`unknown ${due(5)}`);
    expect(notices.join()).toContain(notice);
  });

  test("many are asked about in one call", async () => {
    site.stateFile("atmos.0010", "4712\n");
    await imported();
    site.says("queue", "4711 RUNNING\n4712 RUNNING\n");
    site.says("accounting", "");
    expect((await filled()).obstacles).toContain(`elsewhere ${due(10)}`);
    expect(site.calls("queue")).toEqual(["4712,4711"]);
  });
});

describe("transfers", () => {
  const file = "CM5.o99.output.stager.00130101.H.args";
  const text = (failed: number): string =>
    `set actionSaveOn = 1\nset actionXferOn = 1\nset actionSaveOk = 1\nset xferRetries = 6\n${"@ xferRetry++\n".repeat(failed)}`;
  const retried = (force: boolean, dryRun = false) =>
    retryTransfers(site.ports, site.name, { segments: ["0013"], force, reason: "quota raised" }, { ...ann, dryRun });

  // It is on its way.
  beforeEach(() => rmSync(join(site.archive, "00130101.nc.tar")));

  /** What the loop would do about everything that is due, or about what was asked for. */
  async function filled() {
    const request = (await site.ports.store.requests.get(site.name))!;
    const workflow = await site.ports.store.workflows.forRequest(site.name);
    const { products } = kindOf(site.ports.kinds, request.spec.work);
    return gatherFill(site.ports, products!, request, workflow);
  }

  test("a lock is passed by no fill and no sweep while its job lives, or nobody can tell; a stale one is removed", async () => {
    site.argumentFile(file, text(1));
    site.argumentFile(`${file}.lock`, "", 600);
    const transfer = "transfer history/0013";
    const unknown = inShort((await filled()).plan);
    expect(unknown.actions).not.toContain(transfer);
    expect(unknown.obstacles).toContain("unknown history/0013");
    site.says("named", "4711 RUNNING\n");
    const { plan } = await filled();
    expect(inShort(plan).actions).not.toContain(transfer);
    expect(inShort(plan).obstacles).toContain(`blocked ${due(15)} history/0013`);
    expect(plan.obstacles.find(({ node }) => node === "history/0013")?.reason).toBe(
      "frepp's stager has it: job 4711 has it",
    );
    site.says("named", "");
    const stale = await filled();
    expect(stale.plan.actions.find(({ node }) => node === "history/0013")?.reason).toContain("its lock is removed");
    const planning = facts({ request: { ...request("planning"), spec: (await site.request()).spec } });
    const decision = decideFill(planning, stale, NOW);
    expect(decision).toMatchObject({ kind: "settle-products", locks: [{ id: "history/0013" }] });
    await settleProducts(site.ports as PassWork, planning, decision as Extract<Decision, { kind: "settle-products" }>);
    expect(readdirSync(site.args)).toEqual([file]);
    expect(site.logged.join()).toContain("transfer.lock-removed");
  });

  test("only what was announced is tried, whatever else is due", async () => {
    for (const date of ["0014", "0015"]) rmSync(join(site.archive, `${date}0101.nc.tar`));
    await site.write([sampleRow("history/0013", "failed", { transfers: 1, version: 0 })]);
    expect(await retried(false)).toMatchObject({ items: [{ segment: "0013", action: "retry" }] });
    expect(inShort((await filled()).plan).actions).toEqual(["transfer history/0013"]);
    const other = { segments: ["0013"], force: true, reason: "x" };
    await site.write([sampleRow("history/0014", "failed", { version: 0 })]);
    expect(await retryTransfers(site.ports, site.name, { ...other, segments: ["0014"] }, ann)).toMatchObject({
      kind: "refused",
      problems: [{ message: expect.stringContaining("ann asked for another fill") }],
    });
  });

  test("what has arrived is left alone", async () => {
    await site.write([sampleRow("history/0014", "failed", { transfers: 1, version: 0 })]);
    const wanted = { segments: ["0014"], force: true, reason: "x" };
    expect(await retryTransfers(site.ports, site.name, wanted, ann)).toMatchObject({
      items: [{ action: "leave", reason: "it is done" }],
    });
  });

  test("are shown by segment, with counters, locks and when they are tried next", async () => {
    site.argumentFile(file, text(2), 30);
    site.argumentFile("CM5.o99.output.stager.00140101.R.args", text(7));
    site.argumentFile("CM5.o99.output.stager.00140101.R.args.lock", "", 2);
    await site.write([sampleRow("history/0015", "held", { transfers: 3, reason: "no route", version: 0 })]);
    site.says("named", "");
    const items = [
      { segment: "0013", output: "history", state: "waiting", transfers: { failed: 2, limit: 6 }, left: ["transfer"] },
      { segment: "0014", output: "restart", state: "used-up", lock: "held" },
      { segment: "0015", output: "history", state: "held", reason: "no route", file: null },
    ];
    expect(await transfers(site.ports, site.name)).toMatchObject({ kind: "found", items });
  });

  test("case 23: a stale lock goes, is logged, and the transfer is tried; a young one is left alone", async () => {
    site.argumentFile(file, text(1));
    site.argumentFile(`${file}.lock`, "", 2);
    site.says("named", "");
    expect(await retried(false)).toMatchObject({ items: [{ action: "leave", removesLock: false }] });
    site.argumentFile(`${file}.lock`, "", 20);
    expect(await retried(false, true)).toMatchObject({
      kind: "would",
      items: [{ action: "retry", removesLock: true }],
    });
    expect(existsSync(join(site.args, `${file}.lock`))).toBe(true);
    expect(await retried(false)).toMatchObject({ kind: "done", items: [{ action: "retry" }] });
    expect(readdirSync(site.args)).toEqual([file]);
    expect(site.logged.join()).toContain("transfer.lock-removed");
    expect((await site.rows()).get("history/0013")).toMatchObject({ state: "failed", transfers: 1, retryAt: null });
    expect(site.calls("named")[0]).toContain("CM5.o99.output.stager.00130101.HT");
  });

  test("a lock whose owner is queued, or that nobody can ask about, is left alone", async () => {
    site.argumentFile(file, text(1));
    site.argumentFile(`${file}.lock`, "", 600);
    expect(await retried(true)).toMatchObject({ items: [{ action: "leave" }] });
    site.says("named", "88 RUNNING\n");
    expect(await retried(true)).toMatchObject({ items: [{ action: "leave", reason: "job 88 has it" }] });
  });

  test("case 24: past the limit it is held; --force tries once, and what failed stays counted", async () => {
    site.argumentFile(file, text(7));
    await site.write((await lookAtTransfers(site.ports, site.work, await site.rows())).held);
    expect((await site.rows()).get("history/0013")).toMatchObject({ state: "held", transfers: 7 });
    expect(await retried(false)).toMatchObject({ items: [{ action: "leave" }] });
    expect(await retried(true)).toMatchObject({ items: [{ action: "retry" }] });
    expect((await site.rows()).get("history/0013")).toMatchObject({ state: "failed", transfers: 7, retryAt: null });
    // The next look does not hold it again: one try is what was asked for.
    expect((await lookAtTransfers(site.ports, site.work, await site.rows())).held).toEqual([]);
    const wanted = fillFacts({
      work: site.work,
      rows: [...(await site.rows()).values()],
      without: { "0013": "absent" },
      now: NOW,
    });
    expect(inShort(toEnd(planFill(wanted))).actions).toContain("transfer history/0013");
    expect(readFileSync(join(site.args, file), "utf8")).toBe(text(7));
  });

  test("a segment that nobody knows of is refused", async () => {
    const wanted = { segments: ["0099"], force: false, reason: "x" };
    await expect(retryTransfers(site.ports, site.name, wanted, ann)).rejects.toMatchObject({ code: "bad-request" });
  });
});
