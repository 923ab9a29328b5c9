import { z } from "zod";
import { STATE_ACTIONS } from "../core/frepp.ts";
import { NODE_STATES } from "../core/segments.ts";
import { TRANSFER_OUTPUTS, TRANSFER_STATES, TRANSFER_STEPS } from "../core/transfers.ts";
import { dryRunQuery, nameParams, reasonText } from "./inputs.ts";
import { actErrors, changes, reads } from "./operation.ts";
import { each, named, strings, time } from "./wire.ts";

const directory = z.string().min(1).max(4000).describe("absolute, as the server sees it");
const dry_run = z.boolean().optional().describe("true: only say what would be done");
const no = (about: string) => z.boolean().default(false).describe(about);

const stateLine = named("StateLine", {
  file: z.string(),
  action: z
    .enum(STATE_ACTIONS)
    .describe(
      "same · take: it becomes ours · write, remove: the file changes · conflict: the file is newer · keep: it stays as it is · nothing-due: nothing ends in that year · unknown: no component of the request",
    ),
  theirs: z.string().nullable().describe("What the file says; null: there is none"),
  ours: z.string().nullable().describe("What we know, in the words of frepp; null: it needs no file"),
  nodes: z.int().describe("Products it is about"),
  reason: z.string(),
});
export type StateLineView = z.infer<typeof stateLine>;

const stateSchema = named("StateFiles", {
  request_name: z.string(),
  dry_run: z.boolean(),
  lines: z.array(stateLine),
  others: strings.describe("What else is in the directory; it is left alone"),
  moved: strings.describe("What somebody changed at the same moment, and what was left as it is"),
});
export type StateView = z.infer<typeof stateSchema>;

const tries = z.strictObject({ failed: z.int().describe("−1: a retry does not help"), limit: z.int() }).nullable();
const transfer = named("Transfer", {
  segment: z.string(),
  output: z.enum(TRANSFER_OUTPUTS),
  file: z.string().nullable().describe("Its argument file; null: there is none"),
  state: z.enum([...TRANSFER_STATES, ...NODE_STATES]),
  reason: z.string(),
  until: time.nullable().describe("When it is tried next; null: now, or not by itself"),
  left: z.array(z.enum(TRANSFER_STEPS)).describe("What is still to be done, in order"),
  ...each(tries, "saves", "transfers"),
  lock: z.enum(["held", "stale", "unknown"]).nullable().describe("null: it is not locked"),
});
export type TransferView = z.infer<typeof transfer>;

const retriedSchema = named("RetriedTransfers", {
  request_name: z.string(),
  dry_run: z.boolean(),
  items: z.array(
    z.strictObject({
      segment: z.string(),
      action: z.enum(["retry", "leave"]),
      reason: z.string(),
      removes_lock: z.boolean(),
    }),
  ),
  moved: strings.describe("Segments that moved on at the same moment"),
  message: z.string().describe("What is (or would be) done"),
});
export type RetriedView = z.infer<typeof retriedSchema>;

const params = nameParams;
const query = dryRunQuery;

/** A model run that frepp looks after, too. */
export const frepp = {
  importState: changes("POST", "/requests/:name/state/import", "Bring frepp's state files into the rows of a request", {
    params,
    query,
    body: named("ImportState", {
      directory,
      repair: no("what an empty file stands for is planned again"),
      theirs: no("files that are newer than our rows are believed"),
      dry_run,
    }),
    answers: { 200: stateSchema, ...actErrors },
  }),
  exportState: changes("POST", "/requests/:name/state/export", "Write the rows of a request as frepp's state files", {
    params,
    query,
    body: named("ExportState", { directory, ours: no("files that are newer than our rows are overwritten"), dry_run }),
    answers: { 200: stateSchema, ...actErrors },
  }),
  transfers: reads("/requests/:name/transfers", "How far the output of each segment is on its way", {
    params,
    answer: named("Transfers", { request_name: z.string(), items: z.array(transfer) }),
  }),
  retryTransfers: changes("POST", "/requests/:name/transfers/retry", "Try transfers again now; stale locks go first", {
    params,
    query,
    body: named("RetryTransfers", {
      segments: z
        .array(z.string().max(40))
        .max(10_000)
        .default([])
        .describe("like 0013; all that are not done when left out"),
      force: no("once more, although the limit is reached; counters stay"),
      reason: reasonText.optional(),
      dry_run,
    }).prefault({}),
    answers: { 200: retriedSchema, ...actErrors },
  }),
};
