import { z } from "zod";
import { describeJobStates, JOB_STATES } from "../core/job-state.ts";
import { filterText, flag, nameParams, pagingUpTo, repeatable } from "./inputs.ts";
import { reads } from "./operation.ts";
import { each, named, paged } from "./wire.ts";

const number = z.number().nullable();
const text = z.string().nullable();

const resultSchema = named("Result", {
  name: z.string().describe("What the person called the job, else unit/node"),
  ...each(z.string(), "unit", "node"),
  state: z.enum(JOB_STATES).describe(describeJobStates()),
  attempts: z.int(),
  exit_code: z.int().nullable().describe("This and what follows are of the last attempt; null: none has ended"),
  cause: text.describe("null: it succeeded, or none has ended"),
  signal: number,
  ...each(number, "wall_sec", "cpu_sec", "peak_memory_mb"),
  memory_mb: number.describe("What it had asked for, or will"),
  cores: number,
  wall_minutes: number,
  ...each(text, "host", "site", "started_at", "ended_at", "reason"),
});
export type ResultView = z.infer<typeof resultSchema>;

const resultPageSchema = named("ResultPage", {
  round: z.int().nullable().describe("null: there is no run yet"),
  credited: z.int().describe("Jobs that an earlier version did; they have no row"),
  live: z.boolean().describe("The engine was asked who runs; otherwise only the ledgers were read"),
  gone: z.boolean().describe("The submit directory is no more"),
  ...paged(resultSchema),
});
export type ResultPageView = z.infer<typeof resultPageSchema>;

const outlineSchema = named("GraphOutline", {
  jobs: z.int(),
  of: z.enum(["jobs", "templates", "layers"]).describe("What a group is: all jobs each while there are few"),
  groups: z.array(
    z.strictObject({
      name: z.string(),
      layer: z.int().describe("The longest way from the beginning, of the first of them"),
      jobs: z.int(),
      ranges: z.array(z.tuple([z.int(), z.int()])).describe("Numbers of its jobs, as in job_000012"),
    }),
  ),
  edges: z
    .array(z.strictObject({ from: z.array(z.int()), to: z.array(z.int()) }))
    .describe("Places in `groups`: each of `to` waits for each of `from`"),
});
export type OutlineView = z.infer<typeof outlineSchema>;

/** What became of the jobs of a request, and how they hang together. */
export const results = {
  list: reads("/requests/:name/results", "Every job of the present round with what it used; whole work units a page", {
    params: nameParams,
    query: z.strictObject({
      ...pagingUpTo(10_000, 500),
      failed: flag.describe("true: only those that failed, and those that cannot run because of them"),
      state: repeatable(JOB_STATES),
      text: filterText.optional().describe("only jobs with this in their names, whatever the case"),
    }),
    answer: resultPageSchema,
  }),
  graph: reads("/requests/:name/graph", "A graph of jobs for whoever draws it; null: its kind has none", {
    params: nameParams,
    answer: z.strictObject({ request_name: z.string(), graph: outlineSchema.nullable() }).meta({ id: "RequestGraph" }),
  }),
};
