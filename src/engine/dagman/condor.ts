import { WorldError } from "../../base/errors.ts";
import type { Result } from "../../base/result.ts";
import type { Run } from "../../domain/run.ts";
import type { EngineSite } from "../port.ts";
import * as answers from "./answers.ts";
import * as commands from "./commands.ts";
import type { SpawnAnswer, Spawner } from "./spawn.ts";

/** Asks HTCondor and has things done there. What it cannot answer, or answers so that nobody understands it, is engine-unreachable. */
export class Condor {
  private readonly spawner: Spawner;
  private readonly prefix: readonly string[];
  private readonly timeoutSec: number;
  private schedd: Promise<string | null> | null = null;

  constructor(spawner: Spawner, prefix: readonly string[], timeoutSec: number) {
    this.spawner = spawner;
    this.prefix = prefix;
    this.timeoutSec = timeoutSec;
  }

  queue(): Promise<ReadonlyMap<string, answers.Tree>> {
    return this.ask(commands.queueCommand, answers.parseQueue);
  }

  workers(): Promise<readonly EngineSite[]> {
    return this.ask(commands.workersCommand, answers.parseWorkers);
  }

  /** As the schedd calls itself; asked once, and again only if the answer could not be had. */
  scheddName(): Promise<string | null> {
    this.schedd ??= this.mustSucceed(commands.queueTotalsCommand)
      .then(({ stdout }) => answers.parseScheddName(stdout))
      .catch((error) => {
        this.schedd = null;
        throw error;
      });
    return this.schedd;
  }

  async tree(run: Run): Promise<answers.Tree | undefined> {
    return (await this.ask(commands.findCommand(run), answers.parseQueue)).get(run.batchName);
  }

  /** True: something was changed. False: nothing matched. */
  async change(argv: commands.Argv): Promise<boolean> {
    const answer = await this.call(argv);
    if (answer.code === 0) return true;
    if (answers.matchedNothing(answer.stderr + answer.stdout)) return false;
    throw unreachable(argv[0]!, answers.complaint(answer.stdout, answer.stderr));
  }

  /** An answer that cannot be read is no answer. */
  private async ask<T>(argv: commands.Argv, parse: (stdout: string) => Result<T, string>): Promise<T> {
    const parsed = parse((await this.mustSucceed(argv)).stdout);
    if (!parsed.ok) throw unreachable(argv[0]!, parsed.error);
    return parsed.value;
  }

  async mustSucceed(argv: commands.Argv): Promise<SpawnAnswer> {
    const answer = await this.call(argv);
    if (answer.code !== 0) throw unreachable(argv[0]!, answers.complaint(answer.stdout, answer.stderr));
    return answer;
  }

  async call(argv: commands.Argv, cwd = "/"): Promise<SpawnAnswer> {
    const answer = await this.spawner({ argv: [...this.prefix, ...argv], cwd, timeoutSec: this.timeoutSec });
    const [way] = this.prefix;
    if (way === undefined || answer.code !== NOT_THERE) return answer;
    const why = `cannot reach the submit host by ${way}: ${answers.complaint("", answer.stderr)}`;
    throw new WorldError("engine-unreachable", way, why, { hint: `see that ${way} works (engine.dagman.prefix)` });
  }
}

/** How ssh itself ends when it does not get there. No command of ours ends so. */
const NOT_THERE = 255;

export const unreachable = (command: string, why: string): WorldError =>
  new WorldError("engine-unreachable", command, `${command} failed: ${why}`);
