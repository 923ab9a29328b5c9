import { z } from "zod";
import type { Operation } from "../operation.ts";
import type { Fields } from "./ask.ts";

/** One call that makes sense next. */
export interface Step {
  readonly tool: string;
  readonly arguments: Fields;
  readonly why: string;
}

/** Which operation is a tool, and how: a row of the table in tools.ts. */
export interface ToolRow {
  /** "subject.operation" in the table of operations. */
  readonly of: string;
  /** What it is for, where the operation's own sentence is not for agents. */
  readonly about?: string;
  /** Its answer holds what jobs wrote. */
  readonly outside?: true;
  /** The fields it takes; all of the operation when left out. */
  readonly takes?: readonly string[];
  /** Fields that always have these values. */
  readonly fixed?: Fields;
  /** It changes nothing although it is no GET. */
  readonly looks?: true;
  /** The only field of the answer that is shown, by its path; or fields that are not. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  /** The field of the answer that is cut into pages; `items` when left out. */
  readonly list?: string;
  readonly next?: (answer: Fields, input: Fields) => readonly Step[];
  /** What it undoes cannot be brought back. */
  readonly destroys?: boolean;
}

export interface Tool extends ToolRow {
  readonly name: string;
  readonly operation: Operation;
  readonly changes: boolean;
  /** What an agent may say, checked before anybody is asked. */
  readonly input: z.ZodObject;
}

type Subjects = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The tools of the rows whose operation there is. */
export function makeTools(rows: Readonly<Record<string, ToolRow>>, operations: Subjects): ReadonlyMap<string, Tool> {
  const tools = Object.entries(rows).flatMap(([name, row]): [string, Tool][] => {
    const [subject = "", key = ""] = row.of.split(".");
    const operation = operations[subject]?.[key];
    if (!operation) return [];
    const changes = operation.method !== "GET" && row.looks !== true;
    return [[name, { ...row, name, operation, changes, input: inputOf(operation, row, changes) }]];
  });
  return new Map(tools);
}

/** What the tool itself makes of an operation's own. */
const OWN = ["dry_run", "cursor", "width"];

function inputOf(
  { params, query, body }: Operation,
  { takes, fixed = {}, destroys }: ToolRow,
  changes: boolean,
): z.ZodObject {
  const all: Record<string, z.ZodType> = { ...bodyFields(body), ...query?.shape, ...params?.shape };
  // The operation refuses without one.
  if (destroys && all.reason instanceof z.ZodOptional) all.reason = all.reason.unwrap() as z.ZodType;
  const named = Object.entries(all).filter(
    ([name]) => !OWN.includes(name) && !(name in fixed) && (!takes || takes.includes(name)),
  );
  return z.strictObject({ ...Object.fromEntries(named), ...(changes ? CHANGE : LOOK) });
}

const LOOK = { cursor: z.string().max(1200).optional().describe("next_cursor of the answer before: the rest of it") };
const CHANGE = {
  dry_run: z.boolean().default(true).describe("true: only say what would be done, and give a confirm token for it"),
  confirm: z.string().max(200).optional().describe("of the dry run's answer; needed with dry_run: false"),
};

function bodyFields(body: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  if (body === undefined) return {};
  if (body instanceof z.ZodObject) return body.shape;
  if (body instanceof z.ZodPrefault || body instanceof z.ZodDefault) return bodyFields(body.unwrap() as z.ZodType);
  return { document: z.string().min(1).describe("the request as YAML or JSON text") };
}

/** An input as the operation takes it. */
export function operationInput({ fixed = {}, operation }: Tool, { document, ...input }: Fields): Fields {
  const isText = operation.rawBody !== undefined && document !== undefined;
  return { ...input, ...fixed, ...(isText && { body: document }) };
}
