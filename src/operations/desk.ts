import { z } from "zod";
import { OPERATOR_ACTIONS } from "../recovery/round/actions.ts";
import { exitCode, filterText, limitUpTo, nameParams, nameText, paging, repeatable, siteText } from "./inputs.ts";
import { reads } from "./operation.ts";
import { bulkFilterSchema, estimateSchema } from "./request-list.ts";
import { anything, each, named, paged, strings, time } from "./wire.ts";

const text = z.string().nullable();
const causeSchema = named("Cause", {
  key: z.string().describe("Of this cause, as long as it is there"),
  exit_code: z.int(),
  name: z.string().describe("The code as people write it: 8021, SIGKILL, 137 oom"),
  ...each(text, "cause", "rule", "meaning"),
  site: text.describe("Where it fails more often than elsewhere; null: it fails alike, or nobody can tell"),
  category: z.string(),
  file: text.describe("An input file there is proof against"),
  requests: z.int(),
  held: z.int().describe("Of those requests, how many are held"),
  ...each(z.int(), "failures", "units", "unclassified"),
  retrying: z.int().describe("Jobs of the same kind that are to be retried; they are no failures yet"),
  first_at: time.nullable(),
  last_at: time.nullable(),
  request_names: strings.describe("Those with most failures first, at most 20"),
  example: z.strictObject({ ...each(z.string(), "request_name", "unit", "node", "reason"), cluster: z.int() }),
  suggestion: z.strictObject({
    action: z.string().describe("What to try: wait, classify, recover, rescue, release, restart"),
    reason: z.string(),
    /** For POST /requests/bulk. */
    body: anything.nullable().describe("As a body of POST /requests/bulk, without reason; null: it is no bulk action"),
    command: text.describe("The same for a shell; FILE and TEXT are to be filled in; null: there is no one command"),
    everybody_command: text.describe("Where a site is to be left out: so that all requests do"),
  }),
  filter: bulkFilterSchema.describe("Chooses these requests in GET /requests and POST /requests/bulk"),
});
export type CauseView = z.infer<typeof causeSchema>;
const causesSchema = named("Causes", {
  items: z.array(causeSchema),
  looked_at: time.nullable().describe("When the oldest of the ledgers behind it was read; null: none was yet"),
});

const counts = each(z.int(), "total", "done", "failed", "running");
const sample = z.strictObject({ at: time, ...counts });
const historySchema = named("History", {
  request_name: text.describe("null: all requests together"),
  since: time,
  step_seconds: z.int(),
  now: z.strictObject(counts).nullable().describe("As lists count them at this moment; null: nothing was planned yet"),
  samples: z.array(sample).describe("Oldest first. One that is missing is as the one before"),
  eta: estimateSchema.nullable(),
});

export const FEED_KINDS = ["transition", "action", "alert", "ban", "run"] as const;
const feedEntry = named("FeedEntry", {
  at: time,
  kind: z.enum(FEED_KINDS),
  subject: z.string().describe("A request, a site, or what else it happened to"),
  what: z.string(),
  actor: text.describe("null: it happened by itself"),
  text: z.string(),
});
const feedSchema = named("Feed", { ...paged(feedEntry), since: time, at: time.describe("The clock of the server") });

const OPEN_KINDS = ["held", "wait", "cause", "alert", "site"] as const;
const handoverSchema = named("Handover", {
  host: z.string(),
  since: time,
  at: time.describe("The clock of the server"),
  sentence: z.string().describe("What waits for a person, and what happened, in one sentence"),
  entries: z.int().describe("How many entries of the feed are counted in it"),
  open: z
    .array(
      z.strictObject({
        kind: z.enum(OPEN_KINDS).describe("held, wait: requests that wait for a person"),
        code: z.string().describe("What they have in common: a hold, a wait, what fails, a kind of alert, a site"),
        count: z.int().describe("Requests, alerts or sites, over all there are"),
        since: time.nullable(),
        text: z.string().describe("Of the one that is longest so"),
        subjects: strings.describe("The first of them"),
        actor: text.describe("Who takes care of it; null: nobody has said so"),
        command: z.string().describe("Lists them all"),
      }),
    )
    .describe("What is not over and may need a person"),
  groups: z
    .array(
      z.strictObject({
        kind: z.enum(FEED_KINDS),
        what: z.string(),
        actor: text.describe("null: it happened by itself, or by several"),
        text: z.string().describe("Why; empty: it went as usual, for reasons that differ"),
        texts: z.int().describe("How many reasons there are that differ only in numbers and names; text is the newest"),
        count: z.int(),
        first_at: time,
        last_at: time,
        subjects: strings.describe("The first ten by name"),
        subjects_total: z.int(),
      }),
    )
    .describe("What happened: what went as usual is counted, what did not keeps its reason and comes first"),
  more: z
    .array(
      z.strictObject({
        kind: z.string().describe("Of open or groups; open-alert: of alerts that are open"),
        lines: z.int(),
        count: z.int().describe("What is counted in those lines"),
        command: z.string().describe("Lists them all"),
      }),
    )
    .describe("What there is beyond the lines above"),
});
const foundSchema = named("Found", {
  items: z.array(
    z.strictObject({
      kind: z.enum(["request", "site", "run", "node"]),
      name: z.string(),
      request_name: text,
      text: z.string(),
    }),
  ),
  note: text.describe("Why there may be more than was found"),
});

const actionChoice = named("ActionChoice", {
  action: z.enum(OPERATOR_ACTIONS),
  meaning: z.string(),
  allowed: z.boolean(),
  why_not: z.string().describe("Empty when it is allowed"),
  needs_reason: z.boolean(),
  destroys: z.boolean().describe("What it ends cannot be brought back"),
  effect: text.describe("What it would do now, in words; null: it is not allowed"),
  warnings: strings,
  detail: anything,
  command: z.string().describe("The same for a shell"),
});
export type ActionChoiceView = z.infer<typeof actionChoice>;
const actionsSchema = named("Actions", {
  request_name: z.string(),
  version: z.int().describe("What was looked at; give it as If-Match"),
  status: z.string(),
  items: z.array(actionChoice),
});

const hours = limitUpTo(720, 24).describe("how many hours back, 1…720; 24 when left out");
const SINCE = "a time like 2026-11-16T08:00:00Z, or how long ago: 30m, 8h, 2d; 8h when left out";

const happened = {
  since: z.string().max(40).default("8h").describe(SINCE),
  kind: repeatable(FEED_KINDS),
  subject: nameText.optional().describe("only of this request or site"),
};

/** What the operator's desk shows of many requests at once. */
export const desk = {
  causes: reads("/causes", "What fails, over all requests: by code, place and file, with what to do about it", {
    query: z.strictObject({
      limit: limitUpTo(1000, 100),
      site: siteText.optional().describe("only at this site"),
      code: exitCode.optional().describe("only with this exit code, -2000…999999"),
      over: z.enum(["true", "false"]).default("false").describe("true: of requests that failed in the last day, too"),
    }),
    answer: causesSchema,
  }),
  history: reads("/history", "How many units were done, every five minutes, of all requests together", {
    query: z.strictObject({ hours }),
    answer: historySchema,
  }),
  requestHistory: reads("/requests/:name/history", "How many units were done, every five minutes", {
    params: nameParams,
    query: z.strictObject({ hours }),
    answer: historySchema,
  }),
  feed: reads("/feed", "What happened, oldest first: moves, actions of people, alerts, bans, runs", {
    query: z.strictObject({ ...paging, ...happened }),
    answer: feedSchema,
  }),
  handover: reads("/handover", "The shift report: what is open, and what happened since, grouped; text for people", {
    query: z.strictObject(happened),
    answer: handoverSchema,
  }),
  search: reads("/search", "Requests and sites by a part of their name, runs and jobs by the id the engine gave them", {
    query: z.strictObject({ q: filterText.describe("what to look for"), limit: limitUpTo(100, 20) }),
    answer: foundSchema,
  }),
  actions: reads("/requests/:name/actions", "What an operator may do with it, what each would do now, and why not", {
    params: nameParams,
    answer: actionsSchema,
  }),
};
