import { describe, expect, test } from "vitest";
import { AWAY, attemptLine, DATA, failedLine } from "../../../tests/support/rounds.ts";
import type { SiteBan } from "../../core/dag.ts";
import type { SiteName, WorkflowId } from "../../core/names.ts";
import type { SiteCount } from "../round/counts.ts";
import { tallyRound, type UnitAttempts } from "../round/tally.ts";
import { checkBanByHand } from "./ban.ts";
import { type BanFacts, decideBans } from "./decide-bans.ts";

const CONFIG = { minFailures: 3, failureRatio: 0.5, durationDays: 7, promotionThreshold: 3 };
const NOW = new Date("2026-01-10T00:00:00Z");
const DAY = 86_400_000;
const days = (count: number) => new Date(NOW.getTime() + count * DAY);
const W = "w" as WorkflowId;
const site = (name: string) => name as SiteName;

const count = (name: string, blamed: number, nodes: number): SiteCount => ({
  site: name,
  attempts: nodes,
  nodes,
  failed: blamed,
  blamed,
  lastBlamedAt: "2026-01-09T12:00:00Z",
});
const ban = (over: Partial<SiteBan> = {}): SiteBan => ({
  id: "1",
  site: site("A"),
  workflowId: W,
  reason: "bad",
  evidence: { blamed: 4 },
  createdAt: days(-1),
  expiresAt: days(6),
  removedAt: null,
  removedBy: null,
  ...over,
});
const decide = (over: Partial<BanFacts>) => decideBans({ workflowId: W, sites: [], bans: [], ...over }, CONFIG, NOW);
const events = (decision: ReturnType<typeof decide>) =>
  decision.audit.map(({ event, site, workflowId }) => `${event} ${site} ${workflowId}`);

describe("a site is banned for a workflow", () => {
  test.each([
    [2, 2, 0],
    [3, 6, 0],
    [3, 5, 1],
    [3, 3, 1],
    [40, 100, 0],
    [51, 100, 1],
  ])("%i of %i nodes: %i bans", (blamed, nodes, bans) => {
    expect(decide({ sites: [count("A", blamed, nodes)] }).create).toHaveLength(bans);
  });
  test("for seven days, with its evidence and a line in the audit", () => {
    const decision = decide({ sites: [count("A", 4, 5)] });
    expect(decision.create[0]).toMatchObject({
      site: "A",
      workflowId: W,
      reason: "4 of 5 nodes that ran there failed through the site (80 %)",
      expiresAt: days(7),
      evidence: { blamed: 4 },
    });
    expect(events(decision)).toEqual(["banned A w"]);
  });
  test("once: an active ban of its own, or for all, is enough", () => {
    for (const workflowId of [W, null])
      expect(decide({ sites: [count("A", 4, 5)], bans: [ban({ workflowId })] }).create).toEqual([]);
    expect(decide({ sites: [count("A", 4, 5)], bans: [ban({ workflowId: "x" as WorkflowId })] }).create).toHaveLength(
      1,
    );
  });
  test("not again for old failures once a person lifted the ban", () => {
    const lifted = ban({ removedAt: days(-0.1), removedBy: "ann" });
    expect(events(decide({ sites: [count("A", 4, 5)], bans: [lifted] }))).toEqual(["not-banned A w"]);
    const before = ban({ removedAt: days(-0.9), removedBy: "ann" });
    expect(decide({ sites: [count("A", 4, 5)], bans: [before] }).create).toHaveLength(1);
  });
});

test("three workflows make it a ban for all, once", () => {
  const others = ["x", "y"].map((id) => ban({ id, workflowId: id as WorkflowId }));
  const decision = decide({ sites: [count("A", 4, 5)], bans: others });
  expect(decision.promote).toMatchObject([
    { site: "A", workflowId: null, reason: "3 workflows failed there through the site, each by itself" },
  ]);
  expect(events(decision)).toEqual(["banned A w", "promoted A null"]);
  expect(decide({ sites: [count("A", 4, 5)], bans: others.slice(1) }).promote).toEqual([]);
  const everywhere = ban({ id: "all", workflowId: null });
  expect(decide({ bans: [...others, ban(), everywhere] }).promote).toEqual([]);
  const lifted = { ...everywhere, removedAt: days(-0.5), removedBy: "ann" };
  expect(decide({ bans: [...others, ban(), lifted] }).promote).toEqual([]);
});

test("what a person banned for many is no word of many", () => {
  const byHand = ["x", "y", "z"].map((id) => ban({ id, workflowId: id as WorkflowId, evidence: { by: "ann" } }));
  expect(decide({ sites: [count("A", 4, 5)], bans: byHand }).promote).toEqual([]);
  expect(decide({ sites: [count("B", 4, 5)], bans: byHand }).promote).toEqual([]);
});

test("what fails alike everywhere bans nobody", () => {
  expect(decide({ sites: [count("A", 40, 50), count("B", 38, 50)] }).create).toEqual([]);
  expect(decide({ sites: [count("A", 40, 50), count("B", 3, 1168)] }).create).toMatchObject([{ site: "A" }]);
});

test("bans end by themselves, and that is noted under one key", () => {
  const old = ban({ expiresAt: days(-0.1) });
  const decision = decide({ bans: [old] });
  expect(events(decision)).toEqual(["expired A w"]);
  expect(decision.audit[0]?.key).toBe("expired 1");
  expect(decision.banned).toEqual([]);
  expect(decide({ bans: [old, ban({ id: "2", site: site("B") })] }).banned).toEqual(["B"]);
});

describe("whose fault it is", () => {
  const counts = (lines: UnitAttempts["lines"], state: UnitAttempts["state"] = "failed") =>
    tallyRound([{ unit: "mg_0", state, lines }]).sites.find(({ site }) => site === "A");
  const at = (node: string, over: object) => failedLine({ node, ...AWAY("A"), ...over });
  test("a node counts once, however often it was tried", () => {
    const lines = [1, 2, 3].map((cluster) => at("proc_0", { cluster, decision: cluster < 3 ? "retry" : "stop" }));
    expect(counts(lines)).toMatchObject({ attempts: 3, nodes: 1, failed: 1, blamed: 1 });
  });
  test("a node that got through there proves nothing against the site", () => {
    const lines = [at("proc_0", { decision: "retry" }), attemptLine({ node: "proc_0", site: "A" })];
    expect(counts(lines)).toMatchObject({ nodes: 1, failed: 0, blamed: 0 });
  });
  test("a node that got through elsewhere still does", () => {
    const lines = [at("proc_0", { decision: "stop" }), attemptLine({ node: "proc_0", site: "B" })];
    expect(counts(lines, "done")).toMatchObject({ nodes: 1, failed: 0, blamed: 1 });
  });
  test("landing jobs do no work: their success does not count, their failure does", () => {
    expect(counts([attemptLine({ node: "landing", site: "A" })])).toMatchObject({ attempts: 1, nodes: 0 });
    expect(counts([at("landing", {})])).toMatchObject({ nodes: 1, blamed: 1 });
  });
  test("the program and a file that is proved bad are not the site's fault", () => {
    expect(counts([at("proc_0", { category: "permanent" })])).toMatchObject({ failed: 1, blamed: 0 });
    const first = at("proc_0", { decision: "retry", files: ["/f"] });
    const second = failedLine({ node: "proc_0", site: "B", ...DATA("/f") });
    expect(counts([first, second])).toMatchObject({ failed: 0, blamed: 0 });
  });
});

test("people ban within reason", () => {
  const wanted = { site: "A", reason: "storage", days: 2 };
  expect(checkBanByHand(wanted, null)).toEqual([]);
  expect(checkBanByHand(wanted, [site("A")])).toEqual([]);
  expect(checkBanByHand(wanted, [site("B")])).toMatchObject([{ path: "site", message: "A is not known" }]);
  const wrong = checkBanByHand({ site: "x y", reason: " ", days: 0 }, null);
  expect(wrong.map(({ path }) => path)).toEqual(["site", "reason", "days"]);
});
