import { type Document, getLocation, InvalidKdlError, type Node, parse } from "@bgotink/kdl";
import { parseJson } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Problem } from "../../../core/problem.ts";
import { isDeeper, TOO_DEEP } from "../../../intake/reading/nesting.ts";
import type { Row } from "../../../intake/reading/values.ts";

/** Nodes that may come again and again, and the list that they are entries of. */
const LISTS: Readonly<Record<string, string>> = {
  job: "jobs",
  file: "files",
  user_data: "user_data",
  resource_requirements: "resource_requirements",
  failure_handler: "failure_handlers",
  slurm_scheduler: "slurm_schedulers",
  action: "actions",
};
const LISTS_WITHIN: Readonly<Record<string, string>> = {
  rule: "rules",
  depends_on: "depends_on",
  depends_on_job: "depends_on",
  blocked_by_job: "depends_on",
  depends_on_regexes: "depends_on_regexes",
  input_file: "input_files",
  input_files: "input_files",
  output_file: "output_files",
  output_files: "output_files",
  input_file_regexes: "input_file_regexes",
  output_file_regexes: "output_file_regexes",
  input_user_data: "input_user_data",
  output_user_data: "output_user_data",
  input_user_data_regexes: "input_user_data_regexes",
  output_user_data_regexes: "output_user_data_regexes",
  use_parameters: "use_parameters",
  exit_codes: "exit_codes",
  commands: "commands",
  job: "jobs",
  jobs: "jobs",
  job_name_regexes: "job_name_regexes",
};
const MAX_CHARACTERS = 400_000;

const wrong = (message: string): Result<never, Problem[]> => err([{ path: "", message, allowed: null }]);

/** A Torc spec in KDL 2 as the map that the same spec is in YAML. */
export function parseTorcKdl(text: string): Result<unknown, Problem[]> {
  if (text.length > MAX_CHARACTERS)
    return wrong(`is too long: ${text.length} characters, at most ${MAX_CHARACTERS}; JSON may be longer`);
  if (isDeeper(text, '"')) return wrong(TOO_DEEP);
  try {
    return ok(topOf(parse(text)));
  } catch (error) {
    if (error instanceof InvalidKdlError) return wrong(`is not KDL 2: ${error.message.split("\n", 1)[0]}`);
    throw error;
  }
}

const topOf = ({ nodes }: Document): Row =>
  mapOf(nodes, (node) => {
    const list = LISTS[node.getName()];
    return list === undefined ? null : { list, items: [entryOf(node)] };
  });

/** `job "name" key=value { … }`. */
function entryOf(node: Node): Row {
  const [name] = node.getArguments();
  const isAction = node.getName() === "action";
  const within = mapOf(node.children?.nodes ?? [], (child) => {
    const key = child.getName();
    if (isAction && key === "command") return { list: "commands", items: child.getArguments() };
    const list = LISTS_WITHIN[key];
    return list === undefined ? null : { list, items: list === "rules" ? [entryOf(child)] : child.getArguments() };
  });
  const entry: Row = { ...(name !== undefined && { name }), ...Object.fromEntries(node.getProperties()), ...within };
  if (node.getName() !== "user_data" || typeof entry.data !== "string") return entry;
  const data = parseJson(entry.data);
  return { ...entry, data: data.ok ? data.value : entry.data };
}

type Listed = { readonly list: string; readonly items: readonly unknown[] } | null;

function mapOf(nodes: readonly Node[], listedIn: (node: Node) => Listed): Row {
  const map = new Map<string, unknown>();
  for (const node of nodes) {
    const listed = listedIn(node);
    const key = listed?.list ?? node.getName();
    if (listed) map.set(key, [...((map.get(key) as unknown[] | undefined) ?? []), ...listed.items]);
    else if (map.has(key)) throw new InvalidKdlError(`${key} is given twice`);
    else map.set(key, contentOf(node));
  }
  return Object.fromEntries(map);
}

/** One argument is a value, several are a list, and a block is a map. */
function contentOf(node: Node): unknown {
  const values = node.getArguments();
  if (node.children === null && values.length > 0) return values.length === 1 ? values[0] : values;
  return { ...Object.fromEntries(node.getProperties()), ...mapOf(node.children?.nodes ?? [], () => null) };
}

/** The lines of entries and of the nodes in them, by their paths in the map; null: nobody can say. */
export function torcKdlLines(text: string): (path: string) => number | null {
  const lines = new Map<string, number>();
  const note = (path: string, node: Node): void => {
    const line = getLocation(node)?.start.line;
    if (line !== undefined && !lines.has(path)) lines.set(path, line);
  };
  const counts = new Map<string, number>();
  for (const node of parse(text, { storeLocations: true }).nodes) {
    const list = LISTS[node.getName()];
    const index = counts.get(list ?? "") ?? 0;
    const path = list === undefined ? node.getName() : `${list}[${index}]`;
    if (list !== undefined) counts.set(list, index + 1);
    note(path, node);
    for (const child of node.children?.nodes ?? [])
      note(`${path}.${LISTS_WITHIN[child.getName()] ?? child.getName()}`, child);
  }
  return (path) => {
    for (
      let end = path.length;
      end > 0;
      end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1))
    ) {
      const line = lines.get(path.slice(0, end));
      if (line !== undefined) return line;
    }
    return null;
  };
}
