import type { Command } from "commander";
import type { ClassifiedView, UnclassifiedView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { given, megabytes, minutes } from "./act-options.ts";
import { type Client, part, queryText } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { count } from "./view/text.ts";
import { unclassifiedPage } from "./view/unclassified-page.ts";

interface ClassifyOptions {
  readonly retry?: readonly string[];
  readonly fail?: readonly string[];
  readonly memory?: number;
  readonly time?: number;
  readonly sites?: readonly string[];
  readonly reason: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addClassify(program: Command): void {
  program
    .command("unclassified")
    .description("failures no rule knows, with the ends of their logs")
    .argument("<name>", "the request")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 unclassified weather-example
  wms2 classify weather-example --retry mg_000003/proc_000021 --reason "licence server was down"`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<{ json?: boolean }>(command);
      const { items, open } = await unclassified(clientFor(options), name);
      if (options.json) return printJson({ total: items.length, open, items });
      if (items.length === 0) return talk("nothing waits to be classified");
      print(unclassifiedPage(items, { width: widthOf(process.stdout), paint: paintFor(process.stdout) }));
      talk(`${count(items.length, "failure")}, ${open} not classified: wms2 classify ${name} --retry … --fail …`);
    });

  program
    .command("classify")
    .description("say what failures mean that no rule knows; the last one sets the retries going")
    .argument("<name>", "the request")
    .option("--retry <nodes...>", "run these again, like mg_000003/proc_000021; all: every one left")
    .option("--fail <nodes...>", "give these up; all: every one left")
    .option("--memory <size>", 'the retried get this much, like "3 GB"', megabytes)
    .option("--time <time>", 'the retried may run so long, like "8 h"', minutes)
    .option("--sites <sites...>", "the retried may run only there")
    .requiredOption("--reason <text>", "why; it is kept with the nodes")
    .option("--dry-run", "only say what would be done")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 classify muons --retry mg_000003/proc_000021 --fail mg_000004/proc_000030 --reason "seen the logs"
  wms2 classify muons --retry all --memory "4 GB" --reason "they swap" --dry-run`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<ClassifyOptions>(command);
      const client = clientFor(options);
      const items = await itemsOf(client, name, options);
      const query = queryText(options.dryRun ? { dry_run: true } : {});
      const path = `/requests/${part(name)}/classify${query}`;
      const answer = await client.send<ClassifiedView>("POST", path, { items, reason: options.reason });
      if (options.json) return printJson(answer);
      const verb = answer.dry_run ? "would be classified" : answer.already ? "were classified before" : "classified";
      talk(`${count(answer.items.length, "failure")} ${verb}; ${answer.message}`);
    });
}

async function unclassified(client: Client, name: string): Promise<UnclassifiedView> {
  const whole: UnclassifiedView = { total: 0, open: 0, items: [], next_cursor: null };
  for (let cursor: string | undefined; ; ) {
    const page: UnclassifiedView = await client.get<UnclassifiedView>(`/requests/${part(name)}/unclassified`, {
      cursor,
    });
    whole.items.push(...page.items);
    if (page.next_cursor === null) return { ...whole, total: page.total, open: page.open };
    cursor = page.next_cursor;
  }
}

async function itemsOf(client: Client, name: string, options: ClassifyOptions): Promise<readonly object[]> {
  const { retry = [], fail = [], memory, time, sites } = options;
  if (retry.length + fail.length === 0)
    throw new WorldError("bad-usage", name, "nothing to classify: give --retry NODE… or --fail NODE…", {
      hint: `see what waits with: wms2 unclassified ${name}`,
    });
  const wantsAll = retry.includes("all") || fail.includes("all");
  const open = wantsAll ? (await unclassified(client, name)).items.filter(({ classified }) => classified === null) : [];
  const named = new Set([...retry, ...fail]);
  const rest = open.map(({ unit, node }) => `${unit}/${node}`).filter((place) => !named.has(place));
  const expand = (nodes: readonly string[]) => nodes.flatMap((node) => (node === "all" ? rest : [node]));
  const changes = given({ memory_mb: memory, wall_minutes: time, sites });
  return [
    ...expand(retry).map((node) => ({ node, action: "retry", ...changes })),
    ...expand(fail).map((node) => ({ node, action: "fail" })),
  ];
}
