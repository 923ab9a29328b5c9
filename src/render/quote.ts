import { invariant } from "../base/errors.ts";
import { isName } from "../domain/names.ts";

/**
 * The only way a string reaches a submit or include file. A ClassAd string in double quotes: backslash and quote are
 * escaped by a backslash, and `$` is written $(DOLLAR) because HTCondor expands macros inside strings too. A
 * line break would end the command, other control characters have no spelling: both are bugs of ours.
 */
export function classAdString(text: string): string {
  invariant(!CONTROL.test(text), "a control character cannot be written to a submit file", { text });
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$(DOLLAR)");
  return `"${escaped}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const CONTROL = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/** A name that stands bare in a DAG or a path. */
export function bareName<T extends string>(name: T): T {
  invariant(isName(name), "a name does not fit DAG files", { name });
  return name;
}
