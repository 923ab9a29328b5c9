import { splitWords } from "../reading/command-line.ts";
import { travelPath } from "../reading/paths.ts";
import { isRow, type Row } from "../reading/values.ts";

/**
 * What the CLI does to a document before it sends it: attach the files it names, make input paths absolute. Both
 * take any document, however wrong, and leave complaints to readSubmission.
 */

/**
 * Files beside the request that travel with it: words of commands that begin with "./", and `attach`. In the order they
 * appear, without "./". A word may also be a file the job makes itself: attach those that exist; what
 * had to be there and was not is a problem of readSubmission.
 */
export function neededFiles(document: unknown): string[] {
  if (!isRow(document)) return [];
  const words = [
    ...rows(document.steps).flatMap((step) => (typeof step === "string" ? commandWords(step) : commandWords(step.run))),
    ...rows(document.outputs).flatMap((output) =>
      isRow(output) && isRow(output.merge) ? commandWords(output.merge.run) : [],
    ),
    ...handlersOf(document).flatMap((rule) => [rule.script, rule.recovery_script]),
  ].filter((word): word is string => typeof word === "string" && word.startsWith("./"));
  const attach = Array.isArray(document.attach) ? document.attach.filter((path) => typeof path === "string") : [];
  const paths = [...words, ...attach].map(travelPath).filter((path) => path !== null);
  return [...new Set(paths)];
}

function rows(value: unknown): readonly (Row | string)[] {
  return Array.isArray(value) ? value.filter((item) => isRow(item) || typeof item === "string") : [];
}

function commandWords(run: unknown): readonly unknown[] {
  if (Array.isArray(run)) return run;
  if (typeof run !== "string") return [];
  const split = splitWords(run);
  return split.ok ? split.words : [];
}

function handlersOf(document: Row): readonly Row[] {
  const inner = isRow(document.recovery) ? document.recovery.handlers : undefined;
  return [...rows(inner), ...rows(document.failure_handlers)]
    .filter(isRow)
    .flatMap((handler) => rows(handler.rules))
    .filter(isRow);
}

/** A copy whose relative input paths (files, directory, list) went through `resolve`; all else as it was. */
export function absolutePaths(document: unknown, resolve: (path: string) => string): unknown {
  if (!isRow(document) || !isRow(document.input)) return document;
  const absolute = (value: unknown): unknown =>
    typeof value === "string" && value !== "" && !value.startsWith("/") && !value.startsWith("~")
      ? resolve(value)
      : value;
  const { files } = document.input;
  const changed: Record<string, unknown> = {};
  for (const key of ["directory", "list"])
    if (Object.hasOwn(document.input, key)) changed[key] = absolute(document.input[key]);
  if (Object.hasOwn(document.input, "files"))
    changed.files = Array.isArray(files) ? files.map(absolute) : absolute(files);
  return { ...document, input: { ...document.input, ...changed } };
}
