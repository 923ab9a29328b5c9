import { WorldError } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import type { Run } from "../../core/run.ts";
import * as answers from "./answers.ts";
import * as commands from "./commands.ts";
import type { SpawnAnswer, Spawner } from "./spawn.ts";

/** How ssh itself ends when it does not get there. No command of ours ends so. */
const NOT_THERE = 255;

export type Condor = ReturnType<typeof makeCondor>;

/** Asks HTCondor and has things done there. What it cannot answer, or answers so that nobody understands it, is engine-unreachable. */
export function makeCondor(spawner: Spawner, prefix: readonly string[], timeoutSec: number) {
  let schedd: Promise<string | null> | null = null;

  const call = async (argv: commands.Argv, cwd = "/"): Promise<SpawnAnswer> => {
    const answer = await spawner({ argv: [...prefix, ...argv], cwd, timeoutSec });
    const [way] = prefix;
    if (way === undefined || answer.code !== NOT_THERE) return answer;
    const why = `cannot reach the submit host by ${way}: ${answers.complaint("", answer.stderr)}`;
    throw new WorldError("engine-unreachable", way, why, { hint: `see that ${way} works (engine.dagman.prefix)` });
  };
  const mustSucceed = async (argv: commands.Argv): Promise<SpawnAnswer> => {
    const answer = await call(argv);
    if (answer.code !== 0) throw unreachable(argv[0]!, answers.complaint(answer.stdout, answer.stderr));
    return answer;
  };
  /** An answer that cannot be read is no answer. */
  const ask = async <T>(argv: commands.Argv, parse: (stdout: string) => Result<T, string>): Promise<T> => {
    const parsed = parse((await mustSucceed(argv)).stdout);
    if (!parsed.ok) throw unreachable(argv[0]!, parsed.error);
    return parsed.value;
  };
  return {
    call,
    mustSucceed,
    queue: () => ask(commands.queueCommand, answers.parseQueue),
    workers: () => ask(commands.workersCommand, answers.parseWorkers),
    tree: async (run: Run) => (await ask(commands.findCommand(run), answers.parseQueue)).get(run.batchName),
    clusters: async (run: Run): Promise<ReadonlySet<string>> =>
      new Set((await mustSucceed(commands.clustersCommand(run))).stdout.split("\n").filter(Boolean)),
    /** True: something was changed. False: nothing matched. */
    async change(argv: commands.Argv): Promise<boolean> {
      const answer = await call(argv);
      if (answer.code === 0) return true;
      if (answers.matchedNothing(answer.stderr + answer.stdout)) return false;
      throw unreachable(argv[0]!, answers.complaint(answer.stdout, answer.stderr));
    },
    /** As the schedd calls itself; asked once, and again only if the answer could not be had. */
    scheddName(): Promise<string | null> {
      schedd ??= mustSucceed(commands.queueTotalsCommand)
        .then(({ stdout }) => answers.parseScheddName(stdout))
        .catch((error) => {
          schedd = null;
          throw error;
        });
      return schedd;
    },
  };
}

export const unreachable = (command: string, why: string): WorldError =>
  new WorldError("engine-unreachable", command, `${command} failed: ${why}`);
