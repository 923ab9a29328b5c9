import { chmodSync, copyFileSync, existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { WorldError } from "../core/base/errors.ts";
import { splitArguments } from "../intake/reading/command-line.ts";
import type { SuiteFile } from "../kinds/segments/frepp/frepp-suite.ts";
import { type FreppWishes, importExperiment } from "../kinds/segments/frepp/import-xml.ts";
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
      about:
        "what makes series (ts) or averages (ta), with {output}, {inputs} and attributes like {zInterp} (default: series.sh and average.sh, laid beside the output)",
      parse: collect,
    },
    "--property <name=value>": {
      about: "a property that the XML uses and does not define: of a platform, or of your site",
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
  more: "What the XML has beyond that is left out, and listed. See docs/guides/frepp.md.",
  async run({ options }, file: string) {
    const { experiment, output, start, end, history, directory } = options;
    const commands = commandsIn(options.command ?? []);
    const suite = {
      text: readText(file, `the XML ${file}`),
      path: resolve(file),
      read: readOther,
      properties: propertiesIn(options.property ?? []),
    };
    const made = importExperiment(suite, { experiment, commands, start, end, history, directory });
    if (!made.ok) throw new WorldError("bad-request", file, `${file}: ${made.error}`, { hint: "see --help" });
    const { document, told, missing, scripts } = made.value;
    tellWarnings(told);
    if (options.json) return void printJson({ document, told, missing, scripts });
    const text = `# Made by wms2 import-frepp of ${basename(file).replaceAll(/[^\w .-]/g, "?")}.\n${graphYaml(document)}`;
    if (output === undefined) return void print(text.trimEnd());
    writeOut(output, text);
    for (const script of scripts) talk(layBeside(output, script));
    const left = Object.entries(missing).map(([key, how]) => `${key} (${how})`);
    if (left.length > 0) talk(`still to be filled in there: ${left.join(", ")}`);
    talk(`written to ${output}; see what it would run with: wms2 plan ${output}`);
  },
});

/** Files are named from where the one lies that names them. */
const readOther: SuiteFile["read"] = (name, from) => {
  const path = resolve(dirname(from), name);
  if (!existsSync(path) || !statSync(path).isFile()) return null;
  return { text: readText(path, `the XML ${path}`), path };
};

/** One that is there is somebody's own by now. */
function layBeside(output: string, script: string): string {
  const path = join(dirname(output), script);
  if (existsSync(path)) return `${path} is there already, and stays as it is`;
  copyFileSync(fileURLToPath(new URL(`../submit-dir/payload/frepp/${script}`, import.meta.url)), path);
  chmodSync(path, 0o755);
  return `${path} is yours to change: it calls the programs of NCO by name`;
}

const propertiesIn = (given: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    given.map((word) => {
      const [, name, value = ""] = /^([\w.:-]+)=(.*)$/s.exec(word) ?? [];
      if (name === undefined)
        throw new WorldError("bad-usage", "--property", `--property does not understand "${word}"`, {
          hint: "for example: --property NCORE_PER_NODE=128",
        });
      return [name, value];
    }),
  );

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
