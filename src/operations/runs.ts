import { z } from "zod";
import { RUN_REASONS } from "../core/credit.ts";
import { flag } from "./inputs.ts";
import { changes, submitErrors } from "./operation.ts";
import { named, strings } from "./wire.ts";

const KINDS = ["submit", "join", "submit-draft", "release", "resume", "restart", "next-version", "nothing"] as const;
/** Jobs that are told of one by one. */
export const MOST_TOLD = 1000;

const jobToRun = z.strictObject({
  job: z.string(),
  why: z.enum(RUN_REASONS),
  about: z.string().nullable().describe("The file or the job that says so"),
});

const runSchema = named("Run", {
  kind: z.enum(KINDS).describe("What it came to; nothing: everything was done before and still holds"),
  request_name: z.string().describe("The request that runs, or would"),
  previous: z.string().nullable().describe("The version before it, if this is a new one"),
  reason: z.string(),
  dry_run: z.boolean(),
  warnings: strings,
  jobs: z
    .strictObject({ total: z.int(), to_run: z.int(), credited: z.int() })
    .nullable()
    .describe("Of a graph: all, those that run, and those that an earlier version did"),
  why: z.array(jobToRun).describe(`Why jobs run, the first ${MOST_TOLD}`),
  why_left: z.int().describe("How many more"),
});
export type RunView = z.infer<typeof runSchema>;

export const runs = {
  start: changes("POST", "/runs", "Submit a request, or go on with the one of its name; ?dry_run=true only tells", {
    query: z.strictObject({ dry_run: flag }),
    body: z.unknown().describe("A request (docs/ and examples/ show its form)"),
    rawBody: ["application/json", "application/yaml"],
    answers: { 200: runSchema, ...submitErrors },
  }),
};
