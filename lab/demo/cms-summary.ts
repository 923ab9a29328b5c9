import type { Look } from "../../src/cli/terminal.ts";
import { type Columns, grouped, table } from "../../src/cli/view/table.ts";
import { bytes, count, duration } from "../../src/cli/view/text.ts";
import { progressOf, type WatchedRequest } from "../../src/cli/view/watched.ts";
import type { BlockView } from "../../src/operations/blocks.ts";
import type { Emulated } from "../emulate/index.ts";

/** What the services and the server know at the end. */
export interface CmsResult {
  readonly watched: readonly WatchedRequest[];
  readonly blocks: readonly BlockView[];
  readonly state: ReturnType<Emulated["state"]>;
  readonly calls: ReturnType<Emulated["calls"]>;
  readonly dataDir: string;
}

type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const rows = (state: CmsResult["state"], name: string): Rows => (state[name] ?? {}) as Rows;
const rulesOf = ({ state }: CmsResult, { name }: BlockView) =>
  Object.values(rows(state, "rucio.rules")).filter((rule) => rule.name === name);
const filesOf = ({ state }: CmsResult, { name }: BlockView) =>
  Object.values(rows(state, "dbs.files")).filter(({ row }) => (row as { block_name?: string }).block_name === name);
const statusThere = ({ state }: CmsResult, { request }: WatchedRequest): string =>
  String(rows(state, "reqmgr2.requests")[request.request_name]?.RequestStatus ?? "-");

/** Everything that is not as it should be; empty: the demo may call itself a success. */
export function cmsComplaints(result: CmsResult): readonly string[] {
  const found = result.watched.flatMap((one) => {
    const { request_name: name, status } = one.request;
    const there = statusThere(result, one);
    return [
      ...(status === "completed" ? [] : [`${name} is ${status}, not completed`]),
      ...(there === "completed" ? [] : [`ReqMgr2 has ${name} as ${there}, not completed`]),
    ];
  });
  for (const block of result.blocks) {
    const there = rows(result.state, "dbs.blocks")[block.name];
    const rules = rulesOf(result, block).length;
    if (block.status !== "done") found.push(`${block.name} is ${block.status}, not archived`);
    if (there?.open_for_writing !== 0) found.push(`DBS has ${block.name} not closed`);
    if (filesOf(result, block).length !== block.files) found.push(`DBS has other files of ${block.name}`);
    if (rules !== 2) found.push(`${block.name} has ${count(rules, "rule")}, not 2`);
  }
  if (result.blocks.length === 0) found.push("there are no blocks");
  const twice = rulesMade(result) - Object.keys(rows(result.state, "rucio.rules")).length;
  if (twice !== 0) found.push(`Rucio made ${rulesMade(result)} rules, and has ${rulesMade(result) - twice}`);
  if (failedCalls(result).length === 0) found.push("Rucio was not missed");
  return found;
}

const rulesMade = ({ calls }: CmsResult): number =>
  calls.filter(({ service, method, path, status }) => {
    return service === "rucio" && method === "POST" && path.startsWith("/rules") && status === 201;
  }).length;
const failedCalls = ({ calls }: CmsResult) => calls.filter(({ fault }) => fault !== null);

const REQUESTS: Columns<readonly [WatchedRequest, string]> = [
  ["request", ([{ request }]) => request.request_name],
  ["status", ([{ request }]) => request.status],
  ["in ReqMgr2", ([, there]) => there],
  ["units", ([one], { now }) => `${progressOf(one, now).units.done}/${progressOf(one, now).units.total}`, "right"],
  ["time", ([one], { now }) => duration(progressOf(one, now).elapsedSec), "right"],
];

/** What the demo did, for somebody who did not watch. */
export function cmsSummary(result: CmsResult, problems: readonly string[], totalSec: number, look: Look): string {
  const { paint } = look;
  const { watched, blocks } = result;
  const requests = watched.map((one) => [one, statusThere(result, one)] as const);
  return [
    "",
    table(REQUESTS, requests, look),
    "",
    paint.bold("Blocks in DBS and Rucio"),
    ...blocks.flatMap((block) => blockLines(result, block)),
    "",
    paint.bold("While Rucio was away"),
    ...outageLines(result),
    "",
    ...problems.map((problem) => paint.red(`✖ ${problem}`)),
    `${problems.length ? paint.red("not as it should be") : paint.green("all as it should be")} after ${duration(totalSec)}`,
  ].join("\n");
}

function blockLines(result: CmsResult, block: BlockView): string[] {
  const closed = rows(result.state, "dbs.blocks")[block.name]?.open_for_writing === 0 ? "closed" : "open";
  const rules = rulesOf(result, block).map(({ rse_expression: rse, state }) => `${rse} ${state}`);
  return [
    `  ${block.name}`,
    `    ${count(block.files, "file")}, ${bytes(block.bytes)}, ${closed} in DBS; rules: ${rules.join(", ") || "none"}`,
  ];
}

/** Calls that nobody answered, and how many rules there are all the same. */
function outageLines(result: CmsResult): string[] {
  const failed = [...grouped(failedCalls(result), ({ service, method }) => `${service} ${method}`)];
  return [
    ...failed.map(([what, calls]) => `  ${what}: ${count(calls.length, "call")} unanswered, tried again later`),
    `  ${count(rulesMade(result), "rule")} made for ${count(result.blocks.length, "block")}`,
  ];
}
