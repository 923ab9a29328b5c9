import type { RunView } from "../operations/runs.ts";
import { type Answer, collect, command, type Options } from "./command.ts";
import { readRequestFile } from "./request-file.ts";
import { carryOut, type Outcome } from "./run/carry-out.ts";
import { typedAgain } from "./run/typed-again.ts";
import { runPage } from "./view/run-page.ts";
import { type RunEnd, runSummary, unitCounts } from "./view/run-summary.ts";
import { progressOf } from "./view/watched.ts";

const OPTIONS = {
  "--name <name>": "another name than the file says",
  "--set <key=value>": { about: "change a field: resources.memory=2GB; may be repeated", parse: collect },
  "--strict": "a file has changed when its contents have, not its time: --set changes=contents",
  "--dry-run": "only say what would run, and why",
  "--explain": "say what runs and why, then run it",
  "--exit-zero": "exit with 0 although jobs failed",
} as const satisfies Options;

export const addRun = command("run", {
  about: "run a request to its end, with or without a server; again: go on where it was",
  arguments: { "<file>": "the request as YAML or JSON; - is stdin" },
  options: OPTIONS,
  json: "how it ended, as one JSON object",
  examples: [
    "wms2 run examples/graphs/sweep.yaml",
    "wms2 run sweep.yaml --dry-run                 what would run: new, changed, failed, …",
    "wms2 run sweep.yaml --set resources.memory=2GB --explain",
    'wms2 run sweep.yaml && echo "all done"',
  ],
  more: `Uses the server of the data directory, else starts one for as long as the run lasts. Ctrl-C stops the jobs and says how
to go on; with a server of somebody else it only leaves. Twice leaves at once.
Exits with 0 when all is done, 3 when jobs failed (0 with --exit-zero), 2 when the file has problems, 130 after Ctrl-C.`,
  async run({ options }, file: string) {
    const set = [...(options.set ?? []), ...(options.strict ? ["changes=contents"] : [])];
    const body = readRequestFile(file, { ...options, set });
    const again = typedAgain(["wms2", "run", file, ...set.flatMap((word) => ["--set", word])], options);
    const outcome = await carryOut({ file, body, again }, options, async () => null);
    return answerOf(outcome, options.exitZero === true);
  },
});

/** What a run came to, for programs and people. */
export function answerOf(outcome: Outcome<unknown>, exitZero: boolean): Answer {
  switch (outcome.kind) {
    case "told":
      return { json: outcome.run, page: (look) => runPage(outcome.run, look), exit: 0 };
    case "interrupted":
      return { json: { interrupted: true }, exit: 130 };
    case "ended": {
      const { run, end } = outcome;
      const exit = end.watched.request.status === "completed" || exitZero ? 0 : 3;
      return { json: endJson(run, end, exit), page: (look) => runSummary(end, look), exit };
    }
  }
}

function endJson(run: RunView, end: RunEnd, exit: number) {
  const { request } = end.watched;
  const now = new Date();
  return {
    request_name: request.request_name,
    previous: run.previous,
    began_as: run.kind,
    status: request.status,
    hold: request.hold,
    units: { ...unitCounts(end, now), credited: end.credited },
    elapsed_sec: Math.round(progressOf(end.watched, now).elapsedSec * 10) / 10,
    directory: request.work.directory ?? null,
    errors: end.errors,
    exit_code: exit,
  };
}
