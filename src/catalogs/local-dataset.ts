import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { glob } from "tinyglobby";
import { z } from "zod";
import { describeError } from "../core/base/errors.ts";
import { parseJson } from "../core/base/json.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import { listed, plural } from "../core/base/text.ts";
import { measureUserFile, readUserFile } from "../core/disk/user-file.ts";
import { isSiteName } from "../core/names.ts";
import type { EventCount, InputSpec } from "../core/work.ts";
import type { InputFile } from "../core/workflow.ts";
import type { DatasetProblem } from "./port.ts";

/** 200,000 files with 30 lumis each are a third of this. */
const MAX_LIST_BYTES = 200_000_000;

type Found = Result<readonly InputFile[], DatasetProblem>;

/** A dataset of the local catalog: the files a glob matches, the files of a directory, or a list with numbers. */
export async function localDataset(input: InputSpec, signal?: AbortSignal): Promise<Found> {
  switch (input.from) {
    case "glob": {
      const paths = await globFiles(input.pattern, signal);
      const there = new Set(paths);
      const missing = paths.length > 0 ? literalsOf(input.pattern).filter((path) => !there.has(path)) : [];
      if (missing.length > 0) {
        const message = `${plural(missing.length, "input file")} not there: ${listed(missing)}`;
        return unreadable(message, { files: missing.slice(0, 20) });
      }
      return plainFiles(paths, input.events, { pattern: input.pattern }, signal);
    }
    case "directory": {
      const { path, events } = input;
      const paths = await reading(path, () => directoryFiles(path));
      return paths.ok ? plainFiles(paths.value, events, { path }, signal) : paths;
    }
    case "list": {
      const text = await reading(input.path, () => readUserFile(input.path, MAX_LIST_BYTES));
      return text.ok ? parseFileList(text.value, input.path) : text;
    }
    case "dataset":
      return err({
        code: "unknown-dataset",
        message: `the local catalog has no dataset ${input.dataset}: name files, a directory or a list`,
        evidence: { dataset: input.dataset },
      });
  }
}

async function reading<T>(path: string, read: () => Promise<T>): Promise<Result<T, DatasetProblem>> {
  try {
    return ok(await read());
  } catch (error) {
    return unreadable(`${path} cannot be read: ${describeError(error)}`, { path });
  }
}

const unreadable = (message: string, evidence: DatasetProblem["evidence"]) =>
  err({ code: "unreadable" as const, message, evidence });

/** Files that a list of patterns names as they are, without a wildcard: `/data/{a.csv,b-*.csv}` names a.csv. */
function literalsOf(pattern: string): readonly string[] {
  const [, start = "", list = ""] = /^([^{}*?[\]()!+@]*)\{([^{}]*)\}$/.exec(pattern) ?? [];
  return list === "" ? [] : list.split(",").flatMap((each) => (/[*?[\]()!+@\\]/.test(each) ? [] : `${start}${each}`));
}

const globFiles = (pattern: string, signal: AbortSignal | undefined): Promise<string[]> =>
  glob(pattern, { absolute: true, onlyFiles: true, followSymbolicLinks: false, cwd: "/", ...(signal && { signal }) });

async function directoryFiles(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  return files.map((entry) => join(path, entry.name));
}

async function plainFiles(
  paths: readonly string[],
  events: EventCount,
  place: { readonly pattern: string } | { readonly path: string },
  signal: AbortSignal | undefined,
): Promise<Found> {
  if (paths.length === 0) {
    const message =
      "pattern" in place ? `no file matches ${place.pattern}` : `the directory ${place.path} has no files`;
    return err({ code: "empty-dataset", message, evidence: place });
  }
  const files: InputFile[] = [];
  for (const path of [...paths].sort()) {
    if (CONTROL.test(path)) return unreadable(`${JSON.stringify(path)} ${NO_CONTROLS}`, { path });
    signal?.throwIfAborted();
    const found = await reading(path, () => measureUserFile(path, events.by === "lines", signal));
    signal?.throwIfAborted();
    if (!found.ok) return found;
    const { sizeBytes, lines } = found.value;
    const count = events.by === "lines" ? lines : events.by === "fixed" ? events.perFile : null;
    files.push({ lfn: path, path, sizeBytes, events: count, lumis: [], sites: [] });
  }
  return ok(files);
}

/** They would end or forge a line wherever a name is printed or written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const NO_CONTROLS = "has a control character in its name; rename it";
const fileName = z
  .string()
  .min(1)
  .refine((name) => !CONTROL.test(name), NO_CONTROLS);

/** Taken as it is: a list may have millions, and a copy of each would be the most of what planning needs. */
const lumiList = z.custom<readonly number[]>(
  (lumis) => Array.isArray(lumis) && lumis.every((lumi) => Number.isSafeInteger(lumi) && lumi >= 0),
  "is not a list of whole numbers from 0",
);

const listRow = z.strictObject({
  lfn: fileName,
  path: fileName.optional(),
  size: z.number().int().min(0),
  events: z.number().int().min(0).nullable().optional(),
  lumis: z.array(z.strictObject({ run: z.number().int().min(0), lumi: lumiList })).optional(),
  sites: z.array(z.string().refine(isSiteName, "is not a site name")).optional(),
});

const ROW_KEYS = Object.keys(listRow.shape).join(", ");

/**
 * Rows `{lfn, size, events, lumis: [{run, lumi: [..]}], sites: [..]}`, as `wms2 plan FILE --files LIST` reads them too. The server may
 * read what the asker may not: nothing of a file that is no such list is repeated.
 */
export function parseFileList(text: string, from: string): Found {
  const json = parseJson(text);
  const problem = (message: string) => unreadable(`${from}: ${message}`, { from });
  if (!json.ok) return problem("is not JSON");
  if (!Array.isArray(json.value)) return problem("is not a list");
  if (json.value.length === 0)
    return err({ code: "empty-dataset", message: `${from} lists no files`, evidence: { from } });
  const files: InputFile[] = [];
  for (const [index, value] of json.value.entries()) {
    const row = listRow.safeParse(value);
    if (!row.success) {
      const [issue] = row.error.issues;
      const message = issue?.code === "unrecognized_keys" ? `has keys beside ${ROW_KEYS}` : issue?.message;
      return problem(`row ${[index, ...(issue?.path ?? [])].join(".")}: ${message}`);
    }
    const { lfn, path = lfn, size, events = null, lumis = [], sites = [] } = row.data;
    const runs = lumis.map(({ run, lumi }) => ({ run, lumis: lumi }));
    files.push({ lfn, path, sizeBytes: size, events, lumis: runs, sites: sites as InputFile["sites"] });
  }
  const seen = new Set<string>();
  const twice = files.find(({ lfn }) => seen.size === seen.add(lfn).size);
  if (twice) return problem(`${twice.lfn} is listed twice`);
  return ok(files.sort((a, b) => (a.lfn < b.lfn ? -1 : 1)));
}
