import { readFileSync } from "node:fs";
import { test } from "vitest";
import { parseDocument } from "../../src/intake/parse-document.ts";
import { readScenario, runStory, summarise, Teller } from "../../src/simulate/index.ts";
import { tempDir } from "../support/temp-dir.ts";
test("big", { timeout: 300000 }, async () => {
  const p = parseDocument(readFileSync("/tmp/big.yaml", "utf8"), "yaml");
  if (!p.ok) throw new Error();
  const s = readScenario(p.value, () => null);
  if (!s.ok) throw new Error(JSON.stringify(s.error));
  const lines: string[] = [];
  const t = new Teller([], (l) => lines.push(l));
  const b = performance.now();
  const end = await runStory(s.value, { dir: tempDir("x"), seed: 1, tell: (e) => t.tell(e) });
  t.flush();
  console.log(lines.join("\n") + summarise(end, (performance.now() - b) / 1000));
});
