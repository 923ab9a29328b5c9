import { err, ok, type Result } from "../base/result.ts";
import type { Problem } from "../domain/problem.ts";
import { JsonError, readJson } from "./read-json.ts";
import { readYaml } from "./read-yaml.ts";

/** Without attachments a request is a page of text; the JSON form carries the attached files as base64. */
export const MAX_YAML_CHARACTERS = 400_000;
export const MAX_JSON_CHARACTERS = 16_000_000;

const wrong = (message: string): Result<never, Problem[]> => err([{ path: "", message, allowed: null }]);

/**
 * Text becomes data, or the places where it is not well formed. Whole numbers beyond 2^53 come out as bigint,
 * so that no digit of an event number is lost. Says nothing about what the data means.
 */
export function parseDocument(text: string, format: "json" | "yaml"): Result<unknown, Problem[]> {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const limit = format === "json" ? MAX_JSON_CHARACTERS : MAX_YAML_CHARACTERS;
  if (source.length > limit) return wrong(`is too long: ${source.length} characters, at most ${limit}`);
  if (source.trim() === "") return wrong("is empty");
  if (format === "yaml") return readYaml(source);
  try {
    return ok(readJson(source));
  } catch (error) {
    if (error instanceof JsonError) return wrong(`line ${error.line}, column ${error.column}: ${error.message}`);
    throw error;
  }
}
