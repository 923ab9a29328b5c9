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
