import { deskUrl } from "../core/base/desk-url.ts";
import { WorldError } from "../core/base/errors.ts";
import type { AcknowledgedView } from "../operations/operators.ts";
import { allOf } from "./client.ts";
import { command, listing } from "./command.ts";
import { wholeNumber } from "./option-values.ts";
import { talk } from "./terminal.ts";
import { ALERTS, AUDIT, QUEUE } from "./view/tables.ts";

export const addQueue = command("queue", {
  about: "the queue: which requests wait for a slot, at which position, and why",
  options: { "--max-active <number>": "requests that may be in the engine at once; kept over restarts" },
  examples: [
    "wms2 queue",
    "wms2 queue --max-active 50",
    "wms2 queue --max-active 0          start nothing new; what runs goes on",
  ],
  async run({ client, options: { maxActive, json } }) {
    if (maxActive !== undefined) {
      if (!/^\d{1,6}$/.test(maxActive))
        throw new WorldError("bad-usage", "--max-active", "--max-active is a whole number from 0 to 100000");
      const now = await client.admission.configure({ max_active_dags: Number(maxActive) });
      talk(`at most ${now.max_active_dags} requests in the engine at once`);
    }
    const queue = await client.admission.queue();
    const { active_dags, max_active_dags, queued_workflows, entries } = queue;
    if (!json) talk(`${active_dags} of ${max_active_dags} slots taken, ${queued_workflows} waiting`);
    return { ...listing(QUEUE, entries, ""), json: queue };
  },
});

export const addAlerts = command("alerts", {
  about: "what people should know: stuck requests, engines that do not answer, …",
  arguments: {
    "[verb]": { about: "what to do", choices: ["list", "ack"], fallback: "list" },
    "[ids...]": "the alerts",
  },
  options: { "--all": "closed ones too", "--reason <text>": "what is done about it; kept with the acknowledgement" },
  examples: ["wms2 alerts", 'wms2 alerts ack 12 --reason "ticket 4711"'],
  async run({ client, options: { all, reason } }, verb: "list" | "ack", ids: readonly string[]) {
    if (verb === "list") {
      const { items } = await allOf(client.alerts.list, { state: all ? "all" : "open" } as const, 1000);
      return listing(ALERTS, items, "no alerts", `see them at ${deskUrl(client.url, "alerts")}`);
    }
    if (ids.length === 0)
      throw new WorldError("bad-usage", "alerts", "which alert?", { hint: "see their ids with: wms2 alerts" });
    const items: AcknowledgedView[] = [];
    for (const id of ids) {
      const alert = await client.alerts.acknowledge({ id, reason });
      items.push(alert);
      talk(`${id}: ${alert.already ? "was acknowledged before" : "acknowledged"} by ${alert.acknowledged_by}`);
    }
    return { json: { items } };
  },
});

export const addAudit = command("audit", {
  about: "who did what, when and why; newest first",
  arguments: { "[name]": "only what was done to this request or site" },
  options: { "--limit <number>": { about: "at most so many", parse: wholeNumber, fallback: 50 } },
  json: "as JSON",
  examples: ["wms2 audit", "wms2 audit weather-example --json"],
  async run({ client, options }, name: string | undefined) {
    const { items } = await allOf(client.audit.list, { subject: name }, options.limit);
    return listing(AUDIT, items, "nothing is on record");
  },
});
