import { err, ok, type Result } from "../../../core/base/result.ts";
import { type ReadOther, readWithIncludes } from "./include.ts";
import { allOf, childrenOf, type Element } from "./xml.ts";

/** An experiment of a suite: it and those it inherits from, nearest first, and how its texts read. */
export interface FreppExperiment {
  readonly name: string;
  readonly chain: readonly Element[];
  /** The text with $(properties) expanded. Those that nobody defined are noted. */
  expand(text: string): string;
  readonly undefinedProperties: ReadonlySet<string>;
  /** Why it was not expanded to its end; null: all of it was. */
  tooMuch(): string | null;
}

/** What properties may make of all texts of an experiment, what one that is put in costs beside its characters, and how deep they may name each other. */
const MOST_CHARACTERS = 20_000_000;
const ONE_PROPERTY = 16;
const DEEPEST = 64;

export interface SuiteFile {
  readonly text: string;
  readonly path: string;
  readonly read: ReadOther;
  /** Properties that somebody gives, before those of the file. */
  readonly properties: ReadonlyMap<string, string>;
}

export function readExperiment(
  { text, path, read, properties }: SuiteFile,
  name: string,
  note: (words: string) => void,
): Result<FreppExperiment, string> {
  const whole = readWithIncludes(text, path, read, note);
  if (!whole.ok) return err(`it is no XML: ${whole.error}`);
  const suite = whole.value;
  const { expand, tooMuch } = expansionOf([suite], properties);
  const experiments = new Map(
    childrenOf(suite, "experiment").map((one) => [expand(one.attributes.name ?? "").trim(), one]),
  );
  const names = [...experiments.keys()].filter(Boolean);
  const wanted = expand(name).trim();
  const why = tooMuch();
  if (why !== null) return err(why);
  if (!experiments.has(wanted))
    return err(`it has no experiment ${name}; it has ${names.length > 0 ? names.join(", ") : "none"}`);
  const chain: Element[] = [];
  for (let at = wanted; at !== ""; at = expand(chain.at(-1)!.attributes.inherit ?? "").trim()) {
    const next = experiments.get(at);
    if (!next) return err(`${chain.at(-1)!.attributes.name} inherits from ${at}, which is not in this file`);
    if (chain.includes(next)) return err(`${at} inherits from itself`);
    chain.push(next);
  }
  // The nearest counts: of the experiment itself, of what it inherits, of the suite.
  const given = new Map([...properties, ["name", wanted]]);
  return ok({ name: wanted, chain, ...expansionOf([suite, ...chain.toReversed()], given) });
}

function expansionOf(
  defining: readonly Element[],
  given: ReadonlyMap<string, string>,
): Pick<FreppExperiment, "expand" | "undefinedProperties" | "tooMuch"> {
  const properties = new Map<string, string>();
  for (const element of defining)
    for (const { attributes, text } of childrenOf(element, "property"))
      if (attributes.name !== undefined) properties.set(attributes.name, attributes.value ?? text.trim());
  for (const [name, value] of given) properties.set(name, value);
  const undefinedProperties = new Set<string>();
  let left = MOST_CHARACTERS;
  let why: string | null = null;
  const expanded = (part: string, within: readonly string[]): string =>
    part.replaceAll(/\$\(([\w.:-]+)\)/g, (all, property: string) => {
      const value = properties.get(property);
      if (value === undefined || within.includes(property)) {
        undefinedProperties.add(property);
        return all;
      }
      left -= value.length + ONE_PROPERTY;
      if (left < 0) why ??= `its properties make more than ${MOST_CHARACTERS} characters of it`;
      else if (within.length >= DEEPEST) why ??= `its properties name each other more than ${DEEPEST} deep`;
      return why === null ? expanded(value, [...within, property]) : all;
    });
  return { expand: (text) => expanded(text, []), undefinedProperties, tooMuch: () => why };
}

/** The first element of this name that the experiment or one it inherits from has. */
export function inherited({ chain }: FreppExperiment, name: string): Element | null {
  for (const experiment of chain) {
    const [found] = allOf(experiment, name);
    if (found) return found;
  }
  return null;
}
