import { Command } from "commander";
import { VERSION } from "../core/base/version.ts";
import { paintFor } from "./terminal.ts";

type Add = (program: Command) => void;
type Lazy = readonly [names: string, load: () => Promise<Add | readonly Add[]>];

/**
 * In the order the help lists them. A call loads only the command that it names: to load them all takes longer than most
 * commands do.
 */
const COMMANDS: readonly Lazy[] = [
  ["run", async () => (await import("./run.ts")).addRun],
  ["exec", async () => (await import("./exec.ts")).addExec],
  ["serve", async () => (await import("./serve.ts")).addServe],
  ["submit", async () => (await import("./submit.ts")).addSubmit],
  ["import", async () => (await import("./import.ts")).addImport],
  ["list", async () => (await import("./requests.ts")).addList],
  ["show", async () => (await import("./requests.ts")).addShow],
  ["watch", async () => (await import("./watch.ts")).addWatch],
  ["top", async () => (await import("./top.ts")).addTop],
  ["open", async () => (await import("./open.ts")).addOpen],
  ["outputs", async () => (await import("./requests.ts")).addOutputs],
  ["blocks", async () => (await import("./blocks.ts")).addBlocks],
  ["nodes", async () => (await import("./nodes.ts")).addNodes],
  ["logs", async () => (await import("./nodes.ts")).addLogs],
  ["errors", async () => (await import("./requests.ts")).addErrors],
  ["attempts", async () => (await import("./nodes.ts")).addAttempts],
  ["metrics", async () => (await import("./metrics.ts")).addMetrics],
  ["results", async () => (await import("./results.ts")).addResults],
  ["report", async () => (await import("./report.ts")).addReport],
  [
    "release fail restart stop requeue resume hold rescue move abort",
    async () => (await import("./operate.ts")).ACTIONS,
  ],
  ["resubmit", async () => (await import("./operate.ts")).addResubmit],
  ["recover", async () => (await import("./recover.ts")).addRecover],
  ["retry", async () => (await import("./operate.ts")).addRetry],
  ["unclassified", async () => (await import("./classify.ts")).addUnclassified],
  ["groups", async () => (await import("./recover.ts")).addGroups],
  ["classify", async () => (await import("./classify.ts")).addClassify],
  ["priority", async () => (await import("./requests.ts")).addPriority],
  ["fill", async () => (await import("./fill.ts")).addFill],
  ["verify", async () => (await import("./fill.ts")).addVerify],
  ["transfers", async () => (await import("./transfers.ts")).addTransfers],
  ["state", async () => (await import("./state.ts")).addState],
  ["causes", async () => (await import("./desk.ts")).addCauses],
  ["actions", async () => (await import("./desk.ts")).addActions],
  ["feed", async () => (await import("./desk.ts")).addFeed],
  ["handover", async () => (await import("./desk.ts")).addHandover],
  ["search", async () => (await import("./desk.ts")).addSearch],
  ["queue", async () => (await import("./operators.ts")).addQueue],
  ["sites", async () => (await import("./sites.ts")).addSites],
  ["alerts", async () => (await import("./operators.ts")).addAlerts],
  ["audit", async () => (await import("./operators.ts")).addAudit],
  ["tokens", async () => (await import("./tokens.ts")).addTokens],
  ["plan", async () => (await import("./plan.ts")).addPlan],
  ["convert", async () => (await import("./convert.ts")).addConvert],
  ["import-frepp", async () => (await import("./import-frepp.ts")).addImportFrepp],
  ["policy", async () => (await import("./policy.ts")).addPolicy],
  ["fjr", async () => (await import("./fjr.ts")).addFjr],
  ["config", async () => (await import("./config.ts")).addConfig],
  ["simulate", async () => (await import("./simulate.ts")).addSimulate],
  ["mcp", async () => (await import("./mcp.ts")).addMcp],
  ["emulate", async () => (await import("./emulate.ts")).addEmulate],
  ["spool", async () => (await import("./spool.ts")).addSpool],
  ["doctor", async () => (await import("./doctor.ts")).addDoctor],
  ["demo", async () => (await import("./demo.ts")).addDemo],
];

/** Those of the whole program that take a word. */
const WITH_VALUE = ["--server", "--token-file", "--config", "--data-dir"];

/** The command that is named; all of them where none is, for the help and for what was meant. */
function wanted(words: readonly string[]): readonly Lazy[] {
  const name = words.find((word, at) => !word.startsWith("-") && !WITH_VALUE.includes(words[at - 1] ?? ""));
  const named = COMMANDS.filter(([names]) => name !== undefined && names.split(" ").includes(name));
  return named.length > 0 ? named : COMMANDS;
}

const EXIT_CODES = `Exit codes:
  0   done; for watch: completed          5   no permission: the operator token is missing or wrong
  1   fill, verify: not known             6   unreachable: server, engine, database or disk
  2   bad input or usage                  10  fill, verify: there are holes
  3   refused, or not a success           70  a bug of wms2
  4   not found`;

/** `words`: what was typed after the program's name. */
export async function makeProgram(words: readonly string[]): Promise<Command> {
  const program = new Command("wms2")
    .description("A workload manager for high-throughput computing that recovers.")
    .version(VERSION, "-V, --version")
    .option("--server <url>", "the server to talk to (default: $WMS2_SERVER, else the one of the data directory)")
    .option("--token-file <file>", "file with the operator token (default: $WMS2_TOKEN, else the data directory's)")
    .option("--config <file>", "settings as YAML (default: $WMS2_CONFIG)")
    .option(
      "--data-dir <dir>",
      "where a server of this machine lives (default: $WMS2_DATA_DIR, else ~/.local/share/wms2)",
    )
    .option("--debug", "show where an error came from")
    .showSuggestionAfterError()
    .showHelpAfterError("try:  see --help")
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(`${paintFor(process.stderr).red("wms2:")} ${text.replace(/^error: /, "")}`),
    })
    .addHelpText("after", `\n${EXIT_CODES}`);
  for (const loaded of await Promise.all(wanted(words).map(([, load]) => load())))
    for (const add of [loaded].flat()) add(program);
  return program;
}
