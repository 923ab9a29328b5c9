import type { DagDraft, NodeSpec } from "./dag-file.ts";
import { Fault } from "./lines.ts";
import { findBadMacro } from "./node-scripts.ts";

interface Keyword {
  /** True when the line speaks of nodes that may be declared further down. */
  readonly namesNodes: boolean;
  readonly run: (draft: DagDraft, words: readonly string[], source: string) => void;
}

const RESERVED = new Set(["PARENT", "CHILD", "ALL_NODES"]);

function integer(word: string | undefined, what: string): number {
  if (word === undefined || !/^[+-]?\d{1,9}$/.test(word)) throw new Fault(`Invalid ${what} ${word ?? "(missing)"}`);
  return Number(word);
}

function node(draft: DagDraft, name: string | undefined): NodeSpec {
  const found = name === undefined ? undefined : draft.byName.get(name);
  if (!found) throw new Fault(`Unknown Job ${name ?? "(missing name)"}`);
  return found;
}

/** The number after `keyword` at the end of a line; null: the line ends without it. */
function option(rest: readonly string[], keyword: string): number | null {
  if (rest[0] === undefined) return null;
  if (rest[0].toUpperCase() !== keyword) throw new Fault(`Unexpected token ${rest[0]}`);
  if (rest[2] !== undefined) throw new Fault(`Extra token ${rest[2]}`);
  return integer(rest[1], `${keyword} value`);
}

function addNode(draft: DagDraft, kind: NodeSpec["kind"], words: readonly string[]): void {
  const [name, file, ...rest] = words;
  if (name === undefined || file === undefined) throw new Fault("Missing node name or file");
  if (RESERVED.has(name.toUpperCase())) throw new Fault(`JobName ${name} is a reserved word`);
  if (name.includes("+")) throw new Fault(`JobName ${name} contains the character '+'`);
  if (draft.byName.has(name)) throw new Fault(`Job ${name} is defined twice`);
  if (file.startsWith("{")) throw new Fault("Inline submit descriptions are not supported");
  const flags = { dir: null as string | null, noop: false, done: false };
  for (let i = 0; i < rest.length; i++) {
    const word = (rest[i] as string).toUpperCase();
    if (word === "NOOP") flags.noop = true;
    else if (word === "DONE") flags.done = true;
    else if (word === "DIR" && rest[i + 1] !== undefined) flags.dir = rest[++i] as string;
    else throw new Fault(`Unexpected token ${rest[i]}`);
  }
  const made: NodeSpec = {
    index: draft.nodes.length,
    name,
    kind,
    file,
    ...flags,
    vars: [],
    pre: null,
    post: null,
    retries: 0,
    unlessExit: null,
    preSkip: null,
    abort: null,
    category: null,
    priority: 0,
    children: [],
    parents: 0,
  };
  draft.nodes.push(made);
  draft.byName.set(name, made);
}

function readScript(draft: DagDraft, words: readonly string[]): void {
  let rest = words;
  let defer: { status: number; seconds: number } | null = null;
  if (rest[0]?.toUpperCase() === "DEFER") {
    defer = { status: integer(rest[1], "DEFER status"), seconds: integer(rest[2], "DEFER time") };
    rest = rest.slice(3);
  }
  const type = rest[0]?.toUpperCase();
  if (type !== "PRE" && type !== "POST") throw new Fault(`Unknown or unsupported script type ${rest[0] ?? ""}`);
  const executable = rest[2];
  if (executable === undefined) throw new Fault("SCRIPT without an executable");
  const script = { executable, arguments: rest.slice(3), defer };
  const bad = findBadMacro(script.arguments, type === "POST");
  if (bad) throw new Fault(`Unrecognized macro ${bad} in ${type} script arguments`);
  const field = type === "PRE" ? "pre" : "post";
  node(draft, rest[1])[field] = script;
}

/** `k="v" k2="a \"b\""` as DAGMan unescapes it: \" is a quote, \\ a backslash; null when it does not parse. */
function parseAssignments(text: string): [string, string][] | null {
  const pairs: [string, string][] = [];
  const pattern = /\s*([+\w.]+)\s*=\s*"((?:\\[\s\S]|[^"\\])*)"/y;
  while (pattern.lastIndex < text.length) {
    if (!text.slice(pattern.lastIndex).trim()) break;
    const match = pattern.exec(text);
    if (!match) return null;
    pairs.push([match[1] as string, (match[2] as string).replace(/\\(["\\])/g, "$1")]);
  }
  return pairs.length ? pairs : null;
}

function readVars(draft: DagDraft, words: readonly string[], source: string): void {
  const pairs = parseAssignments(source.replace(/^\S+\s+\S+\s+/, ""));
  if (!pairs) throw new Fault('VARS needs name="value" pairs');
  const bad = pairs.find(([key]) => /^queue/i.test(key));
  if (bad) throw new Fault(`Illegal variable name: ${bad[0]}; variable names cannot begin with "queue"`);
  node(draft, words[0]).vars.push(...pairs);
}

function readParents(draft: DagDraft, words: readonly string[]): void {
  const split = words.findIndex((word) => word.toUpperCase() === "CHILD");
  if (split < 1 || split === words.length - 1) throw new Fault("PARENT line without parents or CHILD nodes");
  const children = words.slice(split + 1).map((name) => node(draft, name));
  for (const name of words.slice(0, split)) {
    const parent = node(draft, name);
    for (const child of children) {
      if (!draft.joins(parent, child)) continue;
      parent.children.push(child.index);
      child.parents += 1;
    }
  }
}

function readRetry(words: readonly string[]): Partial<NodeSpec> {
  const retries = integer(words[1], "RETRY count");
  if (retries < 0) throw new Fault(`Invalid RETRY count ${retries}`);
  return { retries, unlessExit: option(words.slice(2), "UNLESS-EXIT") };
}

function readAbort(words: readonly string[]): Partial<NodeSpec> {
  const on = integer(words[1], "ABORT-DAG-ON value");
  const returns = option(words.slice(2), "RETURN");
  if (returns !== null && (returns < 0 || returns > 255)) throw new Fault(`RETURN value ${returns} is not in 0..255`);
  return { abort: { on, returns } };
}

const declares = (run: Keyword["run"]): Keyword => ({ namesNodes: false, run });
const names = (run: Keyword["run"]): Keyword => ({ namesNodes: true, run });
/** A line that sets something of the node it names. */
const sets = (read: (words: readonly string[]) => Partial<NodeSpec>): Keyword =>
  names((draft, words) => Object.assign(node(draft, words[0]), read(words)));

function given(word: string | undefined, keyword: string, what: string): string {
  if (word === undefined) throw new Fault(`${keyword} without a ${what}`);
  return word;
}

export const KEYWORDS: Readonly<Record<string, Keyword | undefined>> = {
  JOB: declares((draft, words) => addNode(draft, "job", words)),
  SUBDAG: declares((draft, words) => {
    if (words[0]?.toUpperCase() !== "EXTERNAL") throw new Fault("SUBDAG must be EXTERNAL");
    addNode(draft, "subdag", words.slice(1));
  }),
  PARENT: names(readParents),
  VARS: names(readVars),
  SCRIPT: names(readScript),
  RETRY: sets(readRetry),
  "ABORT-DAG-ON": sets(readAbort),
  PRE_SKIP: sets((words) => ({ preSkip: integer(words[1], "PRE_SKIP value") })),
  PRIORITY: sets((words) => ({ priority: integer(words[1], "PRIORITY") })),
  CATEGORY: sets((words) => ({ category: given(words[1], "CATEGORY", "name") })),
  DONE: sets(() => ({ done: true })),
  MAXJOBS: declares((draft, words) => {
    const limit = integer(words[1], "MAXJOBS limit");
    if (limit < 0) throw new Fault(`Invalid MAXJOBS limit ${limit}`);
    draft.maxJobs.set(words[0] as string, limit);
  }),
  NODE_STATUS_FILE: declares((draft, words) => {
    const path = given(words[0], "NODE_STATUS_FILE", "path");
    draft.statusFile = { path, minSec: words[1] ? integer(words[1], "update time") : 60 };
  }),
  CONFIG: declares((draft, words) => {
    if (draft.config !== null) throw new Fault("CONFIG was given twice");
    draft.config = given(words[0], "CONFIG", "path");
  }),
};
