import type { RequestName } from "../../core/names.ts";
import type { Ports } from "../../loop/ports.ts";
import { replay } from "../../recovery/explain/replay.ts";
import { isAttempt } from "../../recovery/ledger-record.ts";
import { ledgerText } from "../../recovery/records.ts";
import { type Ruled, ruledBy } from "./policy-question.ts";
import { presentDag } from "./present-run.ts";

interface Replayed {
  readonly unit: string;
  readonly node: string;
  readonly cluster: number;
  readonly site: string | null;
  readonly exitCode: number;
  /** As the ledger has it. */
  readonly before: Ruled & { readonly at: string };
  /** By the policy in force, as if it ended at this moment. */
  readonly present: Ruled;
  readonly differs: boolean;
}
export interface ReplayCommands {
  /** The last attempt of a node of the present round, decided again with the policy in force. */
  replay(
    name: RequestName,
    wanted: { readonly unit: string; readonly node: string },
  ): Promise<
    | { readonly kind: "replayed"; readonly replayed: Replayed }
    | { readonly kind: "unknown-request" }
    /** There is nothing to decide again: why. */
    | { readonly kind: "nothing"; readonly message: string }
  >;
}

export async function replayLast(
  ports: Ports,
  name: RequestName,
  { unit: askedUnit, node: askedNode }: { readonly unit: string; readonly node: string },
): ReturnType<ReplayCommands["replay"]> {
  const request = await ports.store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  const nothing = (message: string) => ({ kind: "nothing" as const, message });
  const { dag } = await presentDag(ports.store, name);
  if (!dag || !(await ports.spool.isComplete(dag.submitDir))) return nothing(`${name} has no round to look at`);
  const names = await ports.spool.jobNames(dag.submitDir);
  const [unit, node] = [names.nodeOf(askedUnit), names.nodeOf(askedNode)];
  if (!(await ports.spool.unitNames(dag.submitDir)).includes(unit))
    return nothing(`there is no work unit ${askedUnit} in the present round`);
  const { lines } = await ports.spool.ledger(dag.submitDir, unit);
  const last = lines.findLastIndex((line) => isAttempt(line) && line.node === node);
  const record = lines[last];
  if (!record || !isAttempt(record)) return nothing(`${askedUnit}/${askedNode} was not tried yet`);
  if (record.decision === "done") return nothing(`the last attempt of ${askedUnit}/${askedNode} succeeded`);
  const attempt = await ports.spool.verdict(dag.submitDir, unit, node);
  const history = lines.slice(0, last).map(ledgerText).join("");
  const policy = JSON.parse(ports.spool.policyText(request.spec, await ports.store.rules.list()));
  const again = replay({ attempt: attempt ?? "", history, policy }, ports.clock.now());
  if (!again.ok) return nothing(`what was recorded of ${askedUnit}/${askedNode} cannot be read`);
  const { at, cluster, site, exitCode, decision, reason, category, cause, rule, ruleSource } = record;
  const present = ruledBy(again.value.decision);
  const differs = present.decision !== decision || present.rule !== rule;
  const before = { at, decision, reason, category, cause, rule, ruleSource };
  return { kind: "replayed", replayed: { unit, node, cluster, site, exitCode, before, present, differs } };
}
