import { InvariantError } from "../../core/base/errors.ts";
import type { RequestName } from "../../core/names.ts";
import type { Ports } from "../../loop/ports.ts";
import type { Decision } from "../../recovery/decision.ts";
import { explainCode, policyRows, type Question } from "../../recovery/explain/policy.ts";
import type { Policy } from "../../recovery/policy.ts";
import { readPolicy } from "../../recovery/read-policy.ts";

/** What was or would be decided, and by which row. */
export interface Ruled {
  readonly decision: string;
  readonly reason: string;
  readonly category: string | null;
  readonly cause: string | null;
  readonly rule: string | null;
  readonly ruleSource: string | null;
}

export interface PolicyCommands {
  /** What the retry policy makes of an exit code, for jobs of this request; null: of one without handlers of its own. */
  explain(question: Question, name: RequestName | null): Promise<(Ruled & { readonly text: string }) | null>;
  /** Every row in force for jobs of this request, those that win over others first; null: there is no such request. */
  policyRows(name: RequestName | null): Promise<ReturnType<typeof policyRows> | null>;
}

/** A request without handlers of its own. */
const NO_REQUEST = { steps: [], recovery: { handlers: [], pendingClassification: false } };

type PolicyPorts = Pick<Ports, "store" | "spool" | "clock">;

/** What a run that begins now would go by; null: there is no such request. */
async function policyInForce({ store, spool }: PolicyPorts, name: RequestName | null): Promise<Policy | null> {
  const request = name === null ? null : await store.requests.get(name);
  if (name !== null && !request) return null;
  const policy = readPolicy(
    JSON.parse(spool.policyText(request?.spec ?? NO_REQUEST, await store.rules.list())),
    "installation",
  );
  if (!policy.ok) throw new InvariantError("the policy in force cannot be read", policy.error);
  return policy.value;
}

export const ruledBy = ({ decision, reason, category, cause, row }: Decision): Ruled => ({
  decision,
  reason,
  category,
  cause,
  rule: row?.id ?? null,
  ruleSource: row?.source ?? null,
});

/** What the policy in force makes of an exit code: for jobs of this request, or of one without handlers. */
export async function explain(
  ports: PolicyPorts,
  question: Question,
  name: RequestName | null,
): ReturnType<PolicyCommands["explain"]> {
  const policy = await policyInForce(ports, name);
  if (!policy) return null;
  const explained = explainCode(question, policy, ports.clock.now());
  return { ...ruledBy(explained.decision), text: explained.text };
}

export async function rowsInForce(ports: PolicyPorts, name: RequestName | null) {
  const policy = await policyInForce(ports, name);
  return policy && policyRows(policy);
}
