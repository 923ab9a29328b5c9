import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

interface Example {
  readonly file: string;
  readonly about: string;
  readonly text: string;
}

/** Those that travel alone: what they run is in them. */
const REQUESTS = ["generate.yaml"];
const SCENARIOS = "scenarios";

/** An installation may have left them out: then there are none. */
export async function readExamples(
  dir: string,
): Promise<{ requests: readonly Example[]; scenarios: readonly Example[] }> {
  const files = (await readdir(join(dir, SCENARIOS)).catch(ifAbsent([])))
    .filter((file) => file.endsWith(".yaml"))
    .sort();
  const [requests, scenarios] = await Promise.all([
    readAll(dir, REQUESTS),
    readAll(
      dir,
      files.map((file) => `${SCENARIOS}/${file}`),
    ),
  ]);
  return { requests, scenarios };
}

async function readAll(dir: string, files: readonly string[]): Promise<readonly Example[]> {
  const texts = await Promise.all(files.map((file) => readFile(join(dir, file), "utf8").catch(ifAbsent(null))));
  return files.flatMap((file, at) => {
    const text = texts[at] ?? null;
    return text === null ? [] : [{ file, about: aboutIn(text), text }];
  });
}

const ifAbsent =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };

/** The comment that it begins with, up to the first command in it. */
export function aboutIn(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("# "));
  const command = lines.findIndex((line) => line.startsWith("#   "));
  return lines
    .slice(0, Math.min(end, command < 0 ? end : command))
    .map((line) => line.slice(2))
    .join(" ");
}
