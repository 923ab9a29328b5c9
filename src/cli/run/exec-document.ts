import { err, ok, type Result } from "../../core/base/result.ts";
import { formatValue, PARAMETER, PARAMETER_RULE, type Pattern, parsePattern } from "../../kinds/graph/placeholders.ts";
import { readRange } from "../../kinds/graph/read-values.ts";

/** What somebody typed after `wms2 exec`. */
export interface ExecWords {
  readonly name: string;
  /** Where the jobs run. */
  readonly directory: string;
  /** The words after --; []: there are none. */
  readonly command: readonly string[];
  /** The file of -C, a command a line; null: none was named. */
  readonly commands: string | null;
  /** "lr=0.1,0.01", "seed=1..5" */
  readonly each: readonly string[];
  readonly atOnce: number | null;
  readonly resources: Readonly<Record<string, string>>;
}

/** A sweep without a file, as the graph it would be in one; or what is wrong with it. */
export function execDocument(words: ExecWords): Result<Readonly<Record<string, unknown>>, string> {
  const { name, directory, command, commands, resources } = words;
  if (command.length > 0 === (commands !== null)) return err("give a command after --, or a file of commands with -C");
  const columns = readColumns(words.each);
  if (!columns.ok) return columns;
  const job = commands === null ? ok(jobOf(command, columns.value)) : jobOfLines(commands, columns.value);
  if (!job.ok) return job;
  const atOnce = words.atOnce === null ? {} : { at_once: words.atOnce };
  return ok({ name, kind: "graph", directory, resources, jobs: [{ ...job.value, ...atOnce }] });
}

type Columns = ReadonlyMap<string, readonly string[]>;

/** Values in the written order; ranges are written out. */
function readColumns(each: readonly string[]): Result<Columns, string> {
  const columns = new Map<string, readonly string[]>();
  for (const word of each) {
    const at = word.indexOf("=");
    const name = word.slice(0, at).trim();
    if (at < 1 || !PARAMETER.test(name))
      return err(`--each needs name=values, got "${word}"; a name is ${PARAMETER_RULE}`);
    if (columns.has(name)) return err(`--each names ${name} twice`);
    const values: string[] = [];
    for (const value of word.slice(at + 1).split(",")) {
      const range = value.includes("..") ? readRange(value) : { values: () => [value.trim()] };
      if (typeof range === "string") return err(`--each ${name}: "${value.trim()}" ${range}`);
      for (const each of range.values()) values.push(each);
    }
    columns.set(name, values);
  }
  return ok(columns);
}

/** "job", or "job lr=0.1 seed=2". */
const called = (what: string, values: Iterable<readonly [string, string]>): string =>
  [what, ...[...values].map(([name, value]) => `${name}=${value}`)].join(" ");

/** Words as they are, but for the names of --each: all other braces stand for themselves. */
function jobOf(command: readonly string[], columns: Columns): Record<string, unknown> {
  const names = [...columns.keys()];
  const run = command.map((word) => withOwnBraces(word, columns));
  const name = called(
    "job",
    names.map((each) => [each, `{${each}}`]),
  );
  if (names.length === 0) return { name, run };
  return { name, each: names, parameters: Object.fromEntries(columns), run };
}

const BRACE = /\{([A-Za-z_]\w*)(?::[^{}]*)?\}|[{}]/g;

/** Braces that name no column are doubled, which is how a graph writes a brace itself. */
const withOwnBraces = (text: string, columns: Columns): string =>
  text.replaceAll(BRACE, (all, name: string | undefined) =>
    name !== undefined && columns.has(name) ? all : all.replaceAll(/[{}]/g, "$&$&"),
  );

/** Every line for every combination, the first column varying slowest; a shell reads them, since people expect pipes there. */
function jobOfLines(text: string, columns: Columns): Result<Record<string, unknown>, string> {
  const lines = text
    .split("\n")
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== "" && !line.startsWith("#"));
  if (lines.length === 0) return err("the file of commands has none");
  const names: string[] = [];
  const commands: string[] = [];
  for (const { line, number } of lines) {
    const pattern = parsePattern(withOwnBraces(line, columns));
    if ("why" in pattern) return err(`line ${number} ${pattern.why}`);
    for (const row of combinations(columns)) {
      const filled = fill(pattern, row);
      if (filled === null)
        return err(`line ${number}: a value does not fit its format, as {n:03d} needs whole numbers`);
      names.push(called(`line ${number}`, row));
      commands.push(filled);
    }
  }
  return ok({
    name: "{called}",
    each: { zip: ["called", "command"] },
    parameters: { called: names, command: commands },
    run: ["sh", "-c", "{command}"],
  });
}

function combinations(columns: Columns): ReadonlyMap<string, string>[] {
  let rows: ReadonlyMap<string, string>[] = [new Map()];
  for (const [name, values] of columns)
    rows = rows.flatMap((row) => values.map((value) => new Map([...row, [name, value]])));
  return rows;
}

function fill(pattern: Pattern, row: ReadonlyMap<string, string>): string | null {
  let text = "";
  for (const piece of pattern) {
    const words = typeof piece === "string" ? piece : formatValue(row.get(piece.name) ?? "", piece.format);
    if (words === null) return null;
    text += words;
  }
  return text;
}
