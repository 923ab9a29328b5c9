import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Document, isScalar, visit } from "yaml";
import { WorldError } from "../core/base/errors.ts";
import { stringify } from "../core/base/json.ts";
import { readSubmission } from "../intake/read-submission.ts";
import { Notes } from "../intake/reading/notes.ts";
import { parseDocument } from "../intake/reading/parse-document.ts";
import { isRow, type Row } from "../intake/reading/values.ts";
import { translateGraph } from "../kinds/graph/import/translate.ts";
import type { Translation } from "../kinds/graph/import/translation.ts";
import { KINDS } from "../kinds/table.ts";
import { command } from "./command.ts";
import { problemsIn, readRequestFile, withLines, writeOut } from "./request-file.ts";
import { settingsFrom } from "./settings.ts";
import { print, talk, tellWarnings } from "./terminal.ts";

export const addConvert = command("convert", {
  about: "a graph of another system (Torc, WfFormat) in our own form",
  arguments: { "<file>": "a Torc workflow as YAML, JSON, JSON5 or KDL, or a WfFormat instance; - is stdin" },
  options: {
    "--out <file>": "write it there instead of to stdout",
    "--json": "as JSON, which may be longer than YAML",
  },
  examples: [
    "wms2 convert examples/imports/sweep.torc.yaml",
    "wms2 convert workflow.kdl --out graph.yaml && wms2 plan graph.yaml",
    "wms2 convert montage.json --json --out montage-graph.json",
  ],
  more: "Nobody has to convert: submit and plan read such files as they are. See docs/guides/graph-imports.md.",
  async run({ options }, file: string) {
    const { config } = settingsFrom(options);
    const { intakeRules } = await import("../main.ts");
    if (options.out !== undefined && resolve(options.out) === resolve(file))
      throw new WorldError("bad-usage", file, `${file} would be replaced by what is made of it`, {
        hint: "give --out another name",
      });
    const source = readRequestFile(file, {});
    const read = readSubmission(source, intakeRules(config), KINDS);
    if (!read.ok) throw problemsIn(file, withLines(file, read.error));
    const translation = isRow(source) ? translateGraph(source, new Notes()) : null;
    if (translation === null)
      throw new WorldError("bad-usage", file, `${file} is in our own form already`, { hint: `wms2 plan ${file}` });
    const folder = file === "-" ? process.cwd() : dirname(resolve(file));
    const text = written(translation, { file, folder, ...options });
    tellWarnings(read.value.warnings);
    if (options.out === undefined) return void print(text.trimEnd());
    writeOut(options.out, text);
    talk(`written to ${options.out}; see what it would run with: wms2 plan ${options.out}`);
  },
});

interface Target {
  readonly file: string;
  /** Of the file it was made from. */
  readonly folder: string;
  readonly out?: string | undefined;
  readonly json?: boolean | undefined;
}

function written({ document, from }: Translation, { file, folder, out, json }: Target): string {
  const isBeside = out === undefined || dirname(resolve(out)) === folder;
  const own = isBeside ? withoutBeside(document, folder) : document;
  if (json || out?.endsWith(".json")) return `${stringify(own, 1)}\n`;
  const text = `# Made by wms2 convert of ${plain(basename(file))}, ${plain(from)}.\n${graphYaml(own)}`;
  if (parseDocument(text, "yaml").ok) return text;
  throw new WorldError("bad-request", file, `${file} makes more than YAML may hold here`, { hint: "add --json" });
}

/** Words of a command and other short lists in one line. */
export function graphYaml(own: Row): string {
  const document = new Document(own, { aliasDuplicateObjects: false });
  visit(document, {
    Seq(_, list) {
      const words = list.items.map((item) => (isScalar(item) ? String(item.value) : "\n"));
      if (words.join().length <= 100 && !words.some((word) => word.includes("\n"))) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

const plain = (text: string): string => text.replaceAll(/[^\w .-]/g, "?");

/** Beside its source it needs no directory, and finds the same files there. */
function withoutBeside({ directory: _, attachments, ...document }: Row, folder: string): Row {
  const kept = Object.entries(isRow(attachments) ? attachments : {}).filter(
    ([path]) => !existsSync(join(folder, path)),
  );
  return { ...document, ...(kept.length > 0 && { attachments: Object.fromEntries(kept) }) };
}
