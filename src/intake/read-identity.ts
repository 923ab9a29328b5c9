import type { Form, Key } from "./form.ts";
import { PRIORITY } from "./read-policy.ts";

/** A part of the names of datasets and paths, so held to ReqMgr2's rules. */
export interface NamePart {
  readonly fallback: string;
  readonly pattern: RegExp;
  readonly rule: string;
}
export const ERA: NamePart = {
  fallback: "WMS2",
  pattern: /^[A-Za-z][A-Za-z0-9_]{0,99}$/,
  rule: "a letter, then letters, digits, '_'; at most 100 characters",
};
export const PROCESSING: NamePart = {
  fallback: "main",
  pattern: /^[A-Za-z0-9_]{1,100}$/,
  rule: "letters, digits, '_'; at most 100 characters",
};
const CAMPAIGN = /^[A-Za-z0-9_-]{0,80}$/;
const CAMPAIGN_RULE = "letters, digits, '-', '_'; at most 80 characters";

export const readNamePart = (top: Form, key: string, { fallback, pattern, rule }: NamePart): string =>
  top.text(key, fallback, pattern, rule);

type Fields = "requestor" | "requestorDn" | "group" | "campaign" | "processingVersion" | "priority";

/** Whose request it is and how it ranks. Each form has its own keys, and its own usual group and priority. */
export const readIdentity = (
  top: Form,
  keys: Readonly<Record<Fields, Key>>,
  usual: { readonly group: string; readonly priority: number },
) => ({
  requestor: top.text(keys.requestor, top.notes.rules.requestor),
  requestorDn: top.text(keys.requestorDn, "") || null,
  group: top.text(keys.group, usual.group),
  campaign: top.text(keys.campaign, "", CAMPAIGN, CAMPAIGN_RULE),
  processingVersion: top.integer(keys.processingVersion, { min: 1, max: 1_000_000 }, 1),
  priority: top.integer(keys.priority, PRIORITY, usual.priority),
});
