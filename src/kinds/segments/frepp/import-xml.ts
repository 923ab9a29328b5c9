import { groupBy } from "../../../core/base/group-by.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { FREQUENCIES, type Frequency, parseMonths, parsePoint, writeDuration } from "../../../core/calendar.ts";
import type { Row } from "../../../intake/reading/values.ts";
import { plainName } from "../../graph/import/plain-name.ts";
import { escaped } from "../../graph/import/torc-texts.ts";
import { PLACEHOLDERS } from "../texts.ts";
import { type FreppExperiment, inherited, readExperiment, type SuiteFile } from "./frepp-suite.ts";
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
  /** What a person has to say before it can run: key → how. */
  readonly missing: Readonly<Record<string, string>>;
  /** Programs of ours that its commands call, to be laid beside it. */
  readonly scripts: readonly string[];
}

/** What makes products where nobody says otherwise; src/submit-dir/payload/frepp. */
const USUAL_COMMANDS: Readonly<Record<"ts" | "ta", readonly string[]>> = {
  ts: ["./series.sh", "{output}", "{source}", "{inputs}"],
  ta: ["./average.sh", "{output}", "{source}", "{frequency}", "{inputs}"],
};
const AVERAGED: readonly string[] = ["annual", "seasonal", "monthly"];
/** Of a component: what has a meaning here. All others may only stand in commands. */
const OWN_ATTRIBUTES = ["type", "start"];

/** The postProcess part of an experiment as a request; everything else in the file is for other programs. */
export function importExperiment(file: SuiteFile, wishes: FreppWishes): Result<ImportedExperiment, string> {
  const told = new Told();
  const read = readExperiment(file, wishes.experiment, (words) => told.note(words));
  if (!read.ok) return read;
  const experiment = read.value;
  const postProcess = inherited(experiment, "postProcess");
  if (!postProcess) return err(`experiment ${experiment.name} has no postProcess, nor has any it inherits from`);
  const times = runTimes(experiment, wishes, (words) => told.note(words));
  const components = childrenOf(postProcess, "component").flatMap((component) =>
    componentsOf(component, experiment, wishes, told),
  );
  const tooMuch = experiment.tooMuch();
  if (tooMuch !== null) return err(tooMuch);
  for (const { name } of postProcess.children) if (name !== "component") told.leave(`<${name}>`);
  if (components.length === 0)
    return err([`experiment ${experiment.name} makes nothing that WMS2 knows`, ...told.lines()].join("; "));
  const scripts = scriptsFor(components, wishes);
  for (const property of experiment.undefinedProperties)
    told.note(`$(${property}) is defined nowhere in this file: give it with --property ${property}=…`);
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
  const isSeasonal = components.some(({ ta }) =>
    (ta as readonly Row[] | undefined)?.some((one) => one.source === "seasonal"),
  );
  const missing: Record<string, string> = {
    ...(times.start === "TODO" && { start: "when the run begins: --start 0001" }),
    ...(isSeasonal &&
      !wishes.commands.ta && { "averages of seasonal values": "average.sh has none: --command 'ta=…'" }),
  };
  return ok({ document, told: told.lines(), missing, scripts });
}

function scriptsFor(components: readonly Row[], { commands }: FreppWishes): readonly string[] {
  const makes = (family: "ts" | "ta") =>
    commands[family] === undefined && components.some((component) => family in component);
  // One of averages calls the one of series.
  return makes("ta") ? ["series.sh", "average.sh"] : makes("ts") ? ["series.sh"] : [];
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

/** Usually one. Of two sources of the same frequency and length, each makes a file of its own: the second is a component, too. */
function componentsOf(
  element: Element,
  experiment: FreppExperiment,
  { commands }: FreppWishes,
  told: Told,
): readonly Row[] {
  const attributes = attributesOf(element, experiment);
  if (!attributes.type) {
    told.leave(`<component> without a type (line ${element.line})`);
    return [];
  }
  const name = plainName(attributes.type);
  if (!attributes.source) told.note(`component ${name} names no source: ${attributes.type} is supposed`);
  const common = { source: attributes.type, ...attributes };
  const used = [commands.ts ?? USUAL_COMMANDS.ts, commands.ta ?? USUAL_COMMANDS.ta].flat().join(" ");
  for (const attribute of Object.keys(attributes))
    if (!OWN_ATTRIBUTES.includes(attribute) && !used.includes(`{${attribute}}`))
      told.leave(`attribute ${attribute} of components (it may stand in --command as {${attribute}})`);
  for (const child of element.children)
    if (child.name !== "timeSeries" && child.name !== "timeAverage") told.leave(`<${child.name}>`);
  const ts = seriesOf(element, "ts", common, experiment, told).map((one) => takenBy(commands.ts, one, told));
  const ta = seriesOf(element, "ta", common, experiment, told);
  if (ts.length + ta.length === 0) {
    told.note(`component ${name} makes nothing that WMS2 knows, and is left out`);
    return [];
  }
  const start = startOf(attributes, name, told);
  const others = [...new Set(ts.filter((one) => isSecond(one, ts)).map(({ attributes: { source = "" } }) => source))];
  const row = (own: string, series: readonly Series[], averages: readonly Series[]): Row => ({
    name: own,
    ...(start && { start }),
    ...(series.length > 0 && { ts: entriesOf("ts", series, commands.ts, own, told) }),
    ...(averages.length > 0 && { ta: entriesOf("ta", averages, commands.ta, own, told) }),
  });
  const ofSource = (source: string) => ts.filter((one) => one.attributes.source === source);
  return [
    row(
      name,
      ts.filter(({ attributes: { source = "" } }) => !others.includes(source)),
      ta,
    ),
    ...others.map((source) => {
      const own = plainName(`${attributes.type}-${source}`);
      told.note(`component ${name} has series of ${source} that others of it would be called like: they are ${own}`);
      return row(own, ofSource(source), []);
    }),
  ];
}

const attributesOf = (element: Element, { expand }: FreppExperiment): Record<string, string> =>
  Object.fromEntries(Object.entries(element.attributes).map(([name, value]) => [name, expand(value).trim()]));

function startOf(attributes: Readonly<Record<string, string>>, name: string, told: Told): string | null {
  if (!attributes.start) return null;
  const start = attributes.start.padStart(4, "0");
  if (parsePoint(start)) return start;
  told.note(`component ${name}: start="${attributes.start}" is no date, and is left out`);
  return null;
}

const TAGS = {
  ts: { tag: "timeSeries", frequency: "freq", length: "chunkLength", key: "frequency" },
  ta: { tag: "timeAverage", frequency: "source", length: "interval", key: "source" },
} as const;

/** One `<timeSeries>` or `<timeAverage>`. */
interface Series {
  readonly frequency: Frequency;
  readonly months: number;
  readonly from: number | null;
  /** A file of each of these; none: all in one file. */
  readonly variables: readonly string[];
  /** Of its component; of a series, its own come first. */
  readonly attributes: Readonly<Record<string, string>>;
}

const isSecond = ({ frequency, months, attributes }: Series, all: readonly Series[]): boolean =>
  all.find((one) => one.frequency === frequency && one.months === months)!.attributes.source !== attributes.source;

function seriesOf(
  component: Element,
  family: "ts" | "ta",
  common: Readonly<Record<string, string>>,
  experiment: FreppExperiment,
  told: Told,
): readonly Series[] {
  const { tag, frequency: frequencyName, length } = TAGS[family];
  return childrenOf(component, tag).flatMap((element) => {
    const own = attributesOf(element, experiment);
    const [frequency, months] = [frequencyOf(own[frequencyName] ?? ""), monthsOf(own[length] ?? "")];
    const variables = family === "ts" ? variablesOf(element, experiment, told) : [];
    for (const child of element.children)
      if (child.name !== "variables" || variables.length === 0) told.leave(`<${child.name}> of <${tag}>`);
    if (frequency === null || months === null || (family === "ta" && !AVERAGED.includes(frequency))) {
      told.leave(`<${tag} ${frequencyName}="${own[frequencyName] ?? ""}" ${length}="${own[length] ?? ""}">`);
      return [];
    }
    const from = own.from ? monthsOf(own.from) : null;
    // The source of an average is what it averages: that says the frequency.
    return [
      {
        frequency,
        months,
        from,
        variables,
        attributes: family === "ts" ? { ...common, ...own, variables: variables.join(",") } : common,
      },
    ];
  });
}

/** `<variables>u v</variables>`: frepp writes a file of each. */
function variablesOf(element: Element, { expand }: FreppExperiment, told: Told): readonly string[] {
  const words = childrenOf(element, "variables").flatMap(({ text }) =>
    expand(text)
      .split(/[\s,]+/)
      .filter(Boolean),
  );
  const odd = words.find((word) => !/^\w+$/.test(word));
  if (odd !== undefined)
    told.note(`<variables> in line ${element.line}: ${odd} is no name of a variable; all are in one file`);
  return odd === undefined ? [...new Set(words)] : [];
}

/** A command of somebody's own that does not name {variables} writes one file, as it always did. */
function takenBy(command: readonly string[] | undefined, series: Series, told: Told): Series {
  if (series.variables.length === 0 || !command || command.some((word) => word.includes("{variables}"))) return series;
  told.leave("<variables> of <timeSeries>");
  return { ...series, variables: [] };
}

/** Those of one frequency, one `from` and one command together: their lengths are what they are made of each other by. */
function entriesOf(
  family: "ts" | "ta",
  series: readonly Series[],
  command: readonly string[] | undefined,
  component: string,
  told: Told,
): readonly Row[] {
  const { tag, key } = TAGS[family];
  const fromOf = ({ frequency, from, variables }: Series): string | null => {
    const isMixed = series.some((one) => one.frequency === frequency && `${one.variables}` !== `${variables}`);
    if (isMixed) return "history";
    if (from === null) return null;
    if (series.some((one) => one.frequency === frequency && one.months === from)) return writeDuration(from);
    told.note(`<${tag} from="${writeDuration(from)}">: ${component} has no such ${tag}; it is made by the usual rule`);
    return null;
  };
  const made = series.map((one) => ({
    ...{ [key]: one.frequency, from: fromOf(one), months: one.months },
    run: withAttributes(commandFor(one, command ?? USUAL_COMMANDS[family]), one.attributes),
    outputs: one.variables.length > 0 ? { path: ONE_FILE_EACH, files: one.variables.length } : null,
  }));
  const groups = groupBy(made, ({ months: _, ...rest }) => JSON.stringify(rest));
  return [...groups.values()].map((group) => {
    const { months: _, from, run, outputs, ...first } = group[0]!;
    const lengths = [...new Set(group.map(({ months }) => months))].sort((a, b) => a - b).map(writeDuration);
    return { ...first, lengths, ...(from !== null && { from }), run, ...(outputs && { outputs }) };
  });
}

const ONE_FILE_EACH = "pp/{component}/{product}/{span}/";
/** The usual one is told of which variables. */
const commandFor = ({ variables }: Series, command: readonly string[]): readonly string[] =>
  command === USUAL_COMMANDS.ts && variables.length > 0
    ? [...command.slice(0, -1), "-v", "{variables}", ...command.slice(-1)]
    : command;

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
