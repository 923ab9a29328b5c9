import { WorldError } from "../core/base/errors.ts";
import { allOf, type Client } from "./client.ts";
import { type Answer, command, listing, type Options, told, type Values } from "./command.ts";
import { BLOCKS } from "./view/tables.ts";
import { bytes, count } from "./view/text.ts";

const OPTIONS = {
  "--reason <text>": "retry, withdraw: why; kept in the audit",
  "--dry-run": "only say what would be done",
} as const satisfies Options;

export const addBlocks = command("blocks", {
  about: "blocks of outputs: registration, rules, and what each waits for",
  arguments: {
    "[what]": "a request; or retry or withdraw",
    "[name]": "retry: a request or a block; withdraw: a request",
  },
  options: OPTIONS,
  examples: [
    "wms2 blocks",
    "wms2 blocks muons",
    'wms2 blocks retry muons --reason "there is quota now"     a request held for its blocks goes on',
    "wms2 blocks retry /Muons/Run2026A-v1/AOD#6d5c7b0e-…",
    'wms2 blocks withdraw muons --reason "replaced" --dry-run   rules are deleted, files invalidated',
  ],
  run({ client, options }, what: string | undefined, name: string | undefined) {
    if (what === "retry") return retry(client, named(what, name), options);
    if (what === "withdraw") return withdraw(client, named(what, name), options);
    if (name !== undefined) throw new WorldError("bad-usage", "blocks", `there is no verb ${what}: retry or withdraw`);
    return list(client, what);
  },
});

function named(verb: string, name: string | undefined): string {
  if (name === undefined)
    throw new WorldError("bad-usage", "blocks", `name the request or block to ${verb}`, {
      hint: `wms2 blocks ${verb} NAME`,
    });
  return name;
}

async function list(client: Client, name: string | undefined): Promise<Answer> {
  const { items } =
    name === undefined ? await allOf(client.blocks.list, {}) : await allOf(client.blocks.ofRequest, { name });
  const size = items.reduce((sum, block) => sum + block.bytes, 0);
  return listing(BLOCKS, items, "no block of outputs yet", `${count(items.length, "block")}, ${bytes(size)}`);
}

async function retry(client: Client, name: string, { reason, dryRun }: Values<typeof OPTIONS>): Promise<Answer> {
  const which = name.includes("#") ? { block: name } : { request: name };
  const answer = await client.blocks.retry({ ...which, reason, dry_run: dryRun });
  return { json: answer, note: told(answer) };
}

async function withdraw(client: Client, name: string, { reason, dryRun }: Values<typeof OPTIONS>): Promise<Answer> {
  if (reason === undefined) throw new WorldError("bad-usage", "blocks", "withdrawing outputs needs --reason");
  const answer = await client.blocks.withdraw({ name, reason, dry_run: dryRun });
  return { json: answer, note: told(answer) };
}
