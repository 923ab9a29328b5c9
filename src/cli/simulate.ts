import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { WorldError } from "../base/errors.ts";
import { stringify } from "../base/json.ts";
import { parseDocument } from "../intake/parse-document.ts";
import { problemsIn, readRequestFile } from "./request-file.ts";
import { optionsOf } from "./settings.ts";
import { print } from "./terminal.ts";

interface SimulateOptions {
  readonly json?: boolean;
  readonly seed?: string;
  readonly keep?: string;
}

/** A story told in virtual time, without a server: the real decisions, an engine that only pretends. */
export function addSimulate(program: Command): void {
  program
    .command("simulate")
    .description("tell a scenario in virtual time: real decisions, a scripted engine, days in seconds")
    .argument("<file>", "the scenario as YAML or JSON")
    .option("--json", "one JSON object a line: every event, and the summary last")
    .option("--seed <n>", "another seed for chance than the scenario says")
    .option("--keep <dir>", "leave the submit directories there, to look at")
    .addHelpText(
      "after",
      `
Examples:
  wms2 simulate examples/scenarios/flaky-site.yaml
  wms2 simulate examples/scenarios/bad-file.yaml --json | jq 'select(.kind == "move")'

The exit code is 0 when all the scenario expects came true, 3 when not. See docs/guides/simulate.md.`,
    )
    .action(async (file: string, _options: unknown, command: Command) => {
      process.exitCode = await simulate(file, optionsOf<SimulateOptions>(command));
    });
}

async function simulate(file: string, options: SimulateOptions): Promise<number> {
  const { readScenario, runStory, Teller, summarise, summaryJson, isFine, requestNames } = await import(
    "../simulate/index.ts"
  );
  const parsed = parseDocument(readText(file), file.endsWith(".json") ? "json" : "yaml");
  if (!parsed.ok) throw problemsIn(file, parsed.error);
  const folder = dirname(resolve(file));
  const read = readScenario(parsed.value, (name) => readRequestFile(resolve(folder, name), {}));
  if (!read.ok) throw problemsIn(file, read.error);
  const scenario = read.value;
  const seed = options.seed === undefined ? scenario.seed : wholeNumber(options.seed);
  const teller = new Teller(requestNames(scenario), print);
  const dir = options.keep ?? mkdtempSync(join(scratch(), "wms2-simulate-"));
  const forget = options.keep === undefined ? forgetAtExit(dir) : () => {};
  const begun = performance.now();
  try {
    const end = await runStory(scenario, {
      dir: resolve(dir),
      seed,
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
  const leave = () => process.exit(130);
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  process.once("exit", remove);
  for (const signal of signals) process.once(signal, leave);
  return () => {
    remove();
    process.off("exit", remove);
    for (const signal of signals) process.off(signal, leave);
  };
}

/** A story writes thousands of small files and keeps none: memory is the place for them, where there is such a place. */
function scratch(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new WorldError("bad-usage", "--seed", `--seed must be a whole number, got "${text}"`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new WorldError("bad-usage", file, `${file} cannot be read`, { cause: error });
  }
}
