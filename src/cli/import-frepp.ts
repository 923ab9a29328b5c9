import { basename } from "node:path";
import { WorldError } from "../base/errors.ts";
import { type FreppWishes, importExperiment } from "../kinds/segments/frepp/import-xml.ts";
import { splitArguments } from "../reading/command-line.ts";
import { collect, command } from "./command.ts";
import { graphYaml } from "./convert.ts";
import { readText, writeOut } from "./request-file.ts";
import { print, printJson, talk, tellWarnings } from "./terminal.ts";

export const addImportFrepp = command("import-frepp", {
  about: "the post-processing of an experiment in a frepp XML as a request of kind segments",
  arguments: { "<file>": "the XML" },
  options: {
    "-x, --experiment <name>": { about: "the experiment", required: true },
    "--command <family=command>": {
      about: "what makes series (ts) or averages (ta), with {output}, {inputs} and attributes like {zInterp}",
      parse: collect,
    },
    "--start <date>": "when the run begins, where the XML does not say: 0001, 198207",
    "--end <date>": "its last year or month, or ongoing",
    "--history <path>": "where history arrives (default: history/{date}.nc.tar)",
    "--directory <dir>": "where commands run and paths are named from (default: where the request file lies)",
    "--output <file>": "write it there instead of to stdout",
  },
  examples: [
    "wms2 import-frepp CM5.xml -x CM5_historical --output cm5.yaml",
    "wms2 import-frepp CM5.xml -x CM5_amip --command 'ts=./series.sh {source} {output} {inputs}' --output amip.yaml",
  ],
  more: "What the XML has beyond that is left out, and told. See docs/guides/frepp.md.",
  async run({ options }, file: string) {
    const { experiment, output, start, end, history, directory } = options;
    const commands = commandsIn(options.command ?? []);
    const made = importExperiment(readText(file, `the XML ${file}`), {
      experiment,
      commands,
      start,
      end,
      history,
      directory,
    });
    if (!made.ok) throw new WorldError("bad-request", file, `${file}: ${made.error}`, { hint: "see --help" });
    const { document, told } = made.value;
    tellWarnings(told);
    if (options.json) return void printJson({ document, told });
    const text = `# Made by wms2 import-frepp of ${basename(file).replaceAll(/[^\w .-]/g, "?")}.\n${graphYaml(document)}`;
    if (output === undefined) return void print(text.trimEnd());
    writeOut(output, text);
    talk(`written to ${output}; see what it would run with: wms2 plan ${output}`);
  },
});

function commandsIn(given: readonly string[]): FreppWishes["commands"] {
  const commands: Partial<Record<string, readonly string[]>> = {};
  for (const word of given) {
    const [, family, line = ""] = /^(ts|ta)=(.*)$/s.exec(word) ?? [];
    const split = splitArguments(line, "{}");
    if (family === undefined || !split.ok || split.argv.length === 0)
      throw new WorldError(
        "bad-usage",
        "--command",
        `--command does not understand "${word}"${split.ok ? "" : `: it ${split.why}`}`,
        { hint: "for example: --command 'ts=./series.sh {output} {inputs}'" },
      );
    commands[family] = split.argv;
  }
  return commands;
}
