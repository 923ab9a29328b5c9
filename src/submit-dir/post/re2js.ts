import { createRequire } from "node:module";

/**
 * The pattern engine, in the bundled brain (tsconfig.brain.json): loaded from bin/node_modules with the first pattern.
 * Hardly any policy has one, and every failed attempt would pay 7 ms for it.
 */
const engine = (): typeof import("re2js") => createRequire(import.meta.url)("re2js");

export const RE2JS = {
  compile: (pattern: string) => engine().RE2JS.compile(pattern),
  translateRegExp: (source: string) => engine().RE2JS.translateRegExp(source),
};
