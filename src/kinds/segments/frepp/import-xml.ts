import { err, ok, type Result } from "../../../base/result.ts";
import { FREQUENCIES, type Frequency, parseMonths, parsePoint, writeDuration } from "../../../domain/calendar.ts";
import type { Row } from "../../../reading/values.ts";
import { plainName } from "../../graph/import/plain-name.ts";
import { escaped } from "../../graph/import/torc-texts.ts";
import { PLACEHOLDERS } from "../texts.ts";
import { type FreppExperiment, inherited, readExperiment } from "./frepp-suite.ts";
import { runTimes } from "./run-times.ts";
import { childrenOf, type Element } from "./xml.ts";

/** What the XML does not say, or says for other programs. */
export interface FreppWishes {
  readonly experiment: string;
  /** As words, with our placeholders, and the attributes of a component in braces. */
  readonly commands: Partial<Record<"ts" | "ta", readonly string[]>>;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly history?: string | undefined;
  readonly directory?: string | undefined;
}
interface ImportedExperiment {
  readonly document: Row;
  /** What was left out or supposed, in words. */
  readonly told: readonly string[];
}

/** A value that intake refuses: a person has to say it. */
const TODO = "TODO";
const AVERAGED: readonly string[] = ["annual", "seasonal", "monthly"];
/** Of a component: what has a meaning here. All others may only stand in commands. */
const OWN_ATTRIBUTES = ["type", "start"];

/** The postProcess part of an experiment as a request; everything else in the file is for other programs. */
export function importExperiment(text: string, wishes: FreppWishes): Result<ImportedExperiment, string> {
  const read = readExperiment(text, wishes.experiment);
  if (!read.ok) return read;
  const experiment = read.value;
  const postProcess = inherited(experiment, "postProcess");
  if (!postProcess) return err(`experiment ${experiment.name} has no postProcess, nor has any it inherits from`);
  const told = new Told();
  const times = runTimes(experiment, wishes, (words) => told.note(words));
  const components = childrenOf(postProcess, "component").flatMap((component) => {
    const made = componentOf(component, experiment, wishes, told);
    return made ? [made] : [];
  });
  for (const { name } of postProcess.children) if (name !== "component") told.leave(`<${name}>`);
  for (const family of ["ts", "ta"] as const)
    if (wishes.commands[family] === undefined && components.some((component) => family in component))
      told.note(`the command that makes ${family} is ${TODO}: give it with --command '${family}=…', or write it there`);
  for (const property of experiment.undefinedProperties) told.note(`$(${property}) is defined nowhere in this file`);
  told.note("outputs are called as WMS2 suggests: change defaults.outputs to the names your command leaves");
  const document = {
    name: plainName(experiment.name).toLowerCase(),
    kind: "segments",
    experiment: plainName(experiment.name),
    ...times,
    ...(wishes.directory !== undefined && { directory: wishes.directory }),
    history: wishes.history ?? "history/{date}.nc.tar",
    defaults: { outputs: "pp/{component}/{product}/{component}.{span}.nc" },
    components,
  };
  return ok({ document, told: told.lines() });
}

/** Says each thing once, and of what was left out how often it stood there. */
class Told {
  readonly #notes = new Set<string>();
  readonly #left = new Map<string, number>();
  note(words: string): void {
    this.#notes.add(words);
  }
  leave(what: string): void {
    this.#left.set(what, (this.#left.get(what) ?? 0) + 1);
  }
  lines(): readonly string[] {
    const left = [...this.#left].map(([what, times]) => `left out: ${what}${times > 1 ? `, ${times} times` : ""}`);
    return [...this.#notes, ...left];
  }
}

function componentOf(element: Element, experiment: FreppExperiment, { commands }: FreppWishes, told: Told): Row | null {
  const attributes = Object.fromEntries(
    Object.entries(element.attributes).map(([name, value]) => [name, experiment.expand(value).trim()]),
  );
  const name = plainName(attributes.type ?? "");
  if (!attributes.type) {
    told.leave(`<component> without a type (line ${element.line})`);
    return null;
  }
  const used = Object.values(commands).flat().join(" ");
  for (const attribute of Object.keys(attributes))
    if (!OWN_ATTRIBUTES.includes(attribute) && !used.includes(`{${attribute}}`))
      told.leave(`attribute ${attribute} of components (it may stand in --command as {${attribute}})`);
  const products = (family: "ts" | "ta") => productsOf(element, family, attributes, experiment, commands[family], told);
  for (const child of element.children)
    if (child.name !== "timeSeries" && child.name !== "timeAverage") told.leave(`<${child.name}>`);
  const [ts, ta] = [products("ts"), products("ta")];
  if (ts.length + ta.length === 0) {
    told.note(`component ${name} makes nothing that WMS2 knows, and is left out`);
    return null;
  }
  const start =
    attributes.start && parsePoint(attributes.start.padStart(4, "0")) ? attributes.start.padStart(4, "0") : null;
  if (attributes.start && !start)
    told.note(`component ${name}: start="${attributes.start}" is no date, and is left out`);
  return { name, ...(start && { start }), ...(ts.length > 0 && { ts }), ...(ta.length > 0 && { ta }) };
}

const TAGS = {
  ts: { tag: "timeSeries", frequency: "freq", length: "chunkLength", key: "frequency" },
  ta: { tag: "timeAverage", frequency: "source", length: "interval", key: "source" },
} as const;

/** Those of one frequency and one `from` together: their lengths are what they are made of each other by. */
function productsOf(
  component: Element,
  family: "ts" | "ta",
  attributes: Readonly<Record<string, string>>,
  { expand }: FreppExperiment,
  command: readonly string[] | undefined,
  told: Told,
): readonly Row[] {
  const { tag, frequency: frequencyName, length, key } = TAGS[family];
  const entries = new Map<string, { frequency: Frequency; from: number | null; lengths: Set<number> }>();
  for (const element of childrenOf(component, tag)) {
    const value = (name: string): string => expand(element.attributes[name] ?? "").trim();
    const frequency = frequencyOf(value(frequencyName));
    const months = monthsOf(value(length));
    for (const child of element.children) told.leave(`<${child.name}> of <${tag}>`);
    if (frequency === null || months === null || (family === "ta" && !AVERAGED.includes(frequency))) {
      told.leave(`<${tag} ${frequencyName}="${value(frequencyName)}" ${length}="${value(length)}">`);
      continue;
    }
    const from = value("from") === "" ? null : monthsOf(value("from"));
    const entry = entries.get(`${frequency} ${from}`) ?? { frequency, from, lengths: new Set<number>() };
    entries.set(`${frequency} ${from}`, entry);
    entry.lengths.add(months);
  }
  const all = [...entries.values()];
  for (const entry of all) {
    const isMade = all.some(({ frequency, lengths }) => frequency === entry.frequency && lengths.has(entry.from ?? 0));
    if (entry.from === null || isMade) continue;
    told.note(
      `<${tag} from="${writeDuration(entry.from)}">: ${attributes.type} has no such ${tag}; it is made by the usual rule`,
    );
    entry.from = null;
  }
  return all.map(({ frequency, from, lengths }) => ({
    [key]: frequency,
    lengths: [...lengths].sort((a, b) => a - b).map(writeDuration),
    ...(from !== null && { from: writeDuration(from) }),
    run: command === undefined ? TODO : withAttributes(command, attributes),
  }));
}

/** 5yr, 6mo; a bare number is years. */
const monthsOf = (text: string): number | null => parseMonths(/^\d+$/.test(text) ? `${text}y` : text);

const frequencyOf = (text: string): Frequency | null => {
  const word = { "1hr": "hourly", month: "monthly", day: "daily", year: "annual" }[text] ?? text;
  return FREQUENCIES.find((frequency) => frequency === word) ?? null;
};

/** What is no placeholder of ours stands for an attribute of the component, and never makes two words of one; "" where it has none. */
const withAttributes = (argv: readonly string[], attributes: Readonly<Record<string, string>>): readonly string[] =>
  argv.map((word) =>
    word.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
      (PLACEHOLDERS.run as readonly string[]).includes(name) ? all : escaped(attributes[name] ?? ""),
    ),
  );
