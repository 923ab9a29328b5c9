import type { Command, Option } from "commander";
import { expect, test } from "vitest";
import { makeProgram } from "./program.ts";

const namesOf = async (...words: string[]): Promise<string[]> =>
  (await makeProgram(words)).commands.map((command) => command.name());

test("every command is loaded by its own name, without the others", async () => {
  const all = await namesOf();
  expect(new Set(all).size).toBe(all.length);
  for (const name of all) {
    const loaded = await namesOf("--data-dir", "run", name, "list");
    expect(loaded).toContain(name);
    expect(loaded.length, `${name} came with ${loaded}`).toBeLessThan(12);
  }
});

test("where no command is named all are there: for the help, and for what was meant", async () => {
  const all = await namesOf();
  for (const words of [["--help"], ["help", "run"], ["relese"], ["--data-dir", "run"]])
    expect(await namesOf(...words)).toEqual(all);
});

/** Every command that can be typed, with its words: "transfers retry". */
async function commands(): Promise<readonly { readonly name: string; readonly options: readonly Option[] }[]> {
  const walk = (command: Command, before: string): { name: string; options: readonly Option[] }[] => {
    const name = `${before}${command.name()}`;
    if (command.commands.length > 0) return command.commands.flatMap((each) => walk(each, `${name} `));
    return [{ name, options: command.options.filter(({ hidden }) => !hidden) }];
  };
  return (await makeProgram([])).commands.flatMap((command) => walk(command, ""));
}
const has = (options: readonly Option[], long: string): boolean => options.some((option) => option.long === long);

/** They change one value, and their answer names it. */
const ONE_VALUE = ["priority", "alerts"];

test("one rule for all that change: --reason says why, --dry-run only says what would be done, --yes does it unasked", async () => {
  for (const { name, options } of await commands()) {
    expect(has(options, "--note") || has(options, "--apply"), name).toBe(false);
    if (has(options, "--yes")) expect(has(options, "--dry-run"), name).toBe(true);
    if (has(options, "--reason") && !ONE_VALUE.includes(name)) expect(has(options, "--dry-run"), name).toBe(true);
    const dry = options.find(({ long }) => long === "--dry-run");
    if (dry) expect(dry.description, name).toMatch(/^only /);
  }
});
