import { Command } from "commander";
import { VERSION } from "../base/version.ts";
import { addBlocks } from "./blocks.ts";
import { addClassify, addUnclassified } from "./classify.ts";
import { addConfig } from "./config.ts";
import { addConvert } from "./convert.ts";
import { addDemo } from "./demo.ts";
import { addActions, addCauses, addFeed, addHandover, addSearch } from "./desk.ts";
import { addDoctor } from "./doctor.ts";
import { addEmulate } from "./emulate.ts";
import { addExec } from "./exec.ts";
import { addFill, addVerify } from "./fill.ts";
import { addFjr } from "./fjr.ts";
import { addImport } from "./import.ts";
import { addImportFrepp } from "./import-frepp.ts";
import { addMcp } from "./mcp.ts";
import { addMetrics } from "./metrics.ts";
import { addAttempts, addLogs, addNodes } from "./nodes.ts";
import { addOpen } from "./open.ts";
import { ACTIONS, addResubmit, addRetry } from "./operate.ts";
import { addAlerts, addAudit, addQueue } from "./operators.ts";
import { addPlan } from "./plan.ts";
import { addPolicy } from "./policy.ts";
import { addGroups, addRecover } from "./recover.ts";
import { addReport } from "./report.ts";
import { addErrors, addList, addOutputs, addPriority, addShow } from "./requests.ts";
import { addResults } from "./results.ts";
import { addRun } from "./run.ts";
import { addServe } from "./serve.ts";
import { addSimulate } from "./simulate.ts";
import { addSites } from "./sites.ts";
import { addSpool } from "./spool.ts";
import { addState } from "./state.ts";
import { addSubmit } from "./submit.ts";
import { paintFor } from "./terminal.ts";
import { addTokens } from "./tokens.ts";
import { addTop } from "./top.ts";
import { addTransfers } from "./transfers.ts";
import { addWatch } from "./watch.ts";

/** In the order the help lists them. */
const COMMANDS = [
  ...[
    addRun,
    addExec,
    addServe,
    addSubmit,
    addImport,
    addList,
    addShow,
    addWatch,
    addTop,
    addOpen,
    addOutputs,
    addBlocks,
    addNodes,
    addLogs,
    addErrors,
    addAttempts,
    addMetrics,
    addResults,
    addReport,
  ],
  ...[...ACTIONS, addResubmit, addRecover, addRetry, addUnclassified, addGroups, addClassify, addPriority],
  ...[addFill, addVerify, addTransfers, addState],
  ...[addCauses, addActions, addFeed, addHandover, addSearch],
  ...[addQueue, addSites, addAlerts, addAudit, addTokens],
  ...[
    addPlan,
    addConvert,
    addImportFrepp,
    addPolicy,
    addFjr,
    addConfig,
    addSimulate,
    addMcp,
    addEmulate,
    addSpool,
    addDoctor,
    addDemo,
  ],
];

const EXIT_CODES = `Exit codes:
  0   done; for watch: completed          5   no permission: the operator token is missing or wrong
  2   bad input or usage                  6   unreachable: server, engine, database or disk
  3   refused, or not a success           10  fill, verify: there are holes
  4   not found                           70  a bug of wms2`;

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
