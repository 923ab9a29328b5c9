import { WorldError } from "../base/errors.ts";
import { type Client, joined } from "./client.ts";
import { command, type Options, type Values } from "./command.ts";
import { megabytes, minutes } from "./option-values.ts";
import { count } from "./view/text.ts";
import { unclassifiedPage } from "./view/unclassified-page.ts";

export const addUnclassified = command("unclassified", {
  about: "failures no rule knows, with the ends of their logs",
  arguments: { "<name>": "the request" },
  examples: [
    "wms2 unclassified weather-example",
    'wms2 classify weather-example --retry mg_000003/proc_000021 --reason "license server was down"',
  ],
  async run({ client }, name: string) {
    const { items, open } = await unclassified(client, name);
    const rest = `${open} not classified: wms2 classify ${name} --retry … --fail …`;
    return {
      json: { total: items.length, open, items },
      page: (look) => unclassifiedPage(items, look),
      note: items.length === 0 ? "nothing waits to be classified" : `${count(items.length, "failure")}, ${rest}`,
    };
  },
});

const OPTIONS = {
  "--retry <nodes...>": "run these again, like mg_000003/proc_000021; all: every one left",
  "--fail <nodes...>": "give these up; all: every one left",
  "--memory <size>": { about: 'the retried get this much, like "3 GB"', parse: megabytes },
  "--time <time>": { about: 'the retried may run so long, like "8 h"', parse: minutes },
  "--sites <sites...>": "the retried may run only there",
  "--reason <text>": { about: "why; it is kept with the nodes", required: true },
  "--dry-run": "only say what would be done",
} as const satisfies Options;

export const addClassify = command("classify", {
  about: "say what failures mean that no rule knows; the last one sets the retries going",
  arguments: { "<name>": "the request" },
  options: OPTIONS,
  examples: [
    'wms2 classify muons --retry mg_000003/proc_000021 --fail mg_000004/proc_000030 --reason "seen the logs"',
    'wms2 classify muons --retry all --memory "4 GB" --reason "they swap" --dry-run',
  ],
  async run({ client, options }, name: string) {
    const items = await itemsOf(client, name, options);
    const { reason, dryRun: dry_run } = options;
    const answer = await client.attempts.classify({ name, items, reason, dry_run });
    const verb = answer.dry_run ? "would be classified" : answer.already ? "were classified before" : "classified";
    return { json: answer, note: `${count(answer.items.length, "failure")} ${verb}; ${answer.message}` };
  },
});

const unclassified = (client: Client, name: string) =>
  joined((cursor) => client.attempts.unclassified({ name, cursor }));

async function itemsOf(
  client: Client,
  name: string,
  { retry = [], fail = [], memory, time, sites }: Values<typeof OPTIONS>,
) {
  if (retry.length + fail.length === 0)
    throw new WorldError("bad-usage", name, "nothing to classify: give --retry NODE… or --fail NODE…", {
      hint: `see what waits with: wms2 unclassified ${name}`,
    });
  const wantsAll = retry.includes("all") || fail.includes("all");
  const open = wantsAll ? (await unclassified(client, name)).items.filter(({ classified }) => classified === null) : [];
  const named = new Set([...retry, ...fail]);
  const rest = open.map(({ unit, node }) => `${unit}/${node}`).filter((place) => !named.has(place));
  const expand = (nodes: readonly string[]) => nodes.flatMap((node) => (node === "all" ? rest : [node]));
  const changes = { memory_mb: memory, wall_minutes: time, sites: sites && [...sites] };
  return [
    ...expand(retry).map((node) => ({ node, action: "retry" as const, ...changes })),
    ...expand(fail).map((node) => ({ node, action: "fail" as const })),
  ];
}
