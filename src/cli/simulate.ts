import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { WorldError } from "../core/base/errors.ts";
import { stringify } from "../core/base/json.ts";
import { command, type Options, type Values } from "./command.ts";
import { problemsIn, readDocument, readRequestFile } from "./request-file.ts";
import { onSignals, print } from "./terminal.ts";

const OPTIONS = {
  "--json": "one JSON object a line: every event, and the summary last",
  "--seed <n>": "another seed for chance than the scenario says",
  "--keep <dir>": "leave the submit directories there, to look at",
  "--most-events <n>": "give up when more than this would happen in it",
  "--most-sec <n>": "give up after so many seconds",
} as const satisfies Options;

/** A story told in virtual time, without a server: the real decisions, an engine that only pretends. */
export const addSimulate = command("simulate", {
  about: "run a scenario in virtual time: the real decisions, a scripted engine; days take seconds",
  arguments: { "<file>": "the scenario as YAML or JSON" },
  options: OPTIONS,
  examples: [
    "wms2 simulate examples/scenarios/flaky-site.yaml",
    "wms2 simulate examples/scenarios/bad-file.yaml --json | jq 'select(.kind == \"move\")'",
  ],
  more: "The exit code is 0 when all the scenario expects came true, 3 when not. See docs/guides/simulate.md.",
  async run({ options }, file: string) {
    process.exitCode = await simulate(file, options);
  },
});

async function simulate(file: string, options: Values<typeof OPTIONS>): Promise<number> {
  const { readScenario, runStory, Teller, summarise, summaryJson, isFine, requestNames } = await import(
    "../../lab/simulate/index.ts"
  );
  const parsed = readDocument(file);
  if (!parsed.ok) throw problemsIn(file, parsed.error);
  const folder = dirname(resolve(file));
  const read = readScenario(parsed.value, (name) => readRequestFile(resolve(folder, name), {}));
  if (!read.ok) throw problemsIn(file, read.error);
  const scenario = read.value;
  const seed = numberFrom("--seed", options.seed) ?? scenario.seed;
  const mostSec = numberFrom("--most-sec", options.mostSec);
  const mostEvents = numberFrom("--most-events", options.mostEvents);
  const teller = new Teller(requestNames(scenario), print);
  const dir = options.keep ?? mkdtempSync(join(scratch(), "wms2-simulate-"));
  const forget = options.keep === undefined ? forgetAtExit(dir) : () => {};
  const begun = performance.now();
  try {
    const end = await runStory(scenario, {
      dir: resolve(dir),
      seed,
      ...{ mostEvents, mostSec },
      tell: options.json ? (entry) => print(stringify(entry)) : (entry) => teller.tell(entry),
    });
    const wallSec = (performance.now() - begun) / 1000;
    teller.flush();
    if (end.refused.length > 0 && !options.json) throw problemsIn(file, end.refused);
    print(options.json ? stringify(summaryJson(end, wallSec)) : summarise(end, wallSec));
    return end.refused.length > 0 ? 2 : isFine(end) ? 0 : 3;
  } finally {
    forget();
  }
}

/** Removes the directory when the story is over, and also when its reader has gone or somebody is impatient. */
function forgetAtExit(dir: string): () => void {
  const remove = () => rmSync(dir, { recursive: true, force: true });
  const stay = onSignals(() => process.exit(130));
  process.once("exit", remove);
  return () => {
    remove();
    process.off("exit", remove);
    stay();
  };
}

/** A story writes thousands of small files and keeps none: memory is the place for them, where there is such a place. */
function scratch(): string {
  if (process.env.SIMULATE_SCRATCH) return process.env.SIMULATE_SCRATCH;
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}

function numberFrom(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new WorldError("bad-usage", option, `${option} must be a whole number, got "${text}"`);
}
