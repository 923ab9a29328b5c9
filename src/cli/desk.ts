import { FEED_KINDS } from "../operations/desk.ts";
import { OPERATIONS } from "../operations/table.ts";
import { aRequest, command } from "./command.ts";
import { wholeNumber } from "./option-values.ts";

/** What the desk says of many requests at once; the words are the server's own. */

export const addCauses = command("causes", {
  about: "what fails, over all requests: by code, site and file, with what to do about it",
  options: { "--site <site>": "only at this site", "--over": "of requests that failed in the last day, too" },
  examples: ["wms2 causes", "wms2 causes --site north --json | jq .items[].suggestion"],
  async run({ client, options: { site, over, json } }) {
    const wanted = { ...(site !== undefined && { site }), over: over ? ("true" as const) : ("false" as const) };
    if (json) return { json: await client.desk.causes(wanted) };
    const text = await client.text(OPERATIONS.desk.causes, wanted);
    return { json: null, page: () => text };
  },
});

export const addFeed = command("feed", {
  about: "what happened since a time, oldest first: moves, actions of people, alerts, bans, runs",
  options: {
    "--since <time>": { about: "2026-11-16T08:00:00Z, or how long ago: 30m, 8h, 2d", fallback: "8h" },
    "--kind <kind>": { about: "only these", choices: FEED_KINDS },
    "--subject <name>": "only of this request or site",
    "--limit <number>": { about: "at most so many", parse: wholeNumber, fallback: 500 },
  },
  examples: ["wms2 feed --since 12h", "wms2 feed --since 2026-11-16T06:00:00Z > handover.txt"],
  async run({ client, options: { since, kind, subject, limit, json } }) {
    const of = FEED_KINDS.find((word) => word === kind);
    const wanted = { since: String(since), limit, ...(of && { kind: of }), ...(subject !== undefined && { subject }) };
    if (json) return { json: await client.desk.feed(wanted) };
    const text = await client.text(OPERATIONS.desk.feed, wanted);
    return { json: null, page: () => text };
  },
});

export const addHandover = command("handover", {
  about: "the shift report: what is open now, and what happened since a time, grouped",
  options: {
    "--since <time>": { about: "2026-11-16T08:00:00Z, or how long ago: 30m, 8h, 2d", fallback: "8h" },
    "--subject <name>": "only of this request or site",
  },
  examples: ["wms2 handover", "wms2 handover --since 12h > handover.txt"],
  async run({ client, options: { since, subject, json } }) {
    const wanted = { since: String(since), ...(subject !== undefined && { subject }) };
    if (json) return { json: await client.desk.handover(wanted) };
    const text = await client.text(OPERATIONS.desk.handover, wanted);
    return { json: null, page: () => text };
  },
});

export const addActions = command("actions", {
  about: "what may be done with a request now, what each would do, and why the others may not",
  arguments: { "<name>": aRequest("the request") },
  examples: ["wms2 actions weather-example"],
  async run({ client, options: { json } }, name: string) {
    if (json) return { json: await client.desk.actions({ name }) };
    const text = await client.text(OPERATIONS.desk.actions, { name });
    return { json: null, page: () => text };
  },
});

export const addSearch = command("search", {
  about: "find requests and sites by a part of their name, runs and jobs by the engine's id",
  arguments: { "<text>": "what to look for" },
  examples: ["wms2 search muons", "wms2 search 48151623"],
  async run({ client, options: { json } }, q: string) {
    if (json) return { json: await client.desk.search({ q }) };
    const text = await client.text(OPERATIONS.desk.search, { q });
    return { json: null, page: () => text };
  },
});
