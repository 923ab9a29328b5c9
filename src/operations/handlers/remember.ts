import { createHash } from "node:crypto";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Problem } from "../../core/problem.ts";
import type { RememberedRule } from "../../core/rule.ts";
import { isFound } from "../../core/stderr-pattern.ts";
import type { Work } from "../../loop/ports.ts";
import { type Likeness, patternOf } from "../../recovery/likeness.ts";
import { type FailedNode, placeOf } from "../../recovery/round/recover.ts";
import { logOf } from "./failure-groups.ts";
import type { By } from "./port.ts";
import type { PresentRun } from "./present-run.ts";
import type { KeptRule } from "./recovery-port.ts";

interface Wanted {
  readonly action: RememberedRule["action"];
  readonly reason: string;
  readonly waiting: FailedNode;
}

/** The rules that classifications come to: one for all failures alike, or why none can be made of them. */
export async function makeRules(
  ports: Work,
  run: PresentRun,
  wanted: readonly Wanted[],
  alike: ReadonlyMap<string, Likeness>,
  actor: string,
): Promise<Result<readonly RememberedRule[], readonly Problem[]>> {
  const rules = new Map<string, RememberedRule>();
  const problems: Problem[] = [];
  const standing = new Map((await ports.store.rules.list()).map((rule) => [rule.id, rule]));
  const seen = new Set<string>();
  for (const { action, reason, waiting } of wanted) {
    const path = placeOf(waiting);
    const likeness = alike.get(path);
    const once = `${likeness?.key} ${action}`;
    if (seen.has(once)) continue;
    seen.add(once);
    const stderr = likeness ? patternOf(likeness.lines) : null;
    if (!likeness || stderr === null || !isFound(stderr, await logOf(ports, run, waiting))) {
      const message = "cannot be remembered: its log does not say enough to know it by";
      problems.push({ path, message, allowed: "classify it without --remember, or write a row of a policy file" });
      continue;
    }
    const { cause, exitCode } = waiting.record;
    const match = { cause: cause ?? "exit", exitCode, stderr };
    const id = `rule-${createHash("sha256")
      .update(JSON.stringify(Object.values(match)))
      .digest("hex")
      .slice(0, 10)}`;
    const other = standing.get(id) ?? rules.get(id);
    if (other && other.action !== action) {
      const message = `${other.actor} remembered it as ${other.action} already: ${other.reason}`;
      problems.push({ path, message, allowed: `wms2 policy forget ${id}, then remember it` });
      continue;
    }
    const requestName = run.request.spec.name;
    const by = { requestName, actor, reason, createdAt: ports.clock.now() };
    rules.set(id, { id, action, ...match, lines: likeness.lines, ...by });
  }
  return problems.length > 0 ? err(problems) : ok([...rules.values()]);
}

/** Stored one by one: asked again after a crash, those that are there already stay as they are. */
export async function keepRules(
  { store }: Work,
  rules: readonly RememberedRule[],
  { dryRun, actor }: By,
): Promise<readonly KeptRule[]> {
  const kept: KeptRule[] = [];
  for (const rule of rules) {
    const answer = dryRun ? null : await store.rules.remember(rule);
    const outcome = answer === null ? "would" : answer.kind === "remembered" ? "remembered" : "already";
    if (outcome === "remembered") {
      const { id: subject, reason, createdAt: at, action, stderr } = rule;
      const entry = { at, actor, action: "remember", subject, reason, detail: { action, stderr } };
      await store.audit.add({ ...entry, outcome: "done" });
    }
    kept.push({ outcome, rule: answer?.rule ?? rule });
  }
  return kept;
}

/** Runs planned or rescued from now on know it no more. */
export async function forgetRule(
  { store, clock }: Work,
  id: string,
  reason: string,
  { dryRun, actor }: By,
): Promise<RememberedRule | null> {
  if (dryRun) return (await store.rules.list()).find((rule) => rule.id === id) ?? null;
  return store.transaction(async (tx) => {
    const rule = await tx.rules.forget(id);
    const entry = { at: clock.now(), actor, action: "forget", subject: id, reason, detail: { ...rule } };
    if (rule) await tx.audit.add({ ...entry, outcome: "done" });
    return rule;
  });
}
