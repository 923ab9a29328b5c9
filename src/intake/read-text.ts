import { err, ok, type Result } from "../core/base/result.ts";
import type { Problem } from "../core/problem.ts";
import type { IntakeRules, Submission } from "../core/submission.ts";
import { type Kinds, kindOf } from "../kinds/kind.ts";
import { readSubmission } from "./read-submission.ts";
import { problemsAtLines } from "./reading/line-of.ts";
import { parseDocument } from "./reading/parse-document.ts";
import { isRow, type Row } from "./reading/values.ts";

/** A document as it came. `mayName`: it may name a request of another system instead of being one. */
export interface TextAsked {
  readonly text: string;
  readonly format: "json" | "yaml";
  readonly mayName: boolean;
  readonly rules: IntakeRules;
}

/** What a text turned out to be: a document that names a request elsewhere, or a submission with the files that must be there. */
export type TextRead = Result<
  | { readonly kind: "named"; readonly document: Row }
  | { readonly kind: "read"; readonly submission: Submission; readonly inputs: ReadonlyMap<string, string> },
  readonly Problem[]
>;

/** All that can be said of a text without looking anywhere else. */
export function readText({ text, format, mayName, rules }: TextAsked, kinds: Kinds): TextRead {
  const parsed = parseDocument(text, format);
  if (!parsed.ok) return err(problemsIn({ text, format }, parsed.error));
  const document = parsed.value;
  if (mayName && isRow(document) && document.source === "reqmgr2") return ok({ kind: "named", document });
  const read = readSubmission(document, rules, kinds);
  if (!read.ok) return err(problemsIn({ text, format }, read.error));
  const { work } = read.value.spec;
  return ok({ kind: "read", submission: read.value, inputs: kindOf(kinds, work).inputs?.(work) ?? new Map() });
}

/** People write YAML; what programs send as JSON has no lines worth naming. */
export const problemsIn = (
  { text, format }: Pick<TextAsked, "text" | "format">,
  problems: readonly Problem[],
): readonly Problem[] => (format === "yaml" ? problemsAtLines(text, problems) : problems);

/** Nothing in it can become much: it is short, and has none of the words that make many of one. */
export const isSmallText = ({ text }: Pick<TextAsked, "text">): boolean =>
  text.length <= 20_000 && !/each|parameters|\.\.|segment|[&*]\w/.test(text);
