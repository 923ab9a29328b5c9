import { WorldError } from "../core/base/errors.ts";
import { type Client, joined } from "./client.ts";
import { aRequest, command, type Options, told, type Values } from "./command.ts";
import { megabytes, minutes } from "./option-values.ts";
import { count } from "./view/text.ts";
import { unclassifiedPage } from "./view/unclassified-page.ts";

export const addUnclassified = command("unclassified", {
  about: "failures no rule knows, with the ends of their logs",
  arguments: { "<name>": aRequest("the request") },
  examples: [
    "wms2 unclassified weather-example",
    'wms2 classify weather-example --retry mg_000003/proc_000021 --reason "license server was down"',
  ],
  async run({ client }, name: string) {
    const { items, open } = await unclassified(client, name);
    const rest = `${open} to classify: wms2 groups ${name}, then wms2 classify ${name} --retry all --reason TEXT`;
    return {
      json: { total: items.length, open, items },
      page: (look) => unclassifiedPage(items, look),
      note: open === 0 ? "nothing waits to be classified" : `${count(items.length, "failure")}, ${rest}`,
    };
  },
});

const OPTIONS = {
  "--retry <nodes...>": "run these again, like mg_000003/proc_000021; all: every one left",
  "--fail <nodes...>": "give these up; all: every one left",
  "--group <keys...>": "with all: every failure of these groups, as wms2 groups lists them",
  "--remember": "keep it as a rule: runs planned or rescued from now on decide so by themselves",
  "--memory <size>": { about: 'the retried get this much, like "3 GB"', parse: megabytes },
  "--time <time>": { about: 'the retried may run so long, like "8 h"', parse: minutes },
  "--sites <sites...>": "the retried may run only there",
  "--reason <text>": { about: "why; it is kept with the nodes", required: true },
  "--dry-run": "only say what would be done",
} as const satisfies Options;

export const addClassify = command("classify", {
  about: "say what failures mean that no rule knows; when all are classified, the retries start",
  arguments: { "<name>": aRequest("the request") },
  options: OPTIONS,
  examples: [
    'wms2 classify muons --retry mg_000003/proc_000021 --fail mg_000004/proc_000030 --reason "seen the logs"',
    'wms2 classify muons --retry all --memory "4 GB" --reason "they swap" --dry-run',
    'wms2 classify muons --group 3f2a91c04d --fail all --remember --reason "wrong geometry tag"',
  ],
  async run({ client, options }, name: string) {
    const items = await itemsOf(client, name, options);
    const { reason, remember, dryRun: dry_run } = options;
    const answer = await client.attempts.classify({ name, items, reason, remember, dry_run });
    const rules = answer.rules.map(
      ({ outcome, rule }) => `${RULE_WORDS[outcome]} ${rule.id}: ${rule.action} /${rule.stderr}/`,
    );
    const note = [told(answer), ...rules].join("\n");
    return { json: answer, note };
  },
});

const RULE_WORDS = {
  remembered: "remembered as",
  already: "was remembered before as",
  would: "would be remembered as",
};

const unclassified = (client: Client, name: string) =>
  joined((cursor) => client.attempts.unclassified({ name, cursor }));

async function itemsOf(
  client: Client,
  name: string,
  { retry = [], fail = [], group = [], memory, time, sites }: Values<typeof OPTIONS>,
) {
  if (retry.length + fail.length === 0)
    throw new WorldError("bad-usage", name, "nothing to classify: give --retry NODE… or --fail NODE…", {
      hint: `see what waits with: wms2 unclassified ${name}`,
    });
  const changes = { memory_mb: memory, wall_minutes: time, sites: sites && [...sites] };
  const wantsAll = retry.includes("all") || fail.includes("all");
  if (group.length > 0 && !(wantsAll && retry.length + fail.length === 1))
    throw new WorldError("bad-usage", name, "--group goes with --retry all or --fail all, and nothing else", {
      hint: `see the groups with: wms2 groups ${name}`,
    });
  if (group.length > 0)
    return group.map((key) =>
      retry.length > 0 ? { group: key, action: "retry" as const, ...changes } : { group: key, action: "fail" as const },
    );
  const open = wantsAll ? (await unclassified(client, name)).items.filter(({ classified }) => classified === null) : [];
  const named = new Set([...retry, ...fail]);
  const rest = open.map(({ unit, node }) => `${unit}/${node}`).filter((place) => !named.has(place));
  const expand = (nodes: readonly string[]) => nodes.flatMap((node) => (node === "all" ? rest : [node]));
  return [
    ...expand(retry).map((node) => ({ node, action: "retry" as const, ...changes })),
    ...expand(fail).map((node) => ({ node, action: "fail" as const })),
  ];
}
