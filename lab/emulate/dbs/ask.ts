import { parseJson } from "../../../src/core/base/json.ts";
import { type Answer, type Asked, isRow, matcher, type Row } from "../http.ts";
import { DbsError } from "./errors.ts";

/** What is asked for, from the query of a GET or the body of a POST alike: name → values. */
export type Question = ReadonlyMap<string, readonly string[]>;

/** A parameter the endpoint does not know is refused. */
export function questionOf(asked: Asked, known: readonly string[]): Question {
  const found = new Map<string, string[]>();
  const add = (key: string, value: unknown): void => {
    if (!known.includes(key)) throw new DbsError(118, `invalid parameter: ${key}`);
    const values = Array.isArray(value) ? value.map(String) : listed(String(value));
    found.set(key, [...(found.get(key) ?? []), ...values]);
  };
  if (asked.method === "POST") for (const [key, value] of Object.entries(bodyToRead(asked))) add(key, value);
  else for (const [key, value] of asked.query) add(key, value);
  for (const block of found.get("block_name") ?? []) checkBlockName(block);
  return found;
}

const listed = (text: string): string[] => (/^\[.*\]$/.test(text) ? text.slice(1, -1).split(",") : [text]);

export function checkBlockName(name: string): void {
  const parts = name.split("#");
  if (parts.length !== 2 || parts[1]!.length > 36)
    throw new DbsError(113, `block_name "${name}" does not fit its pattern`);
}

function bodyToRead(asked: Asked): Row {
  checkType(asked);
  const parsed = parseJson(asked.body.toString());
  if (!parsed.ok || !isRow(parsed.value))
    throw new DbsError(115, "unable to read the body", { http: 500, reason: parsed.ok ? "no object" : parsed.error });
  return parsed.value;
}
export const bodyToUpdate = bodyToRead;

/** To the letter, even where "; charset=utf-8" follows. A PUT may be of any type. */
function checkType({ method, headers }: Asked): void {
  const type = headers["content-type"];
  if (method === "POST" && type !== "application/json")
    throw new DbsError(117, `unsupported Content-Type: ${type}`, { http: 415 });
}

export function bodyToInsert(asked: Asked): Row {
  checkType(asked);
  const parsed = parseJson(asked.body.toString());
  if (!parsed.ok || !isRow(parsed.value))
    throw new DbsError(122, "unable to decode JSON", { reason: parsed.ok ? "no object" : parsed.error });
  return parsed.value;
}

export const one = (question: Question, key: string): string | undefined => question.get(key)?.[0];
export const isDetailed = (question: Question): boolean =>
  ["1", "true", "True"].includes(one(question, "detail") ?? "");

/** Whether a row's value is among those asked for; always when the question has no such parameter. */
export function fits(question: Question, key: string, value: unknown): boolean {
  const wanted = question.get(key);
  return wanted === undefined || wanted.some((pattern) => matcher(pattern)(String(value)));
}

/** Runs as `1`, `[1,2]` or `100-110`. */
export function runFilter(question: Question): ((run: number) => boolean) | null {
  const wanted = question.get("run_num");
  if (wanted === undefined) return null;
  const ranges = wanted.map((text) => {
    const [first, last] = text.split("-").map(Number);
    return [first ?? 0, last ?? first ?? 0] as const;
  });
  return (run) => ranges.some(([first, last]) => run >= first && run <= last);
}

export const wantsLines = ({ headers }: Asked): boolean => (headers.accept ?? "").includes("application/ndjson");

/** An array, or a row a line for who asked for lines. */
export function rowsAnswer(asked: Asked, rows: readonly unknown[]): Answer {
  const texts = rows.map((row) => JSON.stringify(row));
  if (wantsLines(asked)) return found(asked, texts.map((row) => `${row}\n`).join(""));
  return found(asked, `[${texts.join(",\n")}]\n`);
}
export const found = (asked: Asked, body: NonNullable<Answer["body"]>): Answer => ({
  status: 200,
  headers: { "content-type": wantsLines(asked) ? "application/ndjson" : "application/json" },
  body,
});
