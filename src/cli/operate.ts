import { WorldError } from "../core/base/errors.ts";
import { stringify } from "../core/base/json.ts";
import { releaseFields } from "../core/release.ts";
import { MEANT, type OperatorAction } from "../recovery/round/actions.ts";
import { ACT_OPTIONS, actOn } from "./act.ts";
import type { Client } from "./client.ts";
import { type Answer, aRequest, collect, command, type Options, optionName } from "./command.ts";
import { releaseProducts } from "./fill.ts";
import { given, megabytes, minutes, number } from "./option-values.ts";
import { readRequestFile } from "./request-file.ts";

const FROM = {
  "--from <file>": "the request as it should have been: what differs is shown",
} as const satisfies Options;
const PARSERS = { texts: collect, megabytes, number };
const RELEASE_OPTIONS: Options = {
  ...Object.fromEntries(
    releaseFields.flatMap(([, { flags, typed }]) =>
      Object.entries(flags).map(([flag, about]) => [flag, typed ? { about, parse: PARSERS[typed] } : about]),
    ),
  ),
  ...FROM,
  "--product <ids...>": "not the request, but these products of a model run; * stands for any text",
  "--how <way>": "rescue: go on with the same run; next-round: leave it behind",
};
const INVALIDATE = {
  "--invalidate": "withdraw its outputs, too: rules are deleted, files invalidated",
} as const satisfies Options;
const RESTART_OPTIONS = {
  ...FROM,
  "--cleanup-policy <policy>": "keep_until_replaced, or immediate_cleanup: of the old outputs",
} as const satisfies Options;

/** The fields of an action as the API wants them. */
export function actionBody(typed: object): Readonly<Record<string, unknown>> {
  const options = typed as Readonly<Record<string, unknown>>;
  const release = releaseFields.map(([name, { flags }]) => [name, options[optionName(Object.keys(flags)[0]!)]]);
  return given({
    ...Object.fromEntries(release),
    how: options.how,
    cleanup_policy: options.cleanupPolicy,
    invalidate: options.invalidate,
  });
}

const action = (name: OperatorAction, about: string, examples: readonly string[], more: Options = {}) =>
  command(name, {
    about,
    arguments: { "[names...]": aRequest("the requests") },
    options: { ...ACT_OPTIONS, ...more },
    examples,
    run: ({ client, options }, names: readonly string[]) =>
      productsIn(client, names, options) ??
      actOn(client, name, names, options, {
        ...(name === "stop" && MEANT.stop),
        ...actionBody(options),
        ...corrected(names, options as { from?: string }),
      }),
  });

/** null: it is about requests. */
function productsIn(client: Client, names: readonly string[], typed: object): Promise<Answer> | null {
  const { product, ...options } = typed as { product?: readonly string[]; reason?: string; dryRun?: boolean };
  if (!product) return null;
  const [name] = names;
  if (names.length !== 1 || !name)
    throw new WorldError("bad-usage", "--product", "--product is about one request, by its name");
  return releaseProducts(client, name, product, options);
}

/** The file as it travels with `submit`, under the name of the request it corrects. */
function corrected(names: readonly string[], { from }: { from?: string }): { from?: string } {
  if (from === undefined) return {};
  if (names.length !== 1) throw new WorldError("bad-usage", "--from", "--from corrects one request, by its name");
  return { from: stringify(readRequestFile(from, { name: names[0] })) };
}

/** The operator's hand, one command each; what is allowed when is the server's to say. */
export const ACTIONS = [
  action(
    "release",
    "let held requests go on: finished work stays, changes apply from now on",
    [
      'wms2 release muons --reason "site is back"',
      'wms2 release muons --ban T2_XX_Alpha --memory "3 GB" --reason "bad disks there" --dry-run',
      'wms2 release muons --from corrected.yaml --reason "the script was wrong"',
      'wms2 release cm5 --product atmos/ts-monthly-5y/0006-0010 --reason "the disk is back"',
      'wms2 release --filter status=held campaign=Run2026A --reason "storage is back"',
    ],
    RELEASE_OPTIONS,
  ),
  action(
    "fail",
    "give held requests up for good; a manifest lists the outputs to withdraw",
    ['wms2 fail muons --reason "wrong calibration"'],
    INVALIDATE,
  ),
  action(
    "restart",
    "give a request up and start again as its next version (kill and clone)",
    [
      'wms2 restart muons --reason "software is fixed"',
      'wms2 restart muons --from corrected.yaml --reason "wrong input" --dry-run',
    ],
    RESTART_OPTIONS,
  ),
  action("stop", "take jobs out of the engine and keep what finished; it stays stopped until it is resumed", [
    'wms2 stop muons --reason "schedd maintenance"',
    'wms2 stop --filter status=active --reason "power cut" --dry-run',
  ]),
  action("requeue", "take jobs out of the engine, keep what finished, and go back to the queue", [
    'wms2 requeue muons --reason "others are in a hurry"',
  ]),
  action("resume", "go on with requests that a person stopped or held", [
    'wms2 resume muons --reason "schedd is back"',
  ]),
  action("hold", "stop it, and ask for a person to look at it", [
    'wms2 hold muons --reason "look at the first outputs"',
  ]),
  action("rescue", "run the failed work units of the present round again now", [
    'wms2 rescue muons --reason "network is back"',
  ]),
  action("move", "go on with the engine of this server: what finished stays, the rest is planned again for its sites", [
    'wms2 move muons --reason "the pool is gone" --dry-run',
  ]),
  action(
    "abort",
    "end requests for good: their jobs are removed, what is registered stays",
    [
      'wms2 abort weather-example --reason "wrong input"',
      'wms2 abort test-1 test-2 --reason "only tests" --invalidate --dry-run',
    ],
    INVALIDATE,
  ),
];

export const addRetry = command("retry", {
  about: "retry failed jobs now instead of later, while the run goes on; their budget stays",
  arguments: { "[names...]": aRequest("the requests") },
  options: {
    ...ACT_OPTIONS,
    "--reason <text>": "why; it is kept with the request",
    "--nodes <nodes...>": "only these nodes and work units, like mg_000003/proc_000021",
  },
  examples: [
    "wms2 retry muons",
    'wms2 retry muons --nodes mg_000003/proc_000021 --reason "storage is back"',
    "wms2 retry --filter status=active campaign=Run2026A --dry-run",
  ],
  run: ({ client, options }, names: readonly string[]) =>
    actOn(client, "retry", names, options, given({ nodes: options.nodes })),
});

export const addResubmit = command("resubmit", {
  about: "run chosen jobs or work units again with new retries; their history stays",
  arguments: { "<name>": aRequest("the request") },
  options: {
    "--nodes <nodes...>": "these nodes, like mg_000003/proc_000021",
    "--units <units...>": "all nodes of these work units, like mg_000003",
    "--failed": "everything that failed",
    "--memory <size>": { about: 'give them this much, like "3 GB"', parse: megabytes },
    "--time <time>": { about: 'let them run so long, like "8 h"', parse: minutes },
    "--sites <sites...>": "let them run only there",
    "--reason <text>": { about: "why; it is kept with the request", required: true },
    "--dry-run": "only say what would be done",
  },
  examples: [
    'wms2 resubmit muons --failed --reason "network is back"',
    'wms2 resubmit muons --nodes mg_000003/proc_000021 --memory "4 GB" --reason "needs more"',
    'wms2 resubmit muons --units mg_000003 mg_000007 --reason "disk was full" --dry-run',
  ],
  async run({ client, options }, name: string) {
    const { nodes, units, failed, memory, time, sites } = options;
    const some = nodes !== undefined || units !== undefined;
    if (!some && !failed)
      throw new WorldError("bad-usage", name, "what is to be resubmitted?", {
        hint: "give --nodes, --units or --failed",
      });
    if (failed && some) throw new WorldError("bad-usage", name, "--failed goes without --nodes and --units");
    const body = given({ nodes: failed ? "failed" : nodes, units, memory_mb: memory, wall_minutes: time, sites });
    return actOn(client, "resubmit", [name], options, body);
  },
});
