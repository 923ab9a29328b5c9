import { USUAL_RECOVERY } from "../core/recover.ts";
import type { RecoveredNodeView } from "../operations/recovery.ts";
import type { Client } from "./client.ts";
import { aRequest, command, told } from "./command.ts";
import { given, megabytes, minutes, number } from "./option-values.ts";
import { groupsPage } from "./view/groups-page.ts";
import { type Columns, color, table } from "./view/table.ts";
import { count } from "./view/text.ts";

const COLORS = { raise: "green", again: "green", ceiling: "red", unknown: "yellow" } as const;
const sizes = (memoryMb: number | null, wallMinutes: number | null): string =>
  memoryMb !== null ? `${memoryMb} MB` : wallMinutes !== null ? `${wallMinutes} min` : "";

const NODES: Columns<RecoveredNodeView> = [
  ["node", ({ unit, node, job }) => job ?? `${unit}/${node}`],
  ["cause", ({ cause, exit_code }) => (cause === null || cause === "exit" ? `exit ${exit_code}` : cause)],
  ["", ({ action }, { paint }) => color(action, COLORS, paint)],
  ["had", (node) => sizes(node.had_memory_mb, node.had_wall_minutes), "right"],
  ["gets", (node) => sizes(node.gets_memory_mb, node.gets_wall_minutes), "right"],
  ["why", ({ reason }) => reason, "flexible"],
];

export const addRecover = command("recover", {
  about: "run jobs again that ran out of memory or time, with more of it, and those whose host was lost; no others",
  arguments: { "<names...>": aRequest("the requests: held, ended with failures, or running") },
  options: {
    "--memory-factor <number>": {
      about: `times the memory they had (default: ${USUAL_RECOVERY.memoryFactor})`,
      parse: number,
    },
    "--time-factor <number>": {
      about: `times the time they had (default: ${USUAL_RECOVERY.timeFactor})`,
      parse: number,
    },
    "--max-memory <size>": {
      about: 'no job gets more, like "4 GB"; the limit of the installation holds too',
      parse: megabytes,
    },
    "--max-time <time>": {
      about: 'no job gets longer, like "8 h"; the limit of the installation holds too',
      parse: minutes,
    },
    "--only <nodes...>": "only these nodes and work units, like mg_000003/proc_000021, or jobs of a graph by name",
    "--reason <text>": "why; it is kept with the request",
    "--dry-run": "only say what would be done",
  },
  examples: [
    "wms2 recover muons --dry-run",
    'wms2 recover muons --memory-factor 2 --max-memory "8 GB"',
    "wms2 recover muons --only mg_000003/proc_000021 mg_000007",
  ],
  more: "Exit 3 when jobs have failed and none of them can be recovered so: the table says what to do about each.",
  async run({ client, options }, names: readonly string[]) {
    const { memoryFactor, timeFactor, maxMemory, maxTime, only, reason, dryRun } = options;
    const body = given({
      memory_factor: memoryFactor,
      time_factor: timeFactor,
      max_memory_mb: maxMemory,
      max_wall_minutes: maxTime,
      only,
      reason,
      dry_run: dryRun,
    });
    const answers: Recovered[] = [];
    for (const name of names) answers.push(await client.recovery.recover({ name, ...body }));
    return {
      json: answers.length === 1 ? answers[0] : { items: answers },
      page: (look) =>
        answers
          .filter(({ nodes }) => nodes.length > 0)
          .map(
            ({ nodes, request_name }) => `${answers.length > 1 ? `${request_name}\n` : ""}${table(NODES, nodes, look)}`,
          )
          .join("\n\n"),
      note: answers.map(noteOf).join("\n"),
      ...(answers.every((answer) => isNothing(answer) && answer.nodes.length > 0) && { exit: 3 }),
    };
  },
});

type Recovered = Awaited<ReturnType<Client["recovery"]["recover"]>>;
const isNothing = ({ raised, again }: Recovered): boolean => raised + again === 0;

function noteOf(answer: Recovered): string {
  const { request_name: name, more, dry_run, already } = answer;
  const isDone = !isNothing(answer) && !already && !dry_run;
  const beyond = more > 0 ? ` (${more} more are not shown)` : "";
  return `${name}: ${told(answer)}${isDone ? `; see it with: wms2 watch ${name}` : ""}${beyond}`;
}

export const addGroups = command("groups", {
  about: "group similar failures by what their logs say, to classify each group once for all",
  arguments: { "<name>": aRequest("the request") },
  examples: [
    "wms2 groups muons",
    'wms2 classify muons --group 3f2a91c04d --retry all --remember --reason "the license server restarts at night"',
  ],
  async run({ client }, name: string) {
    const answer = await client.recovery.groups({ name });
    const { failures, groups, not_read } = answer;
    const unread = not_read > 0 ? `; the logs of ${not_read} more were not looked at` : "";
    return {
      json: answer,
      page: (look) => groupsPage(groups, look),
      note:
        failures === 0
          ? "no job has failed"
          : `${count(failures, "failure")} in ${count(groups.length, "group")}${unread}`,
    };
  },
});
