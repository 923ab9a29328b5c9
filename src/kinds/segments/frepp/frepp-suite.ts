import { err, ok, type Result } from "../../../base/result.ts";
import { allOf, childrenOf, type Element, readXml } from "./xml.ts";

/** An experiment of a suite: it and those it inherits from, nearest first, and how its texts read. */
export interface FreppExperiment {
  readonly name: string;
  readonly chain: readonly Element[];
  /** The text with $(properties) expanded. Those that nobody defined are noted. */
  expand(text: string): string;
  readonly undefinedProperties: ReadonlySet<string>;
}

/** In one text, with those in their values: some that name each other twice would make it endless. */
const MOST_PROPERTIES = 1000;

export function readExperiment(text: string, name: string): Result<FreppExperiment, string> {
  const read = readXml(text);
  if (!read.ok) return err(`it is no XML: ${read.error}`);
  const suite = read.value;
  const experiments = new Map(childrenOf(suite, "experiment").map((one) => [one.attributes.name ?? "", one]));
  const names = [...experiments.keys()].filter(Boolean);
  if (!experiments.has(name))
    return err(`it has no experiment ${name}; it has ${names.length > 0 ? names.join(", ") : "none"}`);
  const chain: Element[] = [];
  for (let at: string | undefined = name; at; at = chain.at(-1)!.attributes.inherit) {
    const next = experiments.get(at);
    if (!next) return err(`${chain.at(-1)!.attributes.name} inherits from ${at}, which is not in this file`);
    if (chain.includes(next)) return err(`${at} inherits from itself`);
    chain.push(next);
  }
  return ok(experimentOf(name, chain, suite));
}

function experimentOf(name: string, chain: readonly Element[], suite: Element): FreppExperiment {
  const properties = new Map<string, string>();
  const define = (element: Element): void => {
    for (const { attributes } of childrenOf(element, "property"))
      if (attributes.name !== undefined) properties.set(attributes.name, attributes.value ?? "");
  };
  // The nearest counts: of the experiment itself, of what it inherits, of the suite.
  for (const element of [suite, ...chain.toReversed()]) define(element);
  properties.set("name", name);
  const undefinedProperties = new Set<string>();
  const expand = (text: string): string => {
    let left = MOST_PROPERTIES;
    const expanded = (part: string, within: readonly string[]): string =>
      part.replaceAll(/\$\(([\w.:-]+)\)/g, (all, property: string) => {
        const value = properties.get(property);
        if (value !== undefined && !within.includes(property) && left-- > 0)
          return expanded(value, [...within, property]);
        undefinedProperties.add(property);
        return all;
      });
    return expanded(text, []);
  };
  return { name, chain, expand, undefinedProperties };
}

/** The first element of this name that the experiment or one it inherits from has. */
export function inherited({ chain }: FreppExperiment, name: string): Element | null {
  for (const experiment of chain) {
    const [found] = allOf(experiment, name);
    if (found) return found;
  }
  return null;
}
