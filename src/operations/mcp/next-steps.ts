import type { Fields } from "./ask.ts";
import { isFields } from "./fit.ts";
import type { Step } from "./tool.ts";

/** What to call next, by what was answered. Facts come from answers, so nothing here is sure to be there. */
const step = (tool: string, args: Fields, why: string): Step => ({ tool, arguments: args, why });
const fields = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const part = (value: unknown): Fields => (isFields(value) ? value : {});

export function afterList({ items }: Fields): readonly Step[] {
  const held = fields(items).find(({ status }) => status === "held");
  if (held) return [step("errors", { name: held.request_name }, `${held.request_name} is held`)];
  const [first] = fields(items);
  return first ? [step("show", { name: first.request_name }, "everything about one request")] : [];
}

const ACTIONS = ["release", "recover", "resubmit", "stop", "requeue", "resume", "hold", "abort"];

export function afterShow({ status, allowed_actions }: Fields, { name }: Fields): readonly Step[] {
  const looks = ["held", "partial", "active"].includes(String(status))
    ? [step("errors", { name }, "what failed, and what to try")]
    : [];
  const allowed = fields(allowed_actions).filter(({ action }) => ACTIONS.includes(String(action)));
  return [...looks, ...allowed.map(({ action, meaning }) => step(String(action), { name }, String(meaning)))];
}

export function afterErrors({ suggestion, codes }: Fields, { name }: Fields): readonly Step[] {
  const { action, modifications, reason } = part(suggestion);
  const { example } = fields(codes)[0] ?? {};
  const { unit, node, cluster } = part(example);
  const seen = unit ? [step("logs", { name, unit, node, cluster: String(cluster) }, "what such a job wrote")] : [];
  if (action === "classify") return [step("groups", { name }, String(reason)), ...seen];
  if (action === "rescue") return [step("release", { name, how: "rescue", reason }, String(reason)), ...seen];
  if (!ACTIONS.includes(String(action))) return seen;
  return [step(String(action), { name, ...part(modifications), reason }, String(reason)), ...seen];
}

export function afterAttempts({ items }: Fields, { name }: Fields): readonly Step[] {
  const failed = fields(items).find(({ cause, cluster }) => cause && cluster);
  if (!failed) return [];
  const { unit, node, cluster, exit_code: code } = failed;
  return [
    step("logs", { name, unit, node, cluster: String(cluster) }, "what this attempt wrote"),
    step("policy_explain", { code, request: name }, "what the policy makes of its code"),
  ];
}

export function afterLogs({ from, to, size_bytes: size, unit, node, cluster, file }: Fields, { name }: Fields) {
  const here = { name, unit, node, cluster, file };
  const before =
    Number(from) > 0 ? [step("logs", { ...here, from: Math.max(0, Number(from) - 8192) }, "before this")] : [];
  const after = Number(to) < Number(size) ? [step("logs", { ...here, from: to }, "after this")] : [];
  return [...before, ...after];
}

export function afterUnclassified({ items }: Fields, { name }: Fields): readonly Step[] {
  const open = fields(items).filter(({ classified }) => !classified);
  const chosen = open.map(({ unit, node }) => ({ node: `${unit}/${node}`, action: "retry" }));
  if (chosen.length === 0) return [];
  return [
    step("classify", { name, items: chosen.slice(0, 3) }, "say retry or fail for each, when you know what it means"),
  ];
}

export function afterAlerts({ items }: Fields): readonly Step[] {
  const [first] = fields(items);
  return first ? [step("show", { name: first.subject }, "if its subject is a request")] : [];
}

export const afterValidate = (): readonly Step[] => [
  step("submit", {}, "with the same document, once the person agrees"),
];
export const afterSubmit = ({ request_name: name }: Fields): readonly Step[] =>
  name ? [step("show", { name }, "how it does")] : [];
export const afterChange = (_: Fields, { name }: Fields): readonly Step[] => [
  step("show", { name }, "whether the loop has carried it out"),
];

export function afterFillPlan({ actions, obstacles }: Fields, { name, recurse, ...asked }: Fields): readonly Step[] {
  const nodes = fields(obstacles).flatMap(({ kind, node }) => (kind === "held" ? [node] : []));
  const same = { name, ...asked, ...(recurse === "false" && { recurse: false }) };
  const made = fields(actions).length > 0 ? [step("fill", same, "has it made")] : [];
  const held = step("release_products", { name, nodes: nodes.slice(0, 3) }, "once what made them fail is fixed");
  return nodes.length > 0 ? [...made, held] : made;
}

export const afterProducts = (_: Fields, { name }: Fields): readonly Step[] => [
  step("fill_plan", { name }, "what is missing now"),
];

export const afterVerify = ({ next: rest }: Fields, { name }: Fields): readonly Step[] =>
  rest ? [step("verify", { name, after: rest }, "the rest of them")] : afterProducts({}, { name });

export function afterTransfers({ items }: Fields, { name }: Fields): readonly Step[] {
  const stuck = fields(items).filter(({ state }) => ["held", "used-up", "needs-person"].includes(String(state)));
  const segments = stuck.map(({ segment }) => segment);
  return stuck.length > 0
    ? [step("retry_transfers", { name, segments, force: true }, "once more, beyond the limit")]
    : [];
}
