import { invariant } from "../core/base/errors.ts";
import { isName } from "../core/names.ts";

/**
 * The only way a string reaches a submit or include file. A ClassAd string in double quotes: backslash and quote are
 * escaped by a backslash. What has no safe spelling is a bug of ours: a line break would end the command, and
 * HTCondor expands `$` inside strings too (`$(DOLLAR)$(DOLLAR)(X)` comes out as `$$(DOLLAR)(X)`, seen in 23.9.6).
 */
export function classAdString(text: string): string {
  invariant(!UNSPEAKABLE.test(text), "this cannot be written to a submit file", { text });
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const UNSPEAKABLE = /[$\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/** A name that stands bare in a DAG or a path. */
export function bareName<T extends string>(name: T): T {
  invariant(isName(name), "a name does not fit DAG files", { name });
  return name;
}
