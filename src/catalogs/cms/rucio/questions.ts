import { probe, type Question } from "../http/question.ts";
import type { NewRule } from "../services.ts";

const SCOPE = "cms";
const did = (name: string) => ({ scope: SCOPE, name });
/** Slashes and `#` of the name too: the server takes it apart again. */
const path = (name: string): string => `${SCOPE}/${encodeURIComponent(name)}`;

/** Single objects and lists have different media types, and the wrong one is refused. */
const ANYTHING = { accept: "*/*" };
const call = (operation: string, method: Question["method"], url: string, body?: unknown): Question => ({
  operation,
  method,
  url,
  headers: body === undefined ? ANYTHING : { ...ANYTHING, "content-type": "application/json" },
  ...(body !== undefined && { body: JSON.stringify(body) }),
  // Whatever is sent twice is answered with "is there already", which is looked up.
  repeatable: true,
});

export const ping = (base: string): Question => probe(`${base}/ping`);
/** The token comes in the headers of the answer. */
export const token = (authBase: string, account: string): Question => ({
  operation: "token",
  method: "GET",
  url: `${authBase}/auth/x509`,
  headers: { accept: "*/*", "x-rucio-account": account },
  repeatable: true,
});

export const replicasOf = (base: string, name: string): Question =>
  call("replicas.read", "POST", `${base}/replicas/list`, {
    dids: [did(name)],
    rse_expression: null,
    all_states: false,
    ignore_availability: true,
    schemes: null,
    resolve_parents: false,
  });

export const newDid = (base: string, name: string, type: "CONTAINER" | "DATASET"): Question =>
  call("did.write", "POST", `${base}/dids/${path(name)}`, { type, statuses: {}, meta: {}, rules: [], lifetime: null });

/** Repeatable as it is: what is attached already stays so. */
const attachment = (operation: string, base: string, more: object): Question =>
  call(operation, "POST", `${base}/dids/attachments`, { ignore_duplicate: true, attachments: [more] });

export const blockInContainer = (base: string, block: string, container: string): Question =>
  attachment("block.attach", base, { ...did(container), dids: [did(block)] });

/** With an RSE the files and their replicas become known on the way. */
export const filesInBlock = (
  base: string,
  block: string,
  rse: string,
  files: readonly { readonly lfn: string; readonly sizeBytes: number; readonly adler32: string }[],
): Question =>
  attachment("files.attach", base, {
    ...did(block),
    rse,
    dids: files.map(({ lfn, sizeBytes, adler32 }) => ({ ...did(lfn), bytes: sizeBytes, adler32 })),
  });

export const closedBlock = (base: string, block: string): Question =>
  call("block.close", "PUT", `${base}/dids/${path(block)}/status`, { open: false });

const MOST_COMMENT = 250;

/** The slash at the end belongs to the address: without it the answer is a redirection. */
export const newRule = (base: string, account: string, rule: NewRule): Question =>
  call("rule.write", "POST", `${base}/rules/`, {
    dids: [did(rule.block)],
    account,
    copies: 1,
    rse_expression: rule.rseExpression,
    grouping: "ALL",
    lifetime: rule.lifetimeSec,
    activity: rule.activity,
    comment: rule.comment.slice(0, MOST_COMMENT),
    ignore_availability: true,
  });

export function rulesLike(base: string, account: string, rule: NewRule): Question {
  const filter = { ...did(rule.block), account, rse_expression: rule.rseExpression };
  return call("rules.read", "GET", `${base}/rules/?${new URLSearchParams(filter).toString().replaceAll("+", "%20")}`);
}

export const changedRule = (base: string, id: string, options: Readonly<Record<string, unknown>>): Question =>
  call("rule.change", "PUT", `${base}/rules/${encodeURIComponent(id)}`, { options });

/** Needs a body, if an empty one. */
export const deletedRule = (base: string, id: string): Question =>
  call("rule.delete", "DELETE", `${base}/rules/${encodeURIComponent(id)}`, { purge_replicas: false });

export const rsesOf = (base: string, expression: string): Question =>
  call("rses.read", "GET", `${base}/rses/?expression=${encodeURIComponent(expression)}`);
