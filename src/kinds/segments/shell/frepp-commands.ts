import { spawn } from "node:child_process";
import { signalGroup } from "../../../core/base/signal-group.ts";
import type { Said } from "../../../core/frepp.ts";
import type { FreppWorld } from "../../../loop/frepp-port.ts";
import { changeFiles, findFiles } from "./frepp-files.ts";

interface FreppCommands {
  readonly queue: readonly string[] | null;
  readonly accounting: readonly string[] | null;
  readonly queueByName: readonly string[] | null;
  readonly timeoutSec: number;
}
const MAX_OUTPUT = 16 * 1024 * 1024;
/** Values of one call: a command line may not be endless. */
const PER_CALL = 500;

/** The commands of an installation. One that takes {ids} or {names} is called once for many. */
export const makeFreppWorld = ({ queue, accounting, queueByName, timeoutSec }: FreppCommands): FreppWorld => ({
  files: findFiles,
  change: changeFiles,
  missed: new Map(),
  queue: (ids) => askAll("frepp.queue", queue, "id", ids, timeoutSec),
  accounting: async (ids) => accounting && askAll("frepp.accounting", accounting, "id", ids, timeoutSec),
  queueByName: (names) => askAll("frepp.queue_by_name", queueByName, "name", names, timeoutSec),
});

async function askAll(
  setting: string,
  argv: readonly string[] | null,
  what: "id" | "name",
  values: readonly string[],
  timeoutSec: number,
): Promise<ReadonlyMap<string, Said>> {
  const unset: Said = { text: null, reason: `${setting} is not set` };
  if (argv === null) return new Map(values.map((value) => [value, unset]));
  const has = (hole: string): boolean => argv.some((word) => word.includes(hole));
  // One that lists all of them is asked once.
  const size = has(`{${what}}`) ? 1 : has(`{${what}s}`) ? PER_CALL : values.length;
  const answers = new Map<string, Said>();
  for (let from = 0; from < values.length; from += size) {
    const part = values.slice(from, from + size);
    const filled = { [`{${what}}`]: part[0]!, [`{${what}s}`]: part.join(",") };
    const words = argv.map((word) => word.replaceAll(/\{\w+\}/g, (hole) => filled[hole] ?? hole));
    const said = await ask(words, timeoutSec);
    for (const value of part) answers.set(value, said);
    // Who does not answer now is not asked for each of many.
    if (said.text === null) for (const value of values.slice(from)) answers.set(value, said);
    if (said.text === null) break;
  }
  return answers;
}

/** What it prints, if it ends well and in time; no shell reads its words. It is ended with all it started. */
function ask([program = "", ...words]: readonly string[], timeoutSec: number): Promise<Said> {
  return new Promise((done) => {
    const { PATH, HOME, LANG, TZ } = process.env;
    const child = spawn(program, words, {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH, HOME, LANG, TZ },
    });
    let [text, complaint] = ["", ""];
    const fail = (reason: string): void => {
      clearTimeout(timer);
      done({ text: null, reason: `${program} ${reason}` });
    };
    const stop = (reason: string): void => {
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
      child.stdout.destroy(); // something it left behind may hold them open
      child.stderr.destroy();
      fail(reason);
    };
    const timer = setTimeout(() => stop(`took longer than ${timeoutSec} s`), timeoutSec * 1000);
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (text.length > MAX_OUTPUT) stop("says more than it should");
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      complaint = (complaint + part).slice(0, 300);
    });
    child.on("error", (error) => fail(`cannot be started: ${error.message}`));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return done({ text });
      const said = complaint.trim() ? `: ${complaint.trim()}` : "";
      fail(`${code === null ? `was ended by ${signal}` : `ended with ${code}`}${said}`);
    });
  });
}
