import { isWfFormat } from "../kinds/graph/import/wfformat.ts";
import { isRow } from "./reading/values.ts";

/**
 * A copy whose relative paths (of its input: files, directory, list; the directory of its jobs, by default that of the
 * document) went through `resolve`; all else as it was.
 */
export function absolutePaths(document: unknown, resolve: (path: string) => string): unknown {
  if (!isRow(document)) return document;
  const absolute = (value: unknown): unknown =>
    typeof value === "string" && value !== "" && !value.startsWith("/") && !value.startsWith("~")
      ? resolve(value)
      : value;
  if (Object.hasOwn(document, "jobs") || Object.hasOwn(document, "components") || isWfFormat(document))
    return { ...document, directory: absolute(document.directory ?? ".") };
  if (!isRow(document.input)) return document;
  const { files } = document.input;
  const changed: Record<string, unknown> = {};
  for (const key of ["directory", "list"])
    if (Object.hasOwn(document.input, key)) changed[key] = absolute(document.input[key]);
  if (Object.hasOwn(document.input, "files"))
    changed.files = Array.isArray(files) ? files.map(absolute) : absolute(files);
  return { ...document, input: { ...document.input, ...changed } };
}
