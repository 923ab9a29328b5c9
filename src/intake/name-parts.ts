import type { Form } from "./reading/form.ts";

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
export const CAMPAIGN: NamePart = {
  fallback: "",
  pattern: /^[A-Za-z0-9_-]{0,80}$/,
  rule: "letters, digits, '-', '_'; at most 80 characters",
};

export const readNamePart = (top: Form, key: string, { fallback, pattern, rule }: NamePart): string =>
  top.text(key, fallback, pattern, rule);
