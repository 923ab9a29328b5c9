import type { FillPlanView, VerifiedView } from "../operations/fill.ts";
import type { Client } from "./client.ts";
import { type Answer, aRequest, command, told } from "./command.ts";
import { given } from "./option-values.ts";
import { talk } from "./terminal.ts";
import { fillPage, planOf } from "./view/fill-page.ts";
import { type Columns, color, table } from "./view/table.ts";
import { count } from "./view/text.ts";

/** There are products that are due and not done. */
const HOLES = 10;
/** Nobody can tell about some: a queue or a disk gives no answer. */
const CANNOT_TELL = 1;
const EXITS = `Exit 0: no holes, ${HOLES}: there are holes, ${CANNOT_TELL}: the state of some is unknown. See docs/exit-codes.md.`;
const NAME = { "<name>": aRequest("the request, of kind segments") };
/** What may change much only says so, unless somebody says yes. */
export const CHANGES = { "--dry-run": "only say what would be done, as without --yes", "--yes": "do it" } as const;
const REASON = { "--reason <text>": "why; it is kept in the audit trail" } as const;

export const addFill = command("fill", {
  about: "show which products of a model run are missing, and make them: only a preview, unless --yes",
  arguments: NAME,
  options: {
    "--component <name>": "only of this component",
    "--from <year>": "only what ends in it or later",
    "--to <year>": "only what ends in it or earlier",
    "--mode <mode>": {
      about: "missing: what was never made; failed: that and what failed; all: what is done, too",
      choices: ["missing", "failed", "all"],
      fallback: "failed",
    },
    "--no-recurse": "leave alone what it needs",
    ...CHANGES,
    ...REASON,
  },
  examples: [
    "wms2 fill cm5",
    "wms2 fill cm5 --component atmos --from 0011 --to 0020 --yes",
    'wms2 fill cm5 --mode all --from 0010 --to 0010 --no-recurse --yes --reason "new script"',
    "wms2 release cm5 --product 'ocean/ts-monthly-5y/*' --reason …    try again what is held",
  ],
  more: EXITS,
  async run({ client, options }, name: string): Promise<Answer> {
    const { component, from, to, mode, recurse = true, reason, yes, dryRun } = options;
    const choice = { name, ...given({ component, from, to }), mode: mode as "failed" };
    if (!yes || dryRun) {
      const plan = await client.fill.plan({ ...choice, recurse: recurse ? "true" : "false" });
      const note = plan.may_be_made ? `nothing was changed (add --yes): ${plan.message}` : plan.message;
      return {
        json: plan,
        page: (look) => fillPage(planOf(plan), look),
        note: `${sum(plan)}; ${note}${unsure(plan)}`,
        ...exitOf(plan),
      };
    }
    const filled = await client.fill.apply({ ...choice, recurse, ...given({ reason }) });
    const { plan, message, already } = filled;
    const note = `${name}: ${message}${already ? ", as was asked for before" : ""}${unsure(plan)}`;
    return { json: filled, page: (look) => fillPage(planOf(plan), look), note, ...exitOf(plan) };
  },
});

const sum = ({ done, holes }: { done: number; holes: number }): string => `${done} done, ${count(holes, "hole")}`;

type Told = Pick<FillPlanView, "holes" | "obstacles">;
const unknown = ({ obstacles }: Told) => obstacles.filter(({ kind }) => kind === "unknown");
export const exitOf = (plan: Told): { exit?: number } =>
  unknown(plan).length > 0 ? { exit: CANNOT_TELL } : plan.holes > 0 ? { exit: HOLES } : {};
function unsure(plan: Told): string {
  const [first, ...others] = unknown(plan);
  if (!first) return "";
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return `\nthe state of ${first.node} is unknown: ${first.reason}${more}; nothing is submitted for it`;
}

const VERIFIED: Columns<VerifiedView["nodes"][number]> = [
  ["product", ({ id }) => id],
  ["", ({ outcome }, { paint }) => color(outcome, { demoted: "yellow", promoted: "green", changed: "cyan" }, paint)],
  ["why", ({ reason }) => reason ?? "", "flexible"],
];

export const addVerify = command("verify", {
  about:
    "check the files of products: mark what is gone or incomplete as missing, what is there as done; only a preview, unless --yes",
  arguments: NAME,
  options: { ...CHANGES, ...REASON },
  examples: ["wms2 verify cm5", 'wms2 verify cm5 --yes --reason "disk was lost"'],
  more: EXITS,
  async run({ client, options: { yes, dryRun, reason } }, name: string): Promise<Answer> {
    const apply = yes === true && !dryRun;
    const ask = (after?: string) => client.fill.verify({ name, dry_run: !apply, ...given({ reason, after }) });
    let answer = await ask();
    const nodes = [...answer.nodes];
    while (answer.next !== null) {
      talk(`${name}: ${answer.message}`);
      answer = await ask(answer.next);
      nodes.push(...answer.nodes);
    }
    const { of, plan } = answer;
    const end = !apply && nodes.length > 0 ? "; nothing was changed; add --yes" : "";
    const note = `${name}: ${count(of, "product")} looked at, ${count(nodes.length, "row")} ${apply ? "put right" : "to be put right"}, ${count(plan.holes, "hole")}${end}`;
    // A plan of a dry run knows only of what the last part found.
    const exit = exitOf({ ...plan, holes: plan.holes + nodes.filter(({ outcome }) => outcome === "demoted").length });
    return { json: { ...answer, nodes }, page: (look) => table(VERIFIED, nodes, look), note, ...exit };
  },
});

/** `wms2 release NAME --product ID…`: not the request, but products of it. */
export async function releaseProducts(
  client: Client,
  name: string,
  nodes: readonly string[],
  { reason, dryRun = false }: { readonly reason?: string; readonly dryRun?: boolean },
): Promise<Answer> {
  const answer = await client.fill.release({ name, nodes: [...nodes], dry_run: dryRun, ...given({ reason }) });
  const moved = answer.moved.length > 0 ? `; changed meanwhile: ${answer.moved.join(", ")}` : "";
  return { json: answer, page: () => answer.nodes.join("\n"), note: `${name}: ${told(answer)}${moved}` };
}
