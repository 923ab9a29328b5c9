import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseDocument } from "../../src/intake/parse-document.ts";
import { type Entry, isFine, readScenario, runStory, summarise, Teller } from "../../src/simulate/index.ts";
import { tempDir } from "../support/temp-dir.ts";

const folder = resolve(import.meta.dirname, "../../examples/scenarios");

function scenarioOf(text: string) {
  const parsed = parseDocument(text, "yaml");
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return readScenario(parsed.value, () => {
    throw new Error("no files here");
  });
}

async function tell(text: string, seed?: number) {
  const read = scenarioOf(text);
  if (!read.ok) throw new Error(JSON.stringify(read.error, null, 1));
  const lines: string[] = [];
  const teller = new Teller([], (line) => lines.push(line));
  const begun = performance.now();
  const end = await runStory(read.value, {
    dir: tempDir("simulate"),
    seed: seed ?? read.value.seed,
    tell: (entry: Entry) => teller.tell(entry),
  });
  teller.flush();
  const summary = summarise(end, (performance.now() - begun) / 1000);
  if (process.env.SHOW) console.log(`${lines.join("\n")}\n${summary}`);
  return { end, lines, summary };
}

/** Examples that show what is still to come. The list must shrink: one that comes true fails this test. */
const PENDING: readonly string[] = [];

describe("the example scenarios", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  for (const file of files) {
    const isPending = PENDING.includes(file);
    test(`${file}${isPending ? " is still pending" : " comes true"}`, async () => {
      const { end, summary } = await tell(readFileSync(join(folder, file), "utf8"));
      expect({ fine: isFine(end), summary: isFine(end) === isPending ? summary : "" }).toEqual({
        fine: !isPending,
        summary: "",
      });
    });
  }
});
