import { WorldError } from "../core/base/errors.ts";
import { collect, command } from "./command.ts";
import { attemptsOf } from "./nodes.ts";
import { given, wholeNumber } from "./option-values.ts";
import { readText } from "./request-file.ts";
import { carryOut } from "./run/carry-out.ts";
import { execDocument } from "./run/exec-document.ts";
import type { RunServer } from "./run/server.ts";
import { typedAgain } from "./run/typed-again.ts";
import { answerOf } from "./run.ts";
import type { RunEnd } from "./view/run-summary.ts";

export const addExec = command("exec", {
  about: "run a command, or many, as jobs: a quick sweep without a file",
  arguments: { "[words...]": "after --: the command and its words, as they are" },
  options: {
    "-C, --commands <file>": "a command a line, read by sh; # begins a comment; - is stdin",
    "--each <name=values>": { about: '"lr=0.1,0.01", "seed=1..5": a job for each combination', parse: collect },
    "-j, --at-once <number>": { about: "most jobs at the same time", parse: wholeNumber },
    "--memory <size>": "of a job: 1GB",
    "--time <time>": "of a job: 10min",
    "--name <name>": "of the request; default: exec and the time",
    "--dry-run": "only say what would run",
    "--exit-zero": "exit with 0 although jobs failed",
  },
  json: "how it ended, as one JSON object",
  examples: [
    "wms2 exec -- ./train.sh --fast",
    'wms2 exec --each "lr=0.1,0.01" --each "seed=1..5" -- ./train.sh {lr} {seed:03d}',
    "wms2 exec -C commands.txt -j 4 --memory 1GB --time 10min",
  ],
  more: `{name} stands for a value of --each; all other braces stand for themselves. Jobs run in this directory.
What a single job wrote is shown at the end, and its exit code is passed on; of several: 0 when all is done, 3 when one failed.
Give a --name to go on where it was: the same command with the same name runs only what is not done.`,
  async run({ options }, words: readonly string[]) {
    const name = options.name ?? `exec-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, "")}`;
    const { commands: file = null, atOnce = null } = options;
    const document = execDocument({
      name,
      directory: process.cwd(),
      command: words,
      commands: file === null ? null : readText(file, `the file of commands ${file}`),
      each: options.each ?? [],
      atOnce,
      resources: given({ memory: options.memory, time: options.time }) as Record<string, string>,
    });
    if (!document.ok) throw new WorldError("bad-usage", "exec", document.error, { hint: "wms2 exec --help" });
    const again = typedAgain(
      ["wms2", "exec", ...optionWords(options)],
      { ...options, name },
      words.length > 0 ? ["--", ...words] : [],
    );
    const outcome = await carryOut({ file: null, body: document.value, again }, options, singleJob);
    if (outcome.kind !== "ended" || outcome.more === null) return answerOf(outcome, options.exitZero === true);
    const { stdout, exitCode } = outcome.more;
    const answer = answerOf(outcome, options.exitZero === true);
    const exit = exitCode === 0 || options.exitZero ? answer.exit : exitCode;
    if (answer.exit === 0 && !options.json) return { json: null, page: () => stdout, exit };
    return { ...answer, json: { ...(answer.json as object), stdout, exit_code: exit }, exit };
  },
});

/** What says which jobs there are, as it was typed. */
const optionWords = (options: {
  commands?: string;
  each?: readonly string[];
  atOnce?: number;
  memory?: string;
  time?: string;
}) => [
  ...Object.entries(
    given({ "-C": options.commands, "-j": options.atOnce, "--memory": options.memory, "--time": options.time }),
  ).flatMap(([flag, value]) => [flag, String(value)]),
  ...(options.each ?? []).flatMap((word) => ["--each", word]),
];

/** What the one job wrote and how it ended; null: there are several, or it never ran. */
async function singleJob({ client }: RunServer, { watched }: RunEnd) {
  const { request, dag } = watched;
  if (!dag || request.workflow?.total_work_units !== 1) return null;
  const { items } = await attemptsOf(client, request.request_name);
  const last = items.at(-1);
  if (!last) return null;
  const logs = await client.dags.logs({ id: dag.id, unit: last.unit, node: last.node, lines: 1000 });
  const stdout = logs.tails.find(({ name }) => name.endsWith(".out"))?.lines.join("\n") ?? "";
  return { stdout, exitCode: last.exit_code };
}
