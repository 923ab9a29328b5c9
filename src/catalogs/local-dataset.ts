import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { glob } from "tinyglobby";
import { z } from "zod";
import { describeError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isSiteName } from "../domain/names.ts";
import type { EventCount, InputSpec } from "../domain/request.ts";
import type { InputFile } from "../domain/workflow.ts";
import type { DatasetProblem } from "./port.ts";

type Found = Result<readonly InputFile[], DatasetProblem>;

/** A dataset of the local catalog: the files a glob matches, the files of a directory, or a list with numbers. */
export async function localDataset(input: InputSpec): Promise<Found> {
  switch (input.from) {
    case "glob":
      return plainFiles(await globFiles(input.pattern), input.events, `no file matches ${input.pattern}`);
    case "directory": {
      const paths = await reading(input.path, () => directoryFiles(input.path));
      return paths.ok ? plainFiles(paths.value, input.events, `the directory ${input.path} has no files`) : paths;
    }
    case "list": {
      const text = await reading(input.path, () => readFile(input.path, "utf8"));
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
    return err({ code: "unreadable", message: `${path} cannot be read: ${describeError(error)}`, evidence: { path } });
  }
}

const globFiles = (pattern: string): Promise<string[]> =>
  glob(pattern, { absolute: true, onlyFiles: true, followSymbolicLinks: false, cwd: "/" });

async function directoryFiles(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  return files.map((entry) => join(path, entry.name));
}

async function plainFiles(paths: readonly string[], events: EventCount, whenEmpty: string): Promise<Found> {
  if (paths.length === 0) return err({ code: "empty-dataset", message: whenEmpty, evidence: {} });
  const files: InputFile[] = [];
  for (const path of [...paths].sort()) {
    const file = await reading(path, async () => ({
      lfn: path,
      path,
      sizeBytes: (await stat(path)).size,
      events: await countEvents(path, events),
      lumis: [],
      sites: [],
    }));
    if (!file.ok) return file;
    files.push(file.value);
  }
  return ok(files);
}

async function countEvents(path: string, events: EventCount): Promise<number | null> {
  if (events.by === "unknown") return null;
  if (events.by === "fixed") return events.perFile;
  let lines = 0;
  let last = 10;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
    last = chunk[chunk.length - 1] ?? last;
  }
  return last === 10 ? lines : lines + 1;
}

const listRow = z.strictObject({
  lfn: z.string().min(1),
  path: z.string().optional(),
  size: z.number().int().min(0),
  events: z.number().int().min(0).nullable().optional(),
  lumis: z.array(z.strictObject({ run: z.number().int().min(0), lumi: z.array(z.number().int().min(0)) })).optional(),
  sites: z.array(z.string().refine(isSiteName, "is not a site name")).optional(),
});

/** Rows `{lfn, size, events, lumis: [{run, lumi: [..]}], sites: [..]}`, as `wms2 plan --files` reads them too. */
export function parseFileList(text: string, from: string): Found {
  const json = parseJson(text);
  const problem = (message: string) =>
    err({ code: "unreadable" as const, message: `${from}: ${message}`, evidence: { from } });
  if (!json.ok) return problem(`is not JSON: ${json.error}`);
  const rows = z.array(listRow).safeParse(json.value);
  if (!rows.success) {
    const issue = rows.error.issues[0];
    return problem(`row ${issue?.path.join(".")}: ${issue?.message}`);
  }
  if (rows.data.length === 0)
    return err({ code: "empty-dataset", message: `${from} lists no files`, evidence: { from } });
  const files = rows.data.map(
    ({ lfn, path = lfn, size, events = null, lumis = [], sites = [] }): InputFile => ({
      lfn,
      path,
      sizeBytes: size,
      events,
      lumis: lumis.map(({ run, lumi }) => ({ run, lumis: lumi })),
      sites: sites as InputFile["sites"],
    }),
  );
  const seen = new Set<string>();
  const twice = files.find(({ lfn }) => seen.size === seen.add(lfn).size);
  if (twice) return problem(`${twice.lfn} is listed twice`);
  return ok(files.sort((a, b) => (a.lfn < b.lfn ? -1 : 1)));
}
