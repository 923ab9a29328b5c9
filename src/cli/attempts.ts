import type { Command } from "commander";
import type { AttemptPageView } from "../api/client-types.ts";
import { type Client, part } from "./client.ts";
import { wholeNumber } from "./list.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { attemptTable } from "./view/attempt-lines.ts";
import { count } from "./view/text.ts";

interface AttemptsOptions {
  readonly node?: string;
  readonly unit?: string;
  readonly failed?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

export function addAttempts(program: Command): void {
  program
    .command("attempts")
    .description("the story of a request's nodes: a line per attempt, newest round first")
    .argument("<name>", "the request")
    .option("--node <node>", "only of this node, like proc_000021 or mg_000003/merge")
    .option("--unit <unit>", "only of this work unit")
    .option("--failed", "leave out what succeeded at the first attempt")
    .option("--limit <number>", "at most about so many", wholeNumber, 500)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 attempts weather-example
  wms2 attempts weather-example --node mg_000003/proc_000021
  wms2 attempts weather-example --unit mg_000003 --json`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<AttemptsOptions>(command);
      const page = await gather(clientFor(options), name, options);
      if (options.json) return printJson(page);
      const items = options.failed
        ? page.items.filter(({ decision, rrn }) => decision !== "done" || rrn > 1)
        : page.items;
      if (items.length === 0) talk("no attempts are on record");
      else {
        const look = { width: widthOf(process.stdout), paint: paintFor(process.stdout) };
        print(attemptTable({ ...page, items }, look));
      }
      for (const { unit, line, message } of page.unreadable) talk(`${unit}: line ${line} of its ledger: ${message}`);
      for (const dir of page.gone) talk(`${dir} is no more`);
      if (page.next_cursor !== null) talk(`${count(items.length, "attempt")}; --limit shows more`);
    });
}

/** Pages until there is enough; each holds whole work units. */
async function gather(client: Client, name: string, options: AttemptsOptions): Promise<AttemptPageView> {
  const { node, unit, limit } = options;
  const whole: AttemptPageView = { items: [], epochs: [], unreadable: [], gone: [], next_cursor: null };
  let cursor: string | undefined;
  for (;;) {
    const page = await client.get<AttemptPageView>(`/requests/${part(name)}/attempts`, {
      node,
      unit,
      limit: Math.min(10_000, limit - whole.items.length),
      cursor,
    });
    whole.items.push(...page.items);
    whole.epochs.push(...page.epochs);
    whole.unreadable.push(...page.unreadable);
    whole.gone.push(...page.gone);
    if (page.next_cursor === null || whole.items.length >= limit) return { ...whole, next_cursor: page.next_cursor };
    cursor = page.next_cursor;
  }
}
