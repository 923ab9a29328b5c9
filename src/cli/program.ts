import { Command } from "commander";
import { VERSION } from "../base/version.ts";
import { addBlocks } from "./blocks.ts";
import { addClassify, addUnclassified } from "./classify.ts";
import { addConfig } from "./config.ts";
import { addDemo } from "./demo.ts";
import { addDoctor } from "./doctor.ts";
import { addEmulate } from "./emulate.ts";
import { addFjr } from "./fjr.ts";
import { addImport } from "./import.ts";
import { addMetrics } from "./metrics.ts";
import { addAttempts, addLogs, addNodes } from "./nodes.ts";
import { ACTIONS, addResubmit, addRetry } from "./operate.ts";
import { addAlerts, addAudit, addQueue } from "./operators.ts";
import { addPlan } from "./plan.ts";
import { addPolicy } from "./policy.ts";
import { addErrors, addList, addOutputs, addPriority, addShow } from "./requests.ts";
import { addServe } from "./serve.ts";
import { addSimulate } from "./simulate.ts";
import { addSites } from "./sites.ts";
import { addSpool } from "./spool.ts";
import { addSubmit } from "./submit.ts";
import { paintFor } from "./terminal.ts";
import { addTokens } from "./tokens.ts";
import { addWatch } from "./watch.ts";

/** In the order the help lists them. */
const COMMANDS = [
  ...[
    addServe,
    addSubmit,
    addImport,
    addList,
    addShow,
    addWatch,
    addOutputs,
    addBlocks,
    addNodes,
    addLogs,
    addErrors,
    addAttempts,
    addMetrics,
  ],
  ...[...ACTIONS, addResubmit, addRetry, addUnclassified, addClassify, addPriority],
  ...[addQueue, addSites, addAlerts, addAudit, addTokens],
  ...[addPlan, addPolicy, addFjr, addConfig, addSimulate, addEmulate, addSpool, addDoctor, addDemo],
];

const EXIT_CODES = `Exit codes:
  0   done; for watch: completed          5   no permission: the operator token is missing or wrong
  2   bad input or usage                  6   unreachable: server, engine, database or disk
  3   refused, or not a success           70  a bug of wms2
  4   not found`;

export function makeProgram(): Command {
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
  for (const add of COMMANDS) add(program);
  return program;
}
