import JSON5 from "json5";
import { isScalar, LineCounter, visit, type YAMLError } from "yaml";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Problem } from "../../core/problem.ts";
import { isDeeper, MAX_DEPTH, TOO_DEEP } from "./nesting.ts";
import { JsonError, readJson } from "./read-json.ts";
import { TooMuchYaml, type YamlDocument, yamlDocument } from "./yaml-document.ts";

/** Without attachments a request is a page of text; the JSON form carries the attached files as base64. */
export const MAX_YAML_CHARACTERS = 400_000;
const MAX_JSON_CHARACTERS = 16_000_000;

const wrong = (message: string): Result<never, Problem[]> => err([{ path: "", message, allowed: null }]);

/**
 * Text becomes data, or the places where it is not well formed. Whole numbers beyond 2^53 come out as bigint,
 * so that no digit of an event number is lost. Says nothing about what the data means.
 */
export function parseDocument(text: string, format: "json" | "json5" | "yaml"): Result<unknown, Problem[]> {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const limit = format !== "yaml" ? MAX_JSON_CHARACTERS : MAX_YAML_CHARACTERS;
  if (source.length > limit) return wrong(`is too long: ${source.length} characters, at most ${limit}`);
  if (source.trim() === "") return wrong("is empty");
  if (format === "yaml") return readYaml(source);
  if (format === "json5") return readJson5(source);
  try {
    return ok(readJson(source));
  } catch (error) {
    if (error instanceof JsonError) return wrong(error.message);
    throw error;
  }
}

/** JSON with comments, commas at the end, keys without quotes. Whole numbers beyond 2^53 lose digits in it. */
function readJson5(text: string): Result<unknown, Problem[]> {
  if (isDeeper(text, "\"'")) return wrong(TOO_DEEP);
  try {
    return ok(JSON5.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { lineNumber, columnNumber } = error as SyntaxError & { lineNumber: number; columnNumber: number };
    const why = firstLine(error.message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, ""));
    return wrong(`line ${lineNumber}, column ${columnNumber}: ${why}`);
  }
}

const MAX_ALIASES = 100;

/**
 * YAML 1.2 with nothing but maps, lists, text, numbers and true/false: tags that would make other things, keys
 * given twice and several documents in one text are errors; aliases may not multiply into a bomb.
 */
function readYaml(text: string): Result<unknown, Problem[]> {
  const lineCounter = new LineCounter();
  try {
    const document = yamlDocument(text, lineCounter);
    const faults = [...document.errors, ...document.warnings];
    if (faults.length > 0) return err(faults.slice(0, 20).map((fault) => toProblem(fault, lineCounter)));
    const repeated = repeatedKeys(document).map((at) => problemAt(at, "the same key is given twice", lineCounter));
    if (repeated.length > 0) return err(repeated.slice(0, 20));
    return ok(narrow(document.toJS({ maxAliasCount: MAX_ALIASES }), 0));
  } catch (error) {
    if (error instanceof TooMuchYaml) return wrong(error.message);
    const message = error instanceof Error ? error.message : String(error);
    return wrong(/alias/i.test(message) ? "uses aliases (*name) too often or in a circle" : firstLine(message));
  }
}

/** Where keys stand that their map has already. */
function repeatedKeys(document: YamlDocument): number[] {
  const places: number[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) places.push(key.range?.[0] ?? 0);
        seen.add(key.value);
      }
    },
  });
  return places;
}

const firstLine = (text: string): string => text.split("\n", 1)[0]!.slice(0, 300);

function toProblem(fault: YAMLError, lines: LineCounter): Problem {
  const message = firstLine(fault.message);
  const ours: Partial<Record<typeof fault.code, string>> = {
    TAG_RESOLVE_FAILED: `tags are not allowed: ${message}`,
    MULTIPLE_DOCS: "several documents in one text; one request at a time",
  };
  return problemAt(fault.pos[0], ours[fault.code] ?? message, lines);
}

function problemAt(place: number, message: string, lines: LineCounter): Problem {
  const { line, col } = lines.linePos(place);
  return { path: "", message: `line ${line}, column ${col}: ${message}`, allowed: null };
}

/** Whole numbers were read as bigint to keep their digits; those that fit go back to being numbers. */
function narrow(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TooMuchYaml(TOO_DEEP);
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value)) return value.map((item) => narrow(item, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  // Unlike an assignment, this makes even __proto__ an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, narrow(item, depth + 1)]));
}
