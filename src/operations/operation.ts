import { z } from "zod";
import type { Problem } from "../core/problem.ts";
import { named } from "./wire.ts";

/**
 * One thing the API can do, as data. Routes, OpenAPI, role checks and the command line's client come from the same
 * entry; what it does stands in src/operations/http/run/, in a function of the same name.
 */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below /api/v1, with `:name` for a parameter. */
  readonly path: string;
  readonly role: Role;
  /** One sentence. */
  readonly about: string;
  readonly note?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Media types of a body that is handed on as the text it is. */
  readonly rawBody?: readonly string[];
  readonly answers: Readonly<Record<number, z.ZodType | Content>>;
}

/** anyone: no token, ever · reader: a token unless on loopback · operator: always a token. */
export type Role = "anyone" | "reader" | "operator";

/** An answer that is not JSON of ours. */
interface Content {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>;
}

/** Text of another type. */
export const content = (description: string, type: string): Content => ({
  description,
  content: { [type]: { schema: z.string() } },
});

const oneProblem = z.strictObject({
  path: z.string(),
  message: z.string(),
  allowed: z.string().nullable(),
  line: z.int().optional().describe("Of a document that was sent as YAML: where it stands"),
});
export const problemList = z.array(oneProblem);
const problemSchema = named("Problem", {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe("What happened, to what"),
  code: z.string().describe("Stable word for programs; one table maps it to HTTP status and exit code"),
  hint: z.string().describe("What to try"),
  problems: problemList
    .optional()
    .describe("Everything wrong with the document or the query, each with what is allowed"),
});
export type ProblemView = z.infer<typeof problemSchema>;

/** All problems in one line. */
export const problemsText = (problems: readonly Problem[]): string =>
  problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");

/** The answers every operation may give beside its own. */
export const problemAnswer = (description: string): Content => ({
  description,
  content: { "application/problem+json": { schema: problemSchema } },
});
const readErrors = {
  400: problemAnswer("Bad usage: an unknown or ill-formed parameter"),
  401: problemAnswer("A token is needed"),
  503: problemAnswer("Store or engine does not answer"),
};
export const itemErrors = { ...readErrors, 404: problemAnswer("Unknown") };
export const changeErrors = {
  ...itemErrors,
  409: problemAnswer("The present state does not allow it"),
  412: problemAnswer("It moved on since If-Match was read"),
};
export const actErrors = { ...changeErrors, 422: problemAnswer("Its fields do not fit: all problems are listed") };
export const submitErrors = {
  ...readErrors,
  409: problemAnswer("The name is taken"),
  413: problemAnswer("Larger than 12 MB"),
  415: problemAnswer("Neither JSON nor YAML"),
  422: problemAnswer("Bad request: all its problems are listed"),
};

export const importErrors = { ...submitErrors, 404: problemAnswer("ReqMgr2 has no request of that name") };

interface Reading {
  readonly answer: z.ZodType | Content;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly role?: Role;
}
type Answers<R extends Reading> = { 200: R["answer"] } & typeof readErrors;

/** One that only reads: one answer, and 404 where it names what it reads. */
export const reads = <const R extends Reading>(path: string, about: string, { answer, ...rest }: R) => {
  const answers = { 200: answer, ...(rest.params ? itemErrors : readErrors) } as Answers<R>;
  return { method: "GET" as const, path, role: "reader" as Role, about, answers, ...(rest as Omit<R, "answer">) };
};

type Changing = Pick<Operation, "params" | "query" | "body" | "rawBody" | "note" | "answers">;

/** One that changes something: for operators. */
export const changes = <const C extends Changing>(
  method: Operation["method"],
  path: string,
  about: string,
  parts: C,
) => ({ method, path, role: "operator" as Role, about, ...parts });

type Nothing = Record<never, never>;
type Output<O, K extends string> = O extends { readonly [P in K]: infer S extends z.ZodType } ? z.output<S> : Nothing;
type Input<O, K extends string> = O extends { readonly [P in K]: infer S extends z.ZodType } ? z.input<S> : Nothing;
/** A body that is no object of ours goes under the name of body. */
type Fields<B> = unknown extends B ? { readonly body: unknown } : Exclude<B, undefined>;
type Merged<P, Q, B> = P & Q & Omit<Fields<B>, keyof Q | keyof P>;
/** Whoever calls may say true for "true". */
type Typed<V> = { [K in keyof V]: "true" extends V[K] ? V[K] | boolean : V[K] };

/** What an operation gets: its path, query and body in one. */
export type InputOf<O> = Merged<Output<O, "params">, Output<O, "query">, Output<O, "body">>;
/** The same, as a caller gives it. */
export type CallerInput<O> = Merged<Input<O, "params">, Typed<Input<O, "query">>, Input<O, "body">>;
type Good<A> = A[keyof A & (200 | 201 | 202)];
/** What an operation answers when all is well, as it travels. */
export type AnswerOf<O> = O extends { readonly answers: infer A } ? z.output<Extract<Good<A>, z.ZodType>> : never;
